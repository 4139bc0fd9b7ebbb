/** The one door to a conversation: ops in, numbered events out. It drives the loop; faces only watch and ask. */

import type { Agent } from "#agent/agent.ts"
import { run } from "#agent/loop.ts"
import type { End } from "#agent/words/end.ts"
import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { Question } from "#agent/words/question.ts"
import type { Ids } from "#lib/ids.ts"
import { never } from "#lib/never.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Feed } from "./feed.ts"
import type { Inbox, Waiting } from "./inbox.ts"
import type { Questions } from "./questions.ts"
import type { Recorder } from "./recorder.ts"
import type { SessionState } from "./state.ts"

export interface Session {
  readonly id: string
  /** What does not change while it is open. */
  readonly about: SessionAbout
  readonly submit: (op: Op) => Result<void, OpFailure>
  /** Entries after the number (0: all of them), then everything as it happens. */
  readonly events: (after: number) => AsyncIterable<Event>
  readonly state: () => SessionState
  readonly openQuestions: () => readonly Question[]
  /** Resolves when no turn is running. */
  readonly settled: () => Promise<void>
  /** Ends the turn, the tools and the log. Nothing is left behind. */
  readonly close: () => Promise<void>
}

export interface SessionAbout {
  readonly cwd: string
  readonly tools: readonly string[]
  readonly logPath: string | undefined
  readonly addedFolders: readonly string[]
  /** The number of the last event that was there before it was opened: 0 for a new session. */
  readonly entriesBefore: number
  /** What was noticed while opening, for the person. */
  readonly notes: readonly string[]
}

export type OpFailure =
  | { readonly kind: "closed" }
  | { readonly kind: "empty_prompt" }
  | { readonly kind: "no_such_question"; readonly questionId: string }
  | { readonly kind: "mode_not_available"; readonly mode: string }

export interface Parts {
  readonly id: string
  readonly about: SessionAbout
  readonly agent: Agent
  readonly recorder: Recorder
  readonly feed: Feed
  readonly inbox: Inbox
  readonly questions: Questions
  readonly ids: Ids
  readonly state: () => SessionState
  readonly bypassAvailable: boolean
  /** From here on, what is interrupted has only so long to end. */
  readonly hurry: (graceMs: number) => void
  readonly close: () => Promise<void>
}

export function openDoor(parts: Parts): Session & { readonly interrupt: () => void } {
  const { recorder, inbox, feed, questions, ids } = parts
  let turn: AbortController | undefined
  let driving: Promise<void> | undefined
  let goesOn = false
  let closed = false
  let closing: Promise<void> | undefined

  async function drive(): Promise<void> {
    try {
      for (let next = inbox.take(); next && !closed; next = inbox.take()) {
        const end = await takeTurn(next)
        tellQueue()
        // An interrupt keeps the queue; a prompt that came after it says that it goes on.
        if (end.reason === "aborted" && !goesOn) return
      }
    } finally {
      // In the same moment as the last look at the inbox, or a prompt that comes in between would wait for ever.
      driving = undefined
    }
  }

  async function takeTurn({ promptId, content }: Waiting): Promise<End> {
    const turnId = ids.uuid()
    turn = new AbortController()
    goesOn = false
    recorder.record({ kind: "turn_start", turnId })
    recorder.record({ kind: "prompt", promptId, content })
    // What cannot be recorded does not happen: not in the turn in which the log failed, nor in any later one.
    if (recorder.failure()) turn.abort()
    const end = await run(parts.agent, turn.signal).catch(mistake)
    const failure = recorder.failure()
    const honest: End = failure ? { reason: "error", cause: "log", message: logWords(failure) } : end
    recorder.record({ kind: "turn_end", turnId, ...honest })
    turn = undefined
    await recorder.sync()
    return honest
  }

  function prompt(op: Op & { type: "prompt" }): Result<void, OpFailure> {
    const content = op.content.filter((block) => block.type !== "text" || block.text.trim() !== "")
    if (content.length === 0) return failed({ kind: "empty_prompt" })
    const waiting: Waiting = { promptId: ids.uuid(), content, when: op.when }
    // Whatever has to wait is in the log first, also behind what an interrupt or a crash left waiting.
    const waits = driving !== undefined || inbox.texts().length > 0
    if (waits) recorder.record({ kind: "queued", ...waiting })
    inbox.put(waiting)
    if (driving && (turn === undefined || turn.signal.aborted)) goesOn = true
    if (waits) tellQueue()
    driving ??= drive()
    return ok(undefined)
  }

  const tellQueue = (): void => feed.publish({ type: "queue_change", texts: inbox.texts() })

  const interrupt = (graceMs?: number): void => {
    if (graceMs !== undefined) parts.hurry(graceMs)
    turn?.abort()
  }

  async function shut(): Promise<void> {
    closed = true
    interrupt()
    while (driving) await driving
    try {
      await parts.close()
    } finally {
      feed.close()
    }
  }

  return {
    id: parts.id,
    about: parts.about,
    interrupt,
    state: parts.state,
    openQuestions: questions.open,
    events: (after) => feed.after(after),
    submit(op) {
      if (closed) return failed({ kind: "closed" })
      switch (op.type) {
        case "prompt":
          return prompt(op)
        case "answer":
          return questions.answer(op.questionId, op.answer)
            ? ok(undefined)
            : failed({ kind: "no_such_question", questionId: op.questionId })
        case "interrupt":
          interrupt(op.graceMs)
          return ok(undefined)
        case "set_mode":
          if (op.mode === "bypassPermissions" && !parts.bypassAvailable)
            return failed({ kind: "mode_not_available", mode: op.mode })
          recorder.record({ kind: "mode", mode: op.mode })
          return ok(undefined)
        case "set_model":
          recorder.record({ kind: "model", model: op.model, why: "chosen" })
          return ok(undefined)
        default:
          return never(op)
      }
    },
    async settled() {
      while (driving) await driving
    },
    close: () => (closing ??= shut()),
  }
}

const mistake = (error: unknown): End => ({
  reason: "error",
  cause: "mistake",
  message: `Codewright made a mistake of its own: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
})

const logWords = (failure: { readonly path: string; readonly message: string }): string =>
  `The session could not be saved: ${failure.message} (${failure.path}). The turn was ended so that nothing happens unrecorded.`
