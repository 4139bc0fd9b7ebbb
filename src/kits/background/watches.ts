/** Watches over the output of background commands: a line that matches wakes the session. Nothing runs while nothing is printed. */

import type { Attachment } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import type { Background, BackgroundFailure } from "#ground/workspace/processes/background.ts"
import type { Clock } from "#lib/clock.ts"
import { readableOutput } from "#lib/readable-output.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface WatchAsk {
  readonly id: string
  /** A regular expression for lines. */
  readonly pattern: string
  /** How often the model is told. */
  readonly times: number
  readonly ms: number
}

export interface Watches {
  /** From now on; the failure says why it cannot be watched. */
  readonly start: (ask: WatchAsk, signal: AbortSignal) => Promise<Result<void, BackgroundFailure>>
  readonly untold: () => readonly Attachment[]
  readonly markTold: (attachment: Attachment) => void
  /** The command printed its last line. */
  readonly commandEnded: (id: string) => void
  readonly close: () => void
}

export const matchName = "background_match"

/** What is printed at once is looked at, and told, at once. */
const settleMs = 200
const mostPending = 1_000_000
const mostLines = 20
const mostCharacters = 3_000
const most = 20

interface Watch {
  readonly ask: WatchAsk
  readonly decoder: TextDecoder
  readonly stops: (() => void)[]
  pending: string
  left: number
  isDue: boolean
  looking: Promise<void>
}

export function openWatches({
  background,
  clock,
  wake,
}: {
  readonly background: Pick<Background, "onOutput" | "matching" | "find" | "list">
  readonly clock: Clock
  readonly wake: () => void
}): Watches {
  const watches = new Set<Watch>()
  let untold: readonly (Attachment & { readonly number: number })[] = []
  let number = 0

  function announce(text: string): void {
    number++
    untold = [...untold, { name: matchName, text, data: { match: number }, number }]
    wake()
  }

  function end(watch: Watch): void {
    for (const stop of watch.stops) stop()
    watches.delete(watch)
  }

  function bufferOutput(watch: Watch, chunk: Uint8Array): void {
    watch.pending = (watch.pending + watch.decoder.decode(chunk, { stream: true })).slice(-mostPending)
    if (watch.isDue) return
    watch.isDue = true
    watch.stops.push(clock.after(settleMs, () => scanPending(watch, "whole lines")))
  }

  function scanPending(watch: Watch, which: "whole lines" | "everything"): void {
    watch.isDue = false
    const until = which === "everything" ? watch.pending.length : watch.pending.lastIndexOf("\n") + 1
    const text = readableOutput(watch.pending.slice(0, until))
    watch.pending = watch.pending.slice(until)
    // One after the other, so that lines are told in their order.
    watch.looking = watch.looking.then(() => pick(watch, text))
  }

  async function pick(watch: Watch, text: string): Promise<void> {
    if (text === "" || !watches.has(watch)) return
    const { id, pattern } = watch.ask
    const found = await background.matching(text, pattern, new AbortController().signal)
    if (!found.ok || found.value.trim() === "" || !watches.has(watch)) return
    watch.left--
    if (watch.left === 0) end(watch)
    announce(matchWords(id, pattern, found.value, watch.left))
  }

  return {
    async start(ask, signal) {
      if (watches.size >= most) return failed({ kind: "watches", most })
      const understood = await background.matching("", ask.pattern, signal)
      if (!understood.ok) return failed({ kind: "filter", failure: understood.failure })
      const watch: Watch = {
        ask,
        decoder: new TextDecoder(),
        stops: [],
        pending: "",
        left: ask.times,
        isDue: false,
        looking: Promise.resolve(),
      }
      const unsubscribe = background.onOutput(ask.id, (chunk) => bufferOutput(watch, chunk))
      if (!unsubscribe) return failed({ kind: "unknown", id: ask.id, known: background.list() })
      watch.stops.push(
        unsubscribe,
        clock.after(ask.ms, () => {
          end(watch)
          if (watch.left === ask.times) announce(nothingWords(ask))
        }),
      )
      watches.add(watch)
      return ok(undefined)
    },
    untold: () => untold.map(({ number: _number, ...attachment }) => attachment),
    markTold: ({ data }) => void (untold = untold.filter((one) => one.number !== data?.match)),
    commandEnded(id) {
      for (const watch of watches)
        if (watch.ask.id === id) {
          scanPending(watch, "everything")
          void watch.looking.then(() => end(watch))
        }
    },
    close() {
      for (const watch of watches) end(watch)
    },
  }
}

const matchWords = (id: string, pattern: string, text: string, left: number): string => {
  const lines = text.trimEnd().split("\n")
  const shown = lines.slice(0, mostLines).join("\n").slice(0, mostCharacters).toWellFormed()
  const rest = lines.length > mostLines ? ` (the first ${mostLines} of ${lines.length})` : ""
  const next = left === 0 ? "It is not watched any more." : "It is still watched."
  return `Background command ${id} printed what you watch for (${escapeImitations(pattern)}). The lines${rest}, as data:\n${escapeImitations(shown)}\n${next}`
}

const nothingWords = ({ id, pattern, ms }: WatchAsk): string =>
  `Background command ${id} printed no line that matches ${escapeImitations(pattern)} within ${Math.round(ms / 1000)} s. It is not watched any more.`
