/** One prompt to a session and what comes of it: questions in between, progress, and its end. */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import { channel } from "#lib/channel.ts"
import type { Ids } from "#lib/ids.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { SessionPort } from "#session/port/session.ts"

/** A question that waits for an answer. `closed`: it is answered or withdrawn. */
export interface OpenQuestion {
  readonly question: Question
  readonly closed: AbortSignal
}

export type RunStep =
  | { readonly kind: "asks"; readonly asked: OpenQuestion }
  /** `entries`: all of the turn. */
  | { readonly kind: "ended"; readonly end: End; readonly entries: readonly Entry[] }

export interface SessionRun {
  /** The next question or the end. */
  readonly next: () => Promise<RunStep>
  readonly answer: (asked: OpenQuestion, answer: Answer) => Promise<void>
  readonly cancel: () => void
}

export interface RunParts {
  readonly session: SessionPort
  readonly prompt: string
  readonly ids: Ids
  readonly onProgress: (message: string) => void
}

export function startRun({ session, prompt, ids, onProgress }: RunParts): SessionRun {
  const promptId = ids.uuid()
  const steps = channel<RunStep>()
  const reader = steps[Symbol.asyncIterator]()
  const open = new Map<string, AbortController>()
  const entries: Entry[] = []
  /** Whether the running turn is the one of this prompt. */
  let isOwn = false

  const finish = (end: End): void => {
    steps.push({ kind: "ended", end, entries })
    steps.close()
  }

  /** Whether it is over. */
  function onEntry(entry: Entry): boolean {
    if (entry.kind === "prompt" && entry.promptId === promptId) isOwn = true
    if (isOwn) entries.push(entry)
    if (entry.kind === "unsent" && entry.promptId === promptId) {
      finish({ reason: "blocked_by_hook", message: entry.why })
      return true
    }
    if (entry.kind !== "turn_end" || !isOwn) return false
    finish(entry)
    return true
  }

  function ask(question: Question): void {
    if (open.has(question.id)) return
    const closed = new AbortController()
    open.set(question.id, closed)
    steps.push({ kind: "asks", asked: { question, closed: closed.signal } })
  }

  function onEvent(event: Event): boolean {
    switch (event.type) {
      case "entry":
        return onEntry(event.entry)
      case "question_open":
        ask(event.question)
        return false
      case "question_close":
        open.get(event.questionId)?.abort()
        return false
      case "tool_start":
        onProgress(event.title)
        return false
      case "tool_progress":
        onProgress(event.progress.output)
        return false
      case "child":
        if (event.event.type === "tool_start") onProgress(event.event.title)
        return false
      default:
        return false
    }
  }

  async function follow(): Promise<void> {
    const events = session.events("now")
    const op = { type: "prompt", content: [{ type: "text", text: prompt }], when: "queue", promptId } as const
    // Nobody typed it: it names no files to read, and nothing in it is a command.
    const submitted = await session.submit({ ...op, origin: { kind: "made" }, as: "text" })
    if (!submitted.ok) return finish({ reason: "error", message: opFailureWords(submitted.failure) })
    // A resumed session may have asked before.
    for (const question of await session.ask({ type: "questions" })) ask(question)
    for await (const event of events) if (onEvent(event)) return
    finish({ reason: "aborted", message: "The session was closed." })
  }

  void follow()
  return {
    async next() {
      for (;;) {
        const { value: step } = await reader.next()
        if (!step) return { kind: "ended", end: { reason: "aborted" }, entries }
        if (step.kind === "ended" || !step.asked.closed.aborted) return step
      }
    },
    async answer({ question: { id: questionId, digest } }, answer) {
      await session.submit({ type: "answer", questionId, answer, digest })
    },
    cancel: () => void session.submit({ type: "interrupt", withdraw: "mcp" }),
  }
}
