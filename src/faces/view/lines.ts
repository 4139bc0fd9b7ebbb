/** Events as plain lines: for dumb terminals, screen readers and logs. */

import type { Display } from "#agent/words/display.ts"
import type { EndReason } from "#agent/words/end.ts"
import { goalNotice } from "#agent/words/goal-words.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Happening } from "#agent/words/event.ts"
import { textOf } from "#agent/words/message.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import type { TodoStatus } from "#agent/words/todo.ts"
import { sizeText, wholeNumber } from "#lib/figures.ts"
import { never } from "#lib/never.ts"
import type { AskingAgent } from "#agent/words/child.ts"
import { askerOf } from "./asker.ts"
import { forConsent, stripControls, forReview } from "#lib/printable.ts"
import { openStreamWrap } from "#lib/wrap-stream.ts"
import { wrapWords } from "#lib/wrap-words.ts"
import { questionLines } from "./question-lines.ts"
import { gateNotice } from "./gate-notice.ts"
import { denialWords, refusalOf } from "./refusal.ts"
import { retryWords } from "./retry-words.ts"

const bodyLines = 12

export interface Drawing {
  /** Text is printed as it streams, everything else in whole lines. */
  readonly draw: (event: Happening) => string
  /** Everything the user must see before answering, with nothing hidden. */
  readonly drawQuestion: (ask: QuestionAsk, agent?: AskingAgent) => string
}

/** Remembers whether a line is open, so that whole lines start on a new one. Without columns nothing is wrapped. */
export function openDrawing(columns: () => number = () => 0): Drawing {
  const wrap = openStreamWrap(columns)
  let open = false
  const questions = new Map<string, string>()
  const refusals = new Map<string, string>()

  function note(entry: Entry): void {
    if (entry.kind === "question") questions.set(entry.question.id, entry.question.ask.callId)
    const callId = entry.kind === "answer" ? questions.get(entry.questionId) : undefined
    const refusal = entry.kind === "answer" ? refusalOf(entry.answer) : undefined
    if (callId !== undefined && refusal !== undefined) refusals.set(callId, refusal)
    if (entry.kind === "decision" && entry.behavior === "deny" && !refusals.has(entry.callId))
      refusals.set(entry.callId, denialWords(entry.reason))
  }

  const streamed = (text: string): string => {
    if (text !== "") open = !text.endsWith("\n")
    return wrap.push(text)
  }
  const whole = (lines: string): string => {
    if (lines === "") return ""
    const before = open ? wrap.rest() + wrap.push("\n") : ""
    open = false
    return before + lines
  }
  const prose = (words: string): string => whole(columns() > 0 ? wrapWords(words, columns()) : words)

  return {
    drawQuestion: (ask, agent) =>
      whole((agent === undefined ? "" : `Asked by ${askerOf(agent)}:\n`) + questionLines(ask, agent)),
    draw(event) {
      switch (event.type) {
        case "model_delta":
          if (event.delta.type === "text_delta") return streamed(stripControls(event.delta.text))
          return event.delta.type === "block_stop" && open ? streamed("\n") : ""
        case "tool_start":
          return whole(`* ${forConsent(event.title)}\n`)
        case "retry_wait":
          return prose(`Warning: ${stripControls(retryWords(event.retry))}\n`)
        case "entry":
          note(event.entry)
          return isProse(event.entry)
            ? prose(drawEntry(event.entry, refusals))
            : whole(drawEntry(event.entry, refusals))
        default:
          return ""
      }
    },
  }
}

function drawEntry(entry: Entry, refusals: ReadonlyMap<string, string>): string {
  switch (entry.kind) {
    case "result": {
      const refusal = refusals.get(entry.callId)
      if (entry.denied || (refusal !== undefined && entry.isError && !entry.display))
        return indented(forReview(refusal ?? "Denied").split("\n"))
      const body = entry.display ? drawDisplay(entry.display) : textOf(entry.content)
      return shortened(entry.isError ? `Failed: ${body}` : body)
    }
    case "shell":
      return entry.output === "" ? "" : `${stripControls(entry.output.trimEnd())}\n`
    case "gates": {
      const text = gateNotice(entry)
      return text === "" ? "" : `${noticeWords.info}${stripControls(text)}\n`
    }
    case "goal": {
      const text = goalNotice(entry)
      return text === "" ? "" : `${noticeWords.info}${stripControls(text)}\n`
    }
    case "attachment":
      return typeof entry.data?.shown === "string" ? `${noticeWords.info}${stripControls(entry.data.shown)}\n` : ""
    case "notice":
      return `${noticeWords[entry.level]}${stripControls(entry.text)}\n`
    case "turn_end":
      // The call that was declined has said so.
      if (entry.reason === "completed" || entry.cause === "declined") return ""
      return `${stripControls(entry.message ?? endWords[entry.reason])}\n`
    default:
      return ""
  }
}

/** Not what tools and commands printed. */
const isProse = ({ kind }: Entry): boolean => kind === "notice" || kind === "turn_end"

const noticeWords = { info: "Note: ", warning: "Warning: ", error: "Error: " } as const

export const endWords: { readonly [reason in EndReason]: string } = {
  completed: "Done.",
  aborted: "Interrupted.",
  max_turns: "Turn limit reached.",
  max_budget: "Budget used up.",
  blocked_by_hook: "A hook stopped the turn.",
  structured_output_retry_exhausted: "No output fits the schema.",
  error: "The turn ended with an error.",
}

function drawDisplay(display: Display): string {
  switch (display.kind) {
    case "text":
      return display.text
    case "diff":
      return display.hunks.flatMap(({ lines }) => lines).join("\n")
    case "diffs":
      return display.files.flatMap(({ path, hunks }) => [path, ...hunks.flatMap(({ lines }) => lines)]).join("\n")
    case "terminal":
      return display.output
    case "list":
      return display.items.join("\n")
    case "todos":
      return display.todos.map(({ content, status }) => `${todoMarks[status]} ${content}`).join("\n")
    case "plan":
      return display.text
    case "image":
      return `[image ${display.path}, ${sizeText(display.bytes)}]`
    default:
      return never(display)
  }
}

const todoMarks: { readonly [status in TodoStatus]: string } = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
}

function shortened(text: string): string {
  const lines = (forReview(text).trimEnd() || "(no output)").split("\n")
  const more = lines.length - bodyLines
  return indented(more <= 1 ? lines : [...lines.slice(0, bodyLines), `... ${wholeNumber(more)} more lines`])
}

const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}\n`).join("")
