/**
 * A summary made ahead of a compaction, while the user thinks. It is asked for once, recorded, and used when the
 * conversation has to be compacted and has only grown since: see decision 151.
 */

import { byKind, type ConversationFollower, type OnEntry } from "#agent/words/follower.ts"
import type { Message } from "#agent/words/message.ts"
import { tokensOfMessages } from "#agent/words/weight.ts"
import type { Levels } from "./levels.ts"

export interface SummaryAhead {
  readonly text: string
  /** Messages before this one are in it. */
  readonly at: number
  /** Files that the model has seen or written since. */
  readonly files: readonly string[]
}

export interface AheadPorts {
  /** Whether one may be made ahead in this session now. */
  readonly isWanted: () => boolean
  /** Whether entries happen now, rather than being read from the log. */
  readonly isAwake: () => boolean
  readonly messages: () => readonly Message[]
  /** Asks for a summary of these messages, and records the answer; resolves when that is done, whatever came of it. */
  readonly prepare: (signal: AbortSignal) => Promise<void>
}

export interface Ahead {
  readonly onEntry: OnEntry
  readonly conversation: ConversationFollower
  /** The one for the conversation as it is, if what came since has at most this many tokens. Waits for one under way. */
  readonly usable: (mostTokens: number, signal: AbortSignal) => Promise<SummaryAhead | undefined>
  /** It is not needed any more. */
  readonly stop: () => void
  readonly close: () => Promise<void>
}

/** How near the conversation is to being compacted when a summary is made, as a share of what it may have. */
const nearShare = 1 / 8
/** How much of that share the messages may take that a summary does not cover. */
const keptShare = 1 / 4

/** From this many tokens on, a summary is made ahead. */
export const aheadFrom = ({ auto }: Levels, fixedTokens: number): number =>
  auto - Math.floor(Math.max(0, auto - fixedTokens) * nearShare)

export const mostSince = ({ auto }: Levels, fixedTokens: number): number =>
  Math.floor(Math.max(0, auto - fixedTokens) * keptShare)

interface AheadState {
  /** Asked for once: what came to nothing is not paid for again until the conversation is another. */
  readonly isAsked: boolean
  readonly made?: { readonly text: string; readonly at: number }
}

const blank: AheadState = { isAsked: false }

export function openAhead(ports: AheadPorts): Ahead {
  let state = blank
  let files = new Set<string>()
  let running: { readonly stop: AbortController; readonly done: Promise<void> } | undefined

  function consider(): void {
    if (running || state.isAsked || state.made || !ports.isAwake() || !ports.isWanted()) return
    if (ports.messages().at(-1)?.role !== "assistant") return
    const stop = new AbortController()
    const done = ports.prepare(stop.signal).finally(() => {
      if (running?.stop === stop) running = undefined
    })
    running = { stop, done }
  }

  function forget(): void {
    running?.stop.abort()
    state = blank
    files = new Set()
  }

  const onConversation: OnEntry = byKind({
    request({ summary }) {
      if (!summary?.ahead) return
      state = { isAsked: true }
      files = new Set()
    },
    summary({ text, covers }) {
      state = { isAsked: true, made: { text, at: covers } }
    },
    result({ seen = [] }) {
      for (const { path } of seen) files.add(path)
    },
    // These replace messages, so that nothing is where it was.
    shrink({ rung }) {
      if (rung === "turns" || rung === "summary") forget()
    },
    compaction: forget,
  })

  return {
    onEntry: byKind({ turn_end: () => void Promise.resolve().then(consider) }),
    conversation: { reset: forget, onEntry: onConversation },
    async usable(mostTokens, signal) {
      await untilDone(running?.done, signal)
      const { made } = state
      if (!made || signal.aborted) return undefined
      const messages = ports.messages()
      const since = messages.slice(made.at)
      const isGrown = messages[made.at - 1]?.role === "assistant" && since[0]?.role !== "assistant"
      return isGrown && tokensOfMessages(since) <= mostTokens ? { ...made, files: [...files] } : undefined
    },
    stop: () => running?.stop.abort(),
    async close() {
      running?.stop.abort()
      await running?.done
    },
  }
}

function untilDone(done: Promise<void> | undefined, signal: AbortSignal): Promise<void> | undefined {
  if (!done || signal.aborted) return undefined
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
    void done.then(resolve)
  })
}
