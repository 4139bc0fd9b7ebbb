/** An item of the conversation as rows. */

import type { EndReason } from "#agent/words/end.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { AgentAtWork, CallItem, CallState, EndItem, Item } from "#faces/view/item.ts"
import { never } from "#lib/never.ts"
import { bared, legible } from "#lib/printable.ts"
import { bold, cyan, dim, green, italic, red, yellow } from "#faces/tui/screen/style.ts"
import { fileLink } from "#faces/tui/screen/link.ts"
import { fitted, wrapped } from "#faces/tui/screen/width.ts"
import { type Detail, displayRows, folded } from "./display.ts"
import { markdownRows } from "./markdown.ts"
import { costText, durationText, sizeText, tokensText } from "#lib/figures.ts"
import { modeNames } from "./status.ts"

/**
 * Rows of at most `columns`; a blank one comes first, where the item stands apart from the one before. Files can be
 * opened where it is known what their names are relative to.
 */
export function itemRows(item: Item, columns: number, detail: Detail, cwd?: string): string[] {
  switch (item.kind) {
    case "prompt":
      return ["", ...hung(cyan(">"), wrapped(legible(item.text), columns - 2).map(bold))]
    case "text": {
      const rows = markdownRows(item.piece, columns - 2).map((row) => (row === "" ? "" : `  ${row}`))
      return rows.length > 0 && item.piece.joint === "apart" ? ["", ...rows] : rows
    }
    case "thinking":
      return thinkingRows(item, columns, detail)
    case "call":
      return callRows(item, columns, detail, cwd)
    case "notice": {
      const colour = item.level === "error" ? red : item.level === "warning" ? yellow : dim
      return ["", ...hung(colour("!"), wrapped(legible(item.text), columns - 2).map(colour))]
    }
    case "question":
      return questionRows(item.ask, item.answer, columns)
    case "end":
      return endRows(item, columns)
    default:
      return never(item)
  }
}

/** A mark before the first row, the others below its text. */
const hung = (mark: string, rows: readonly string[]): string[] =>
  rows.map((row, i) => (i === 0 ? `${mark} ${row}` : row === "" ? "" : `  ${row}`))

function thinkingRows(item: Item & { kind: "thinking" }, columns: number, detail: Detail): string[] {
  const text = legible(item.text).trim()
  if (text === "") return item.finished ? [] : ["", dim(italic("∴ Thinking"))]
  const grey = (row: string): string => dim(italic(row))
  if (detail === "full") return ["", ...hung(dim("∴"), wrapped(text, columns - 2).map(grey))]
  const lines = text.split("\n")
  // While it goes on, the newest line says most; afterwards, the first.
  const line = (item.finished ? lines[0] : lines.at(-1)) ?? ""
  return ["", `${dim("∴")} ${grey(fitted(line, columns - 2))}`]
}

const stateMarks: { readonly [state in CallState]: string } = {
  waiting: dim("○"),
  running: yellow("●"),
  done: green("●"),
  failed: red("●"),
  denied: red("⊘"),
  dropped: dim("○"),
}

const liveRows = 5

function callRows(call: CallItem, columns: number, detail: Detail, cwd: string | undefined): string[] {
  const [name = "", ...rest] = bared(call.title).split(" ")
  const title = `${bold(name)} ${rest.join(" ")}`.trimEnd()
  const heads = detail === "full" ? wrapped(title, columns - 2) : [withFileLink(fitted(title, columns - 2), call, cwd)]
  return [
    "",
    ...hung(stateMarks[call.state], heads),
    ...bodyRows(call, columns - 4, detail).map((row) => `  ${dim("│")} ${row}`),
  ]
}

/** The name of the file that the call was about opens the file. */
function withFileLink(head: string, { result }: CallItem, cwd: string | undefined): string {
  const display = result?.display
  if (cwd === undefined || (display?.kind !== "diff" && display?.kind !== "image")) return head
  const shown = bared(display.path)
  const path = display.path.startsWith("/") ? display.path : `${cwd}/${display.path}`
  return shown === "" ? head : head.replace(shown, () => fileLink(shown, path))
}

function bodyRows(call: CallItem, columns: number, detail: Detail): string[] {
  const { result, state } = call
  if (state === "waiting") return []
  if (state === "dropped") return [dim("not done")]
  if (result === undefined) return progressRows(call, columns)
  if (state === "done") return displayRows(result.display ?? { kind: "text", text: result.text }, columns, detail)
  const shown = state === "failed" && result.display ? displayRows(result.display, columns, detail) : undefined
  return shown ?? folded(result.text, columns, detail).map(red)
}

