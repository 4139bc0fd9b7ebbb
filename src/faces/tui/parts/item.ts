/** An item of the conversation as rows. */

import type { EndReason } from "#agent/words/end.ts"
import type { Answer } from "#agent/words/question.ts"
import type { EndItem, Item } from "#faces/view/item.ts"
import { never } from "#lib/never.ts"
import { forConsent, forReading } from "#lib/printable.ts"
import { costText, counted, durationText, tokensText, wholeNumber } from "#lib/figures.ts"
import { bold, cyan, dim, italic, red, yellow } from "#faces/tui/screen/style.ts"
import { fitted, wrapped, wrappedBelow } from "#faces/tui/screen/width.ts"
import { callRows } from "./call.ts"
import { type Detail, folded } from "./display.ts"
import { hangingIndent } from "./hanging-indent.ts"
import { markdownRows } from "./markdown.ts"

/**
 * An empty row comes first if the item stands apart from the previous one. File names become links if `cwd` is known.
 */
export function itemRows(item: Item, columns: number, detail: Detail, cwd?: string): string[] {
  switch (item.kind) {
    case "prompt":
      return ["", ...hangingIndent(cyan(">"), promptRows(item.text, columns - 2, detail).map(bold))]
    case "text": {
      const rows = markdownRows(item.piece, columns - 2).map((row) => (row === "" ? "" : `  ${row}`))
      return rows.length > 0 && item.piece.joint === "apart" ? ["", ...rows] : rows
    }
    case "thinking":
      return thinkingRows(item, columns, detail)
    case "call":
      return callRows(item, columns, detail, cwd)
    case "notice":
      return noticeRows(item, columns)
    case "elicited":
      return [
        "",
        ...hangingIndent(
          cyan("?"),
          wrapped(`${forConsent(item.server)}: ${elicitedWords(item.answer)}`, columns - 2).map(dim),
        ),
      ]
    case "end":
      return endRows(item, columns)
    default:
      return never(item)
  }
}

/** A long one was pasted, and whoever pasted it knows it. */
const longPrompt = 30

const promptRows = (text: string, columns: number, detail: Detail): string[] =>
  detail === "full" || text.split("\n").length <= longPrompt
    ? wrapped(forReading(text), columns)
    : folded(text, columns, detail)

function thinkingRows(item: Item & { kind: "thinking" }, columns: number, detail: Detail): string[] {
  const text = forReading(item.text).trim()
  if (text === "") return item.finished ? [] : ["", dim(italic("∴ Thinking"))]
  const grey = (row: string): string => dim(italic(row))
  if (detail === "full") return ["", ...hangingIndent(dim("∴"), wrapped(text, columns - 2).map(grey))]
  const lines = text.split("\n")
  // While it runs, the newest line says most; afterwards, the first.
  const line = (item.finished ? lines[0] : lines.at(-1)) ?? ""
  return ["", `${dim("∴")} ${grey(fitted(line, columns - 2))}`]
}

const noticeMarks = { info: dim("·"), warning: yellow("▲"), error: red("✗") } as const
const noticeColours = { info: dim, warning: yellow, error: red } as const

function noticeRows({ level, text }: Item & { kind: "notice" }, columns: number): string[] {
  return [
    "",
    ...hangingIndent(noticeMarks[level], wrappedBelow(forReading(text), columns - 2).map(noticeColours[level])),
  ]
}

function elicitedWords({ action, content = {} }: Answer & { kind: "elicited" }): string {
  if (action !== "accept") return "Declined"
  return Object.values(content)
    .map((value) => forConsent(String(value)))
    .join("; ")
}

const endWords: { readonly [reason in EndReason]: string } = {
  completed: "",
  aborted: "Interrupted. Tell the model what to do differently.",
  max_turns: "Turn limit reached. Send a message to continue.",
  max_budget: "Budget used up.",
  blocked_by_hook: "A hook stopped the turn.",
  structured_output_retry_exhausted: "No output fits the schema.",
  error: "The turn ended with an error.",
}

/** `3 files changed (1 created, 1 removed)`. */
function changesWords({ created, modified, removed }: EndItem["files"]): string {
  const all = created.length + modified.length + removed.length
  const parts = [
    ...(created.length > 0 ? [`${wholeNumber(created.length)} created`] : []),
    ...(removed.length > 0 ? [`${wholeNumber(removed.length)} removed`] : []),
  ]
  return `${counted(all, "file")} changed${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`
}

/** Short turns that changed nothing get no summary. */
const worthTellingMs = 10_000

function endRows(end: EndItem, columns: number): string[] {
  // The call that was declined says so itself.
  const words = end.cause === "declined" ? "" : (end.message ?? endWords[end.reason])
  const colour = end.reason === "aborted" ? yellow : red
  const mark = end.reason === "aborted" ? "■" : "✗"
  const said =
    words === "" ? [] : ["", ...hangingIndent(colour(mark), wrapped(forReading(words), columns - 2).map(colour))]
  if (end.isCounting) return said
  const { created, modified, removed } = end.files
  const hasChanges = created.length + modified.length + removed.length > 0
  if (!hasChanges && (words !== "" || end.durationMs < worthTellingMs)) return said
  const figures = [
    hasChanges ? changesWords(end.files) : tokensText(end.outputTokens),
    durationText(end.durationMs),
    ...(end.costUsd > 0 ? [costText(end.costUsd)] : []),
    ...(hasChanges ? ["/rewind to undo"] : []),
  ]
  return [...said, "", ...wrapped(figures.join(" · "), columns - 2).map((row) => dim(`  ${row}`))]
}
