/** Events as plain lines: for dumb terminals, screen readers and logs. */

import type { Display } from "#agent/words/display.ts"
import { asChoices } from "#agent/words/elicitation.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Happening } from "#agent/words/event.ts"
import { textOf } from "#agent/words/message.ts"
import type { Retry } from "#agent/words/model.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import type { TodoStatus } from "#agent/words/todo.ts"
import type { JsonValue } from "#lib/json.ts"
import { never } from "#lib/never.ts"
import { bared, printable, revealed } from "#lib/printable.ts"
import { changeHeading } from "./changed-tool.ts"
import { denialWords, refusalOf } from "./refusal.ts"

const bodyLines = 12

export interface Drawing {
  /** What an event prints, if anything. Text is printed as it streams; everything else as whole lines. */
  readonly draw: (event: Happening) => string
  /** What a person must see before they answer: all of it, and nothing of it hidden. */
  readonly drawQuestion: (ask: QuestionAsk) => string
}

/** Keeps in mind whether a line is open, so that whole lines begin where lines begin. */
export function openDrawing(): Drawing {
  let open = false
  const questions = new Map<string, string>()
  const refusals = new Map<string, string>()

  /** Why a call is not made, which its result is told by. */
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
    return text
  }
  const whole = (lines: string): string => {
    if (lines === "") return ""
    const before = open ? "\n" : ""
    open = false
    return before + lines
  }

  return {
    drawQuestion: (ask) => whole(questionLines(ask)),
    draw(event) {
      switch (event.type) {
        case "model_delta":
          if (event.delta.type === "text_delta") return streamed(printable(event.delta.text))
          return event.delta.type === "block_stop" && open ? streamed("\n") : ""
        case "tool_start":
          return whole(`* ${bared(event.title)}\n`)
        case "retry_wait":
          return whole(`Warning: ${printable(retryWords(event.retry))}\n`)
        case "entry":
          note(event.entry)
          return whole(drawEntry(event.entry, refusals))
        default:
          return ""
      }
    },
  }
}

/** Why one waits, and for how long. */
export const retryWords = ({ attempt, of, delayMs, failure }: Retry): string =>
  `${failure.message} Retrying in ${Math.ceil(delayMs / 1000)} s (${attempt} of ${of - 1}).`

function drawEntry(entry: Entry, refusals: ReadonlyMap<string, string>): string {
  switch (entry.kind) {
    case "result": {
      const refusal = refusals.get(entry.callId)
      if (entry.denied || (refusal !== undefined && entry.isError && !entry.display))
        return indented(revealed(refusal ?? "Denied").split("\n"))
      const body = entry.display ? drawDisplay(entry.display) : textOf(entry.content)
      return shortened(entry.isError ? `Failed: ${body}` : body)
    }
    case "shell":
      return entry.output === "" ? "" : `${printable(entry.output.trimEnd())}\n`
    case "notice":
      return `${noticeWords[entry.level]}${printable(entry.text)}\n`
    case "turn_end":
      // The call that was declined has said so.
      if (entry.reason === "completed" || entry.cause === "declined") return ""
      return `${printable(entry.message ?? endWords[entry.reason])}\n`
    default:
      return ""
  }
}

const noticeWords = { info: "Note: ", warning: "Warning: ", error: "Error: " } as const

const endWords: { readonly [reason in (Entry & { kind: "turn_end" })["reason"]]: string } = {
  completed: "Done.",
  aborted: "Interrupted.",
  max_turns: "Turn limit reached.",
  max_budget: "Budget used up.",
  blocked_by_hook: "A hook stopped the turn.",
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
      return `[image ${display.path}, ${display.bytes} bytes]`
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
  const lines = (revealed(text).trimEnd() || "(no output)").split("\n")
  const more = lines.length - bodyLines
  return indented(more <= 1 ? lines : [...lines.slice(0, bodyLines), `... ${more} more lines`])
}

const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}\n`).join("")

function questionLines(ask: QuestionAsk): string {
  switch (ask.kind) {
    case "permission": {
      const fields = Object.entries(ask.input).flatMap(([name, value]) => field(name, value))
      return `? ${bared(ask.title)}\n${indented(fields)}${changeLines(ask)}${partLines(ask)}  ${bared(ask.decision.message)}\n${rememberLines(ask)}`
    }
    case "choice":
      return ask.questions
        .map(({ question, options }) => {
          const list = options.map(({ label, description }, i) => `${i + 1}. ${bared(label)}: ${bared(description)}`)
          return `? ${bared(question)}\n${indented(list)}`
        })
        .join("")
    case "plan": {
      const wishes = ask.wishes.map(({ prompt, covers }) => `${bared(prompt)}: ${covers ?? "grants nothing"}`)
      return `? The plan, in ${bared(ask.path)}\n${indented(revealed(ask.plan).split("\n"))}${indented(wishes)}`
    }
    case "elicitation": {
      const choices = asChoices(ask)
      return choices ? questionLines(choices) : `? ${bared(ask.server)}: ${bared(ask.message)}\n`
    }
    default:
      return never(ask)
  }
}

type PermissionAsk = QuestionAsk & { readonly kind: "permission" }

/** What became of a tool since it was allowed, line by line. */
function changeLines({ change }: PermissionAsk): string {
  if (!change) return ""
  return `  ! ${changeHeading(change)}\n${indented(change.hunks.flatMap(({ lines }) => lines.map(revealed)))}`
}

/** Which part needs consent, what covers the others, and what is at risk. Parts that can be allowed from now on are numbered. */
function partLines({ parts = [], risks = [], alarm }: PermissionAsk): string {
  let number = 0
  const lines = parts.map(({ text, needsConsent, why, rule }) => {
    const mark = rule !== undefined ? `${++number}.` : needsConsent ? "?" : "-"
    return `  ${mark} ${bared(text)}${why === alarm ? "" : `  (${bared(why)})`}\n`
  })
  const loud = alarm === undefined ? [] : [`  !!! ${bared(alarm)}\n`]
  const others = risks.filter((risk) => risk !== alarm)
  return [...loud, ...lines, ...others.map((risk) => `  ! At risk: ${bared(risk)}\n`)].join("")
}

function rememberLines({ suggestedRule, destinations = [], parts = [] }: PermissionAsk): string {
  if (destinations.length === 0) return ""
  if (suggestedRule !== undefined)
    return `  always allows ${bared(suggestedRule)} for this session; always local, project or user keeps it in those settings; another rule may follow.\n`
  const rules = parts.flatMap(({ rule }) => rule ?? [])
  if (rules.length === 0) return "  always <rule> allows the like of it from now on; no narrow rule covers this call.\n"
  const list = rules.map((rule, i) => `    ${i + 1}. ${bared(rule)}\n`).join("")
  return `  always 1 2 allows those parts for this session, always allows all numbered ones; always local, project or user saves the rules there:\n${list}`
}

function field(name: string, value: JsonValue): readonly string[] {
  if (typeof value !== "string") return [`${bared(name)}: ${bared(JSON.stringify(value))}`]
  if (!value.includes("\n")) return [`${bared(name)}: ${bared(value)}`]
  return [`${bared(name)}:`, ...value.split("\n").map((line) => `  ${bared(line)}`)]
}