/** What the agent of a call does now, in one row. */
function agentRow({ doing, toolUses, tokens }: AgentAtWork, elapsedMs: number, columns: number): string {
  const figures = [
    `${toolUses} ${toolUses === 1 ? "tool" : "tools"}`,
    ...(tokens > 0 ? [tokensText(tokens)] : []),
    ...(elapsedMs >= 2000 ? [durationText(elapsedMs)] : []),
  ].join(" · ")
  return `${fitted(bared(doing ?? "thinking"), Math.max(1, columns - figures.length - 3))} ${dim(`· ${figures}`)}`
}

function progressRows({ tail, totalBytes, elapsedMs, agent }: CallItem, columns: number): string[] {
  if (agent) return [agentRow(agent, elapsedMs, columns)]
  const lines = tail.trimEnd().split("\n").slice(-liveRows)
  const rows = lines.flatMap((line) => wrapped(legible(line).slice(0, columns * 2), columns)).slice(-liveRows)
  const figures = [
    ...(elapsedMs >= 2000 ? [durationText(elapsedMs)] : []),
    ...(totalBytes >= 4000 ? [`${sizeText(totalBytes)} so far`] : []),
  ]
  return [...(tail.trim() === "" ? [] : rows), ...(figures.length > 0 ? [dim(figures.join(" · "))] : [])]
}

/** What a person answered stays in the scrollback; a plain yes is told by the call that runs. */
function questionRows(ask: QuestionAsk, answer: Answer, columns: number): string[] {
  const about = aboutWords(ask)
  const words = answerWords(answer)
  return words === "" ? [] : ["", ...hung(cyan("?"), wrapped(`${about}: ${words}`, columns - 2).map(dim))]
}

function aboutWords(ask: QuestionAsk): string {
  switch (ask.kind) {
    case "permission":
      return bared(ask.title)
    case "choice":
      return ask.questions.map(({ header }) => bared(header)).join(", ")
    case "plan":
      return "The plan"
    case "elicitation":
      return bared(ask.server)
    default:
      return never(ask)
  }
}

function answerWords(answer: Answer): string {
  switch (answer.kind) {
    case "allow":
      return ""
    case "deny":
      return answer.words === undefined ? "you said no" : `you said no: ${bared(answer.words)}`
    case "choices":
      return Object.values(answer.answers).map(bared).join("; ")
    case "approve":
      return `approved (${modeNames[answer.mode]})`
    case "elicited":
      return answer.action === "accept"
        ? Object.values(answer.content ?? {})
            .map(String)
            .map(bared)
            .join("; ")
        : "you said no"
    case "unanswered":
      return `no answer (${bared(answer.why)})`
    default:
      return never(answer)
  }
}

const endWords: { readonly [reason in EndReason]: string } = {
  completed: "",
  aborted: "Interrupted. Say what to do instead.",
  max_turns: "The limit of turns is reached. Say something to go on.",
  max_budget: "The budget is used up.",
  blocked_by_hook: "A hook stopped the turn.",
  error: "The turn ended with an error.",
}

/** `2 files created, 1 modified`. */
function changesWords({ files: { created, modified } }: EndItem): string {
  const parts = [
    ...(created.length > 0 ? [`${created.length} ${created.length === 1 ? "file" : "files"} created`] : []),
    ...(modified.length > 0
      ? [`${modified.length}${created.length > 0 ? "" : modified.length === 1 ? " file" : " files"} modified`]
      : []),
  ]
  return parts.join(", ")
}

/** Short turns that changed nothing need no account of themselves. */
const worthTellingMs = 10_000

function endRows(end: EndItem, columns: number): string[] {
  const words = end.message ?? endWords[end.reason]
  if (words !== "") {
    const colour = end.reason === "aborted" ? yellow : red
    return ["", ...hung(colour("!"), wrapped(legible(words), columns - 2).map(colour))]
  }
  const changes = changesWords(end)
  if (end.durationMs < worthTellingMs && changes === "") return []
  const figures = [
    ...(changes === "" ? [] : [changes]),
    durationText(end.durationMs),
    tokensText(end.outputTokens),
    ...(end.costUsd > 0 ? [costText(end.costUsd)] : []),
    ...(changes === "" ? [] : ["/rewind undoes"]),
  ]
  return ["", ...wrapped(figures.join(" · "), columns - 2).map((row) => dim(`  ${row}`))]
}
