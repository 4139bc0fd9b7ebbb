/** Calls of tools as an editor shows them: kind, places in files, and content. */

import { resolve } from "node:path"
import type { Display, FileDiff } from "#agent/words/display.ts"
import { type ResultContent, textOf } from "#agent/words/message.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"

export type ToolKind = "read" | "edit" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other"

/** Only a hint for an icon: what a call may do is decided elsewhere. */
const kinds: { readonly [tool: string]: ToolKind } = {
  Read: "read",
  NotebookRead: "read",
  BashOutput: "read",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Glob: "search",
  Grep: "search",
  LS: "search",
  Bash: "execute",
  KillShell: "execute",
  WebFetch: "fetch",
  WebSearch: "fetch",
  Task: "think",
  Agent: "think",
  TodoWrite: "think",
  ExitPlanMode: "switch_mode",
  EnterPlanMode: "switch_mode",
}

export const kindOf = (tool: string): ToolKind => (Object.hasOwn(kinds, tool) ? (kinds[tool] ?? "other") : "other")

/** More is not read in an editor, and the log has it whole. */
const mostText = 50_000

export const textContent = (text: string): JsonObject => ({ type: "content", content: { type: "text", text } })

const cut = (text: string): string =>
  text.length <= mostText ? text : `${text.slice(0, mostText).toWellFormed()}\n[…]`

/** In a fence, so that an editor does not read output as Markdown. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`
}

export const outputContent = (text: string): JsonObject => textContent(fenced(cut(text)))

/** The files that the input names. */
export function inputLocations(input: JsonObject, cwd: string): readonly JsonObject[] {
  const { file_path, notebook_path, path, offset } = input
  const named = [file_path, notebook_path, path].find((value) => typeof value === "string" && value !== "")
  if (typeof named !== "string") return []
  return [{ path: resolve(cwd, named), ...(isLine(offset) && { line: offset }) }]
}

const isLine = (value: JsonValue | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0

export function diffLocations(display: Display | undefined, cwd: string): readonly JsonObject[] | undefined {
  if (display?.kind !== "diff" && display?.kind !== "diffs") return undefined
  return filesOf(display).map(({ path, hunks: [first] }) => ({
    path: resolve(cwd, path),
    ...(first && isLine(first.newStart) && { line: first.newStart }),
  }))
}

const filesOf = (display: Display & { readonly kind: "diff" | "diffs" }): readonly FileDiff[] =>
  display.kind === "diff" ? [display] : display.files

/** One diff for each place that changes: unchanged lines between them are not sent. */
function diffContent({ path, hunks, created }: FileDiff, cwd: string): readonly JsonObject[] {
  return hunks.map(({ lines }) => ({
    type: "diff",
    path: resolve(cwd, path),
    oldText: created ? null : sideOf(lines, "+"),
    newText: sideOf(lines, "-"),
  }))
}

const sideOf = (lines: readonly string[], without: "+" | "-"): string =>
  lines.flatMap((line) => (line.startsWith(without) ? [] : [line.slice(1)])).join("\n")

/** Undefined where the result's own text says it. */
export function displayContent(display: Display | undefined, cwd: string): readonly JsonObject[] | undefined {
  switch (display?.kind) {
    case "text":
      return [textContent(cut(display.text))]
    case "diff":
    case "diffs":
      return filesOf(display).flatMap((file) => diffContent(file, cwd))
    case "terminal":
      return [outputContent(`$ ${display.command}\n${display.output}${exitWords(display.exitCode)}`)]
    case "list":
      return [textContent(cut([...display.items, ...(display.note === undefined ? [] : [display.note])].join("\n")))]
    case "plan":
      return [textContent(cut(display.text))]
    case "todos":
      return []
    case "image":
    case undefined:
      return undefined
  }
}

const exitWords = (code: number | null): string => (code === 0 || code === null ? "" : `\n[exit code ${code}]`)

export function resultContent(content: ResultContent): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [outputContent(content)]
  const text = textOf(content)
  return [
    ...(text === "" ? [] : [outputContent(text)]),
    ...content.flatMap((block) =>
      block.type === "image" && block.source.type === "base64"
        ? [
            {
              type: "content",
              content: { type: "image", data: block.source.data, mimeType: block.source.media_type },
            },
          ]
        : [],
    ),
  ]
}
