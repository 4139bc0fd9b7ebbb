/** A conversation in plain lines: prompts are read as lines, everything else is printed as it happens. */

import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { Session } from "#session/session.ts"
import { drawEvent, drawQuestion } from "#faces/view/lines.ts"

export interface LinesRun {
  readonly session: Session
  /** The first prompt, if it was given with the command. */
  readonly prompt: string | undefined
  readonly write: (text: string) => void
  /** The next line a person types; nothing at the end of input. */
  readonly readLine: (prompt: string) => Promise<string | undefined>
}

export async function runLines(run: LinesRun): Promise<number> {
  const { session } = run
  const watching = watch(run)
  let next = run.prompt ?? (await run.readLine("> "))
  while (next !== undefined) {
    if (next.trim() === "/exit" || next.trim() === "/quit") break
    const submitted = session.submit({ type: "prompt", content: [{ type: "text", text: next }], when: "queue" })
    if (submitted.ok) await session.settled()
    next = await run.readLine("> ")
  }
  await session.close()
  await watching
  return 0
}

async function watch(run: LinesRun): Promise<void> {
  for await (const event of run.session.events(run.session.about.entriesBefore)) {
    run.write(drawEvent(event))
    if (event.type !== "question_open") continue
    const { id, ask } = event.question
    run.write(drawQuestion(ask))
    const answer = await readAnswer(ask, run)
    run.session.submit({ type: "answer", questionId: id, answer })
  }
}

async function readAnswer(ask: QuestionAsk, { readLine }: LinesRun): Promise<Answer> {
  if (ask.kind === "choice") {
    const answers: { [question: string]: string } = {}
    for (const { question, options } of ask.questions) {
      const line = (await readLine("  number or your own words: ")) ?? ""
      answers[question] = options[Number(line) - 1]?.label ?? line
    }
    return { kind: "choices", answers }
  }
  const line = (await readLine("  yes, no, or what to do instead: "))?.trim()
  if (line === undefined) return { kind: "unanswered", why: "the input ended" }
  if (/^y(es)?$/i.test(line)) return { kind: "allow" }
  if (line === "" || /^no?$/i.test(line)) return { kind: "deny", interrupt: true }
  return { kind: "deny", words: line, interrupt: false }
}
