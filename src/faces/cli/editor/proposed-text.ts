/** The file as a call would leave it, and the call that would leave it as somebody edited it. */

import { endsAllInCrlf, withLf } from "#ground/workspace/text.ts"
import { planEdit } from "#kits/tools/match.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** Undefined for calls that do not change one file as text. `before` is empty for a new file. */
export function proposedText(tool: string, input: JsonObject, before: string): string | undefined {
  switch (tool) {
    case "Write":
      return typeof input.content === "string" ? withEnds(input.content, before) : undefined
    case "Edit":
      return edited(before, input)
    case "MultiEdit":
      return isInOneFile(input) ? editedInTurn(before, input.edits) : undefined
    default:
      return undefined
  }
}

/** The input with which the tool writes `after`. `unchanged`: nothing is left to write. Undefined if there is none. */
export function inputWriting(
  tool: string,
  input: JsonObject,
  before: string,
  after: string,
): JsonObject | "unchanged" | undefined {
  const text = withEnds(after, before)
  if (text === before) return "unchanged"
  if (tool === "Write") return { ...input, content: text }
  const change = { ...replacing(before, text), replace_all: false }
  const path = pathIn(input)
  // Where line ends are mixed, the tool may see other matches.
  if (path === undefined || edited(before, change) !== text) return undefined
  return { file_path: path, ...(tool === "Edit" ? change : { edits: [change] }) }
}

/** Editors end the last line, and some write every line end as they like: neither is a change of the user. */
export const isSameText = (one: string, other: string): boolean => plain(one) === plain(other)

const plain = (text: string): string => withLf(text).replace(/\n$/, "")

/** Like Write: a file whose lines end in CRLF keeps them. */
const withEnds = (text: string, before: string): string =>
  endsAllInCrlf(before) && !text.includes("\r\n") ? withLf(text).replaceAll("\n", "\r\n") : text

function edited(text: string, edit: JsonValue): string | undefined {
  const { old_string: from, new_string: to, replace_all } = isObject(edit) ? edit : {}
  if (typeof from !== "string" || typeof to !== "string") return undefined
  if (from === "") return text === "" ? to : undefined
  const plan = planEdit(text, { from, to, which: replace_all === true ? "all" : "only" })
  return plan.kind === "edit" ? plan.text : undefined
}

function editedInTurn(before: string, edits: JsonValue | undefined): string | undefined {
  if (!Array.isArray(edits)) return undefined
  let text: string | undefined = before
  for (const edit of edits) text = text === undefined ? undefined : edited(text, edit)
  return text
}

const isInOneFile = (input: JsonObject): boolean => pathIn(input) !== undefined

function pathIn({ file_path, edits }: JsonObject): string | undefined {
  const named = [file_path, ...(Array.isArray(edits) ? edits.map((edit) => isObject(edit) && edit.file_path) : [])]
  const paths = new Set(named.filter((path) => typeof path === "string"))
  return paths.size === 1 ? [...paths][0] : undefined
}

/** One replacement that turns `before` into `after`, of whole lines, with enough of them that it is unique. */
export function replacing(before: string, after: string): { readonly old_string: string; readonly new_string: string } {
  const old = lines(before)
  const now = lines(after)
  let start = 0
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const piece = (all: readonly string[]): string => all.slice(start, all.length - end).join("")
  const isUnique = (): boolean => piece(old) !== "" && before.indexOf(piece(old)) === before.lastIndexOf(piece(old))
  while (!isUnique() && (start > 0 || end > 0)) {
    if (start > 0) start--
    if (end > 0) end--
  }
  return { old_string: piece(old), new_string: piece(now) }
}

const lines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
