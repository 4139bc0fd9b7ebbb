/** A conversation in plain lines: prompts are read as lines, everything else is printed as it happens. */

import type { Event } from "#agent/words/event.ts"
import { backgroundWork } from "#faces/view/background-work.ts"
import { openLastAnswer } from "#faces/view/last-answer.ts"
import type { Clock } from "#lib/clock.ts"
import { counted } from "#lib/figures.ts"
import type { Ids } from "#lib/ids.ts"
import { forConsent } from "#lib/printable.ts"
import type { NextConversation } from "#session/opening/program.ts"
import type { Session } from "#session/port/session.ts"
import { openFloor } from "./floor.ts"
import type { LineInput } from "./input.ts"
import { type SubmitOutcome, openLineSubmitter } from "./submit-line.ts"
import { interruptInLines, withdrawInLines } from "./unsent.ts"
import { openWatch } from "./watch.ts"

export interface LinesRun {
  readonly session: Session
  readonly prompt: string | undefined
  readonly write: (text: string) => void
  /** Words for the user as lines that fit, the last one ended. */
  readonly lines: (text: string) => string
  /** 0 where there is no terminal. */
  readonly columns: () => number
  readonly copy: (text: string) => void
  readonly openInput: (keys: LineKeys) => LineInput
  readonly clock: Clock
  readonly ids: Ids
}

export interface LineKeys {
  readonly unasked: (line: string) => void
  /** Ctrl+C; `idle` if there was nothing to interrupt. */
  readonly interrupt: () => Promise<"done" | "idle">
  /** Ctrl+D, or the second Ctrl+C. */
  readonly quit: () => void
}

/** The session is still open, and is to continue in the background with these words. */
export interface MovesToBackground {
  readonly background: string
}

/**
 * Until the user quits or the input ends; closes the session. Returns the conversation to continue with, if one was
 * chosen.
 */
export async function runLines(run: LinesRun): Promise<NextConversation | MovesToBackground | undefined> {
  const { session, prompt, write, clock, ids } = run
  const left = new AbortController()
  let instead: NextConversation | undefined
  let moves: MovesToBackground | undefined
  let asking: AbortController | undefined
  let isQuitting = false
  let queue: readonly string[] = []
  const floor = openFloor(write)
  const writing = { write, lines: run.lines }
  const last = openLastAnswer({ copy: run.copy, note: (text) => write(`${text}\n`) })
  const { submit, isTyped } = openLineSubmitter({ session, ids, ...writing, ask, queue: () => queue, copy: last.copy })
  // What is said while a turn runs goes in after the tools under way.
  const input = run.openInput({
    unasked: (line) => void submitLine(line, "steer"),
    interrupt,
    quit: () => void leave(),
  })
  const { opened, isShared } = await session.ask({ type: "about" })
  const watch = openWatch({
    session,
    after: opened,
    input,
    clock,
    ...writing,
    columns: run.columns,
    floor,
    isTyped,
    onEvent: follow,
  })

  function follow(event: Event): void {
    last.onEvent(event)
    if (event.type === "queue_change") queue = event.texts
  }

  /** Ctrl+C cancels it. */
  function ask(words: string): Promise<string | undefined> {
    return floor.quietly(() => askNow(words))
  }

  /** Even while the agent has a question open: the last one is answered first. */
  function askNow(words: string): Promise<string | undefined> {
    asking = new AbortController()
    return input.ask(words, AbortSignal.any([asking.signal, left.signal])).finally(() => (asking = undefined))
  }

  async function interrupt(): Promise<"done" | "idle"> {
    if (asking && !isQuitting) {
      asking.abort()
      return "done"
    }
    const { turns, lastEnd } = await session.ask({ type: "state" })
    if (turns === 0 || lastEnd !== undefined) return "idle"
    await session.submit(interruptInLines)
    return "done"
  }

  async function submitLine(line: string, when: "steer" | "queue"): Promise<void> {
    const outcome = await submit(line, when)
    if (outcome === "said") return
    if (outcome.kind === "leaves") return leave(outcome)
    moves = { background: outcome.prompt }
    left.abort()
  }

  async function leave(heard: Extract<SubmitOutcome, { kind: "leaves" }> = { kind: "leaves" }): Promise<void> {
    // A second wish to quit is the answer.
    const mayLeave = isQuitting || (await mayQuit())
    if (!mayLeave) return input.again()
    instead = heard.instead
    left.abort()
    void session.submit({ type: "interrupt" })
  }

  /** Background work ends with the session, so the user is asked first. */
  async function mayQuit(): Promise<boolean> {
    const [commands, agents] = await Promise.all([session.ask({ type: "background" }), session.ask({ type: "agents" })])
    const work = backgroundWork(commands, agents)
    if (work.length === 0) return true
    isQuitting = true
    const tasks = counted(work.length, "background task")
    write([`Quitting stops ${tasks}:`, ...work.map((one) => `  ${forConsent(one)}`), ""].join("\n"))
    const words = await (watch.isAsking() ? askNow : ask)(`Quit and stop ${tasks}? yes or no: `)
    isQuitting = false
    return left.signal.aborted || words === undefined || /^\s*y(?:es)?\s*$/i.test(words)
  }

  // What an earlier run left queued is not sent without being seen.
  if (opened !== "beginning" && isShared !== true) await session.submit(withdrawInLines)
  let next = prompt ?? (await input.ask("> ", left.signal))
  while (next !== undefined) {
    await submitLine(next, "queue")
    await watch.caughtUp()
    next = await input.ask("> ", left.signal)
  }
  if (moves) return moves
  await session.close()
  await watch.ended
  return instead
}
