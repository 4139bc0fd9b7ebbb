/** Events as plain lines: for dumb terminals, screen readers and logs. */

import type { Display } from "#agent/words/display.ts"
import type { Event } from "#agent/words/event.ts"
import { textOf } from "#agent/words/message.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import { never } from "#lib/never.ts"
import { printable, revealed } from "#lib/printable.ts"

const bodyLines = 12

/** What an event prints, if anything. Text is printed as it streams; everything else as whole lines. */
export function drawEvent(event: Event): string {
  switch (event.type) {
    case "model_delta":
      if (event.delta.type === "text_delta") return printable(event.delta.text)
      return event.delta.type === "block_stop" ? "\n" : ""
    case "tool_start":
      return `* ${revealed(event.title)}\n`
    case "retry_wait": {
      const { attempt, of, delayMs, failure } = event.retry
      return `! ${printable(failure.message)} Trying again in ${Math.ceil(delayMs / 1000)} s (${attempt} of ${of}).\n`
    }
    case "entry":
      return drawEntry(event)
    default:
      return ""
  }
}

function drawEntry({ entry }: Event & { type: "entry" }): string {
  switch (entry.kind) {
    case "result": {
      const body = entry.display ? drawDisplay(entry.display) : textOf(entry.content)
      return indented(entry.isError ? `failed: ${textOf(entry.content)}` : body)
    }
    case "notice":
      return `! ${printable(entry.text)}\n`
    case "turn_end":
      return entry.reason === "completed" ? "" : `! ${printable(entry.message ?? `The turn ended: ${entry.reason}.`)}\n`
    default:
      return ""
  }
}

function drawDisplay(display: Display): string {
  switch (display.kind) {
    case "text":
      return display.text
    case "diff":
      return display.hunks.flatMap(({ lines }) => lines).join("\n")
    case "terminal":
      return display.output
    case "list":
      return display.items.join("\n")
    case "image":
      return `[image ${display.path}, ${display.bytes} bytes]`
    default:
      return never(display)
  }
}

function indented(text: string): string {
  const lines = revealed(text).trimEnd().split("\n")
  const shown =
    lines.length <= bodyLines ? lines : [...lines.slice(0, bodyLines), `... ${lines.length - bodyLines} more lines`]
  return shown.map((line) => `    ${line}\n`).join("")
}

/** What a person must see before they answer. */
export function drawQuestion(ask: QuestionAsk): string {
  switch (ask.kind) {
    case "permission":
      return `? ${revealed(ask.title)}\n${indented(JSON.stringify(ask.input, null, 2))}  ${printable(ask.decision.message)}\n`
    case "choice":
      return ask.questions
        .map(({ question, options }) => {
          const list = options.map(
            ({ label, description }, i) => `    ${i + 1}. ${revealed(label)}: ${revealed(description)}`,
          )
          return `? ${revealed(question)}\n${list.join("\n")}\n`
        })
        .join("")
    default:
      return never(ask)
  }
}
