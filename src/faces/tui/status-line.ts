/** The status line that a command of the user draws: run when something changed, never by a timer, and only the newest counts. */

import type { Event } from "#agent/words/event.ts"
import type { Usage } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"
import { forConsent } from "#lib/printable.ts"
import type { Result } from "#lib/result.ts"
import type { Status } from "./state.ts"

export interface StatusLinePort {
  /** Runs the command with the facts on standard input and returns its output. */
  readonly draw: (facts: StatusLineFacts, signal: AbortSignal) => Promise<Result<string, string>>
  readonly padding: number
}

/** What changes during a session; the port knows the rest. */
export interface StatusLineFacts {
  readonly status: Pick<Status, "session" | "window" | "branch">
  readonly totals: Totals
}

interface Totals {
  readonly linesAdded: number
  readonly linesRemoved: number
  readonly apiMs: number
  /** Of the last answer; none yet when absent. */
  readonly usage?: Usage
}

export interface StatusLine {
  /** Changed facts redraw them a moment later. */
  readonly rows: (status: StatusLineFacts["status"]) => readonly string[]
  readonly onEvent: (event: Event) => void
  readonly close: () => void
}

const settleMs = 300
const mostRows = 3

export function openStatusLine(parts: {
  /** Absent if no command is set. */
  readonly port: StatusLinePort | undefined
  readonly clock: Clock
  readonly redraw: () => void
  /** Each failure once. */
  readonly showError: (text: string) => void
}): StatusLine {
  const { port, clock } = parts
  if (!port) return { rows: () => [], onEvent: () => {}, close: () => {} }
  const { draw: print, padding } = port
  const shownErrors = new Set<string>()
  let totals: Totals = { linesAdded: 0, linesRemoved: 0, apiMs: 0 }
  let drawnFor = ""
  let rows: readonly string[] = []
  let running: AbortController | undefined
  let cancel: (() => void) | undefined

  async function draw(facts: StatusLineFacts): Promise<void> {
    running?.abort()
    const own = new AbortController()
    running = own
    const printed = await print(facts, own.signal)
    if (own.signal.aborted) return
    rows = printed.ok ? rowsOf(printed.value, padding) : []
    if (!printed.ok && !shownErrors.has(printed.failure)) {
      shownErrors.add(printed.failure)
      parts.showError(`The status line command ${printed.failure}`)
    }
    parts.redraw()
  }

  return {
    rows(status) {
      const facts: StatusLineFacts = { status, totals }
      const now = JSON.stringify(facts)
      if (now !== drawnFor) {
        drawnFor = now
        cancel?.()
        cancel = clock.after(settleMs, () => void draw(facts))
      }
      return rows
    },
    onEvent(event) {
      if (event.type !== "entry") return
      const { entry } = event
      if (entry.kind === "reply_end") totals = { ...totals, apiMs: totals.apiMs + entry.durationMs, usage: entry.usage }
      if (entry.kind !== "result" || entry.isError || entry.display?.kind !== "diff") return
      const lines = entry.display.hunks.flatMap((hunk) => hunk.lines)
      const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length
      totals = {
        ...totals,
        linesAdded: totals.linesAdded + count("+"),
        linesRemoved: totals.linesRemoved + count("-"),
      }
    },
    close() {
      cancel?.()
      running?.abort()
    },
  }
}

const escape = "\u001b"
const colours = new RegExp(`(${escape}\\[[\\d;:]*m)`)

/** Colours stay; other escape sequences are shown as text. */
function rowsOf(printed: string, padding: number): readonly string[] {
  return printed
    .trimEnd()
    .split("\n")
    .slice(0, mostRows)
    .map((line) => {
      const safe = line.split(colours).map((part, i) => (i % 2 === 1 ? part : forConsent(part)))
      return `${" ".repeat(padding)}${safe.join("")}${safe.length > 1 ? "\u001b[0m" : ""}`
    })
}
