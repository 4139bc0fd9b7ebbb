/** Prints what happens, and brings questions to the person one at a time. */

import type { Event } from "#agent/words/event.ts"
import { type PromptBlock, textOf } from "#agent/words/message.ts"
import type { Question } from "#agent/words/question.ts"
import { openDrawing } from "#faces/view/lines.ts"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { printable } from "#lib/printable.ts"
import type { Session } from "#session/session.ts"
import { readAnswer } from "./answer.ts"
import type { LineInput } from "./input.ts"

export interface Watch {
  /** Resolves when the end of every turn so far, and of so many chores, has been printed. */
  readonly caughtUp: (chores: number) => Promise<void>
  /** Resolves when the session is closed and everything is printed. */
  readonly ended: Promise<void>
}

interface Waiting {
  readonly question: Question
  readonly withdrawn: AbortController
}

export function openWatch(parts: {
  readonly session: Session
  readonly input: LineInput
  readonly clock: Clock
  readonly write: (text: string) => void
  /** Whether the person sees this on the screen already, because they typed it at the prompt. */
  readonly isTyped: (block: PromptBlock) => boolean
}): Watch {
  const { session, input, clock, write } = parts
  const drawing = openDrawing()
  const turnsBefore = session.state().turns
  const waiting: Waiting[] = []
  let shown: Waiting | undefined
  let held = ""
  let ends = 0
  let choresOver = 0
  let progress = deferred<void>()
  let closed = false

  /** While a question is on the screen, everything else waits: nothing may push it away. */
  const print = (text: string): void => {
    if (shown) held += text
    else write(text)
  }

  async function follow(): Promise<void> {
    for await (const event of session.events(session.about.entriesBefore)) take(event)
    closed = true
    progress.resolve()
  }

  function take(event: Event): void {
    print(drawing.draw(event))
    switch (event.type) {
      case "question_open":
        waiting.push({ question: event.question, withdrawn: new AbortController() })
        if (!shown) void askAll()
        break
      case "question_close":
        for (const { question, withdrawn } of shown ? [shown, ...waiting] : waiting)
          if (question.id === event.questionId) withdrawn.abort()
        break
      case "chore":
        if (event.running) break
        choresOver++
        moveOn()
        break
      case "entry": {
        const { entry } = event
        // What a command became is not what was typed, and was typed all the same.
        if (entry.kind === "prompt" && !entry.command && !entry.content.some(parts.isTyped))
          print(`> ${printable(textOf(entry.content))}\n`)
        if (entry.kind === "command" && !entry.isError) print(`${printable(entry.text)}\n`)
        if (entry.kind !== "turn_end") break
        ends++
        moveOn()
        break
      }
    }
  }

  function moveOn(): void {
    progress.resolve()
    progress = deferred()
  }

  async function askAll(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { question, withdrawn } = next
      if (withdrawn.signal.aborted) continue
      const more = waiting.length === 0 ? "" : `  ${waiting.length} more after this one.\n`
      print(drawing.drawQuestion(question.ask) + more)
      shown = next
      const answer = await readAnswer(question.ask, { input, clock, signal: withdrawn.signal })
      if (answer) session.submit({ type: "answer", questionId: question.id, answer })
      shown = undefined
      const since = held
      held = ""
      write(since)
    }
  }

  return {
    ended: follow(),
    async caughtUp(chores) {
      while (!closed && (ends < session.state().turns - turnsBefore || choresOver < chores)) await progress.promise
    },
  }
}
