/** Prints what happens, and asks questions one at a time. */

import type { Cursor, Event } from "#agent/words/event.ts"
import { textOf } from "#agent/words/message.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import { openDrawing } from "#faces/view/lines.ts"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { stripControls } from "#lib/printable.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { SessionPort } from "#session/port/session.ts"
import { readAnswer } from "./answer.ts"
import type { Floor } from "./floor.ts"
import type { LineInput } from "./input.ts"
import { unsentLines } from "./unsent.ts"

export interface LinesWatch {
  /** Resolves when nothing is running and everything so far is printed. */
  readonly caughtUp: () => Promise<void>
  readonly isAsking: () => boolean
  /** Resolves when the session is closed and everything is printed. */
  readonly ended: Promise<void>
}

interface Waiting {
  readonly question: Question
  readonly withdrawn: AbortController
}

export function openWatch(parts: {
  readonly session: SessionPort
  readonly after: Cursor | "beginning"
  readonly input: LineInput
  readonly clock: Clock
  readonly write: (text: string) => void
  /** Words for the user as lines that fit, the last one ended. */
  readonly lines: (text: string) => string
  readonly columns: () => number
  readonly floor: Floor
  /** Prompts typed here are already on the screen. */
  readonly isTyped: (promptId: string) => boolean
  readonly onEvent: (event: Event) => void
}): LinesWatch {
  const { session, input, clock, write, floor } = parts
  const { print } = floor
  const drawing = openDrawing(parts.columns)
  const waiting: Waiting[] = []
  const closedIds = new Set<string>()
  let shown: Waiting | undefined
  let isAsking = false
  const printed = new Set<Cursor>([parts.after])
  let progress = deferred<void>()
  let closed = false

  async function follow(): Promise<void> {
    const events = session.events(parts.after)
    void askedBefore()
    for await (const event of events) onEvent(event)
    closed = true
    progress.resolve()
  }

  async function askedBefore(): Promise<void> {
    const open = await session.ask({ type: "questions" })
    for (const question of open.filter(({ id }) => !closedIds.has(id))) opens(question)
  }

  function opens(question: Question): void {
    const before = (shown ? [shown, ...waiting] : waiting).filter((other) => other.question.id === question.id)
    if (before.some((other) => other.question.digest === question.digest && !other.withdrawn.signal.aborted)) return
    // It has changed: what was shown is no longer what would be answered.
    for (const { withdrawn } of before) withdrawn.abort()
    waiting.push({ question, withdrawn: new AbortController() })
    if (!isAsking) void askAll()
  }

  function onEvent(event: Event): void {
    parts.onEvent(event)
    print(drawing.draw(event))
    for (const line of unsentLines(event)) print(`! ${line}\n`)
    switch (event.type) {
      case "question_open":
        opens(event.question)
        break
      case "question_close":
        closedIds.add(event.questionId)
        for (const { question, withdrawn } of shown ? [shown, ...waiting] : waiting)
          if (question.id === event.questionId) withdrawn.abort()
        break
      case "entry": {
        const { entry } = event
        // What a command became is not what was typed, and was typed all the same.
        if (entry.kind === "prompt" && !entry.command && !parts.isTyped(entry.promptId))
          print(`> ${stripControls(textOf(entry.content))}\n`)
        if (entry.kind === "command" && !entry.isError) print(parts.lines(entry.text))
        printed.add(event.cursor)
        moveOn()
        break
      }
    }
  }

  function moveOn(): void {
    progress.resolve()
    progress = deferred()
  }

  async function send({ id, digest }: Question, answer: Answer): Promise<void> {
    const done = await session.submit({ type: "answer", questionId: id, answer, digest })
    if (done.ok || done.failure.kind !== "stale") return
    print(`! ${opFailureWords(done.failure)}\n`)
    await askedBefore()
  }

  async function askAll(): Promise<void> {
    isAsking = true
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const one = next
      shown = one
      await floor.quietly(() => askOne(one))
      shown = undefined
    }
    isAsking = false
    input.again()
  }

  async function askOne({ question, withdrawn }: Waiting): Promise<void> {
    if (withdrawn.signal.aborted) return
    const more = waiting.length === 0 ? "" : `  ${waiting.length} more after this one.\n`
    write(drawing.drawQuestion(question.ask, question.agent) + more)
    const answer = await readAnswer(question, { input, clock, signal: withdrawn.signal })
    if (answer) void send(question, answer)
  }

  return {
    ended: follow(),
    isAsking: () => isAsking,
    async caughtUp() {
      const { cursor } = await session.ask({ type: "settled" })
      while (!closed && !printed.has(cursor)) await progress.promise
    },
  }
}
