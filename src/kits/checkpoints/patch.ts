/** Changes as one patch for `git apply`: exact line endings, permissions, links, created and deleted files. */

import { type PathChange, type ReadContent, textOf } from "#ground/snapshots/compare.ts"
import type { SnapshotFailure } from "#ground/snapshots/failure.ts"
import { hasReadContent, isSameContent, type PathState } from "#ground/snapshots/state.ts"
import { type Hunk, type LineDiff, lineDiff } from "#lib/diff.ts"
import { ok, type Result } from "#lib/result.ts"

export interface PatchPorts {
  readonly content: ReadContent
  readonly name: (path: string) => string
  /** Binary contents: `whole`, so that the patch can be applied, or only `named`, when absent. */
  readonly binary?: "whole" | "named"
  /** Of changes whose lines were compared before. */
  readonly diffs?: ReadonlyMap<PathChange, LineDiff>
}

export async function patchOfChanges(
  changes: readonly PathChange[],
  { content, name: nameOf, binary, diffs }: PatchPorts,
): Promise<Result<string, SnapshotFailure>> {
  const parts: string[] = []
  for (const change of changes) {
    const before = textOf(change.before, content)
    if (!before.ok) return before
    const after = textOf(change.after, content)
    if (!after.ok) return after
    // A patch cannot turn a file into a link, so that is a deletion and a creation.
    const isSwap = hasContent(change.before) && hasContent(change.after) && change.before.kind !== change.after.kind
    const name = nameOf(change.path)
    const isText = before.value !== undefined && after.value !== undefined
    const isKept = [change.before, change.after].every((state) => state.kind !== "file" || hasReadContent(state))
    if (!isText && !isSwap && isKept && binary === "whole") {
      const whole = await bytesPatch(name, change, content)
      if (!whole.ok) return whole
      parts.push(whole.value)
    } else if (isSwap) {
      parts.push(await filePatch(name, change.before, none, before.value, ""))
      parts.push(await filePatch(name, none, change.after, "", after.value))
    } else parts.push(await filePatch(name, change.before, change.after, before.value, after.value, diffs?.get(change)))
  }
  return ok(parts.join(""))
}

const none: PathState = { kind: "absent" }
const hasContent = ({ kind }: PathState): boolean => kind === "file" || kind === "link"

async function filePatch(
  name: string,
  before: PathState,
  after: PathState,
  oldText: string | undefined,
  newText: string | undefined,
  known?: LineDiff,
): Promise<string> {
  const oldName = quoted(`a/${name}`)
  const newName = quoted(`b/${name}`)
  const head = [`diff --git ${oldName} ${newName}`, ...modeLines(before, after)]
  if (before.kind === "file" && after.kind === "file" && isSameContent(before.hash, after.hash))
    return `${head.join("\n")}\n`
  const from = hasContent(before) ? oldName : "/dev/null"
  const to = hasContent(after) ? newName : "/dev/null"
  if (oldText === undefined || newText === undefined)
    return `${[...head, `Binary files ${from} and ${to} differ`].join("\n")}\n`
  const body = await exactHunks(oldText, newText, known)
  // Empty files are created and deleted without a body.
  return body === "" ? `${head.join("\n")}\n` : `${[...head, `--- ${from}`, `+++ ${to}`].join("\n")}\n${body}`
}

async function bytesPatch(
  name: string,
  { before, after }: PathChange,
  content: ReadContent,
): Promise<Result<string, SnapshotFailure>> {
  const old = before.kind === "file" ? content(before.hash) : ok(undefined)
  if (!old.ok) return old
  const young = after.kind === "file" ? content(after.hash) : ok(undefined)
  if (!young.ok) return young
  const modes = modeLines(before, after)
  const head = [`diff --git ${quoted(`a/${name}`)} ${quoted(`b/${name}`)}`, ...modes, ""].join("\n")
  // Compression is slow to load, and few patches are binary.
  const { binaryPatch } = await import("./binary-patch.ts")
  return ok(head + binaryPatch(old.value, young.value, modes.length === 0 ? gitMode(after) : undefined))
}

function modeLines(before: PathState, after: PathState): string[] {
  const oldMode = gitMode(before)
  const newMode = gitMode(after)
  if (oldMode === undefined) return [`new file mode ${newMode ?? "100644"}`]
  if (newMode === undefined) return [`deleted file mode ${oldMode}`]
  return oldMode === newMode ? [] : [`old mode ${oldMode}`, `new mode ${newMode}`]
}

function gitMode(state: PathState): string | undefined {
  if (state.kind === "link") return "120000"
  if (state.kind !== "file") return undefined
  return state.mode & 0o100 ? "100755" : "100644"
}

/** Hunks with exact lines and line endings; if the diff was shortened for display, one hunk for the whole file. */
async function exactHunks(before: string, after: string, known?: LineDiff): Promise<string> {
  const oldLines = linesWithEnds(before)
  const newLines = linesWithEnds(after)
  const { hunks } = known ?? (await lineDiff(before, after))
  const isWhole = hunks.every((hunk) => isExact(hunk)) && reachesEnd(hunks, oldLines, newLines)
  return isWhole ? hunks.map((hunk) => exact(hunk, oldLines, newLines)).join("") : replaced(oldLines, newLines)
}

function isExact({ lines, oldLines, newLines }: Hunk): boolean {
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length
  return count("-") + count(" ") === oldLines && count("+") + count(" ") === newLines
}

/** Whether everything after the last hunk is the same in both: otherwise hunks were left out. */
function reachesEnd(hunks: readonly Hunk[], oldLines: readonly string[], newLines: readonly string[]): boolean {
  const shift = hunks.reduce((sum, hunk) => sum + hunk.newLines - hunk.oldLines, 0)
  return (
    oldLines.length + shift === newLines.length && !(hunks.reduce((sum, { lines }) => sum + lines.length, 0) >= 4000)
  )
}

function exact(
  { oldStart, oldLines, newStart, newLines, lines }: Hunk,
  old: readonly string[],
  young: readonly string[],
): string {
  let oldAt = oldLines === 0 ? oldStart : oldStart - 1
  let newAt = newLines === 0 ? newStart : newStart - 1
  const body = lines.map((line) => {
    const mark = line[0] ?? " "
    const text = (mark === "+" ? young[newAt] : old[oldAt]) ?? ""
    if (mark !== "+") oldAt++
    if (mark !== "-") newAt++
    return marked(mark, text)
  })
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${body.join("")}`
}

function replaced(old: readonly string[], young: readonly string[]): string {
  const head = `@@ -${old.length === 0 ? 0 : 1},${old.length} +${young.length === 0 ? 0 : 1},${young.length} @@\n`
  return [head, ...old.map((line) => marked("-", line)), ...young.map((line) => marked("+", line))].join("")
}

const marked = (mark: string, line: string): string =>
  line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`

const linesWithEnds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function quoted(name: string): string {
  const inside = name.replace(/["\\]|\p{Cc}/gu, (character) =>
    character === '"' || character === "\\"
      ? `\\${character}`
      : `\\${(character.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`,
  )
  return inside === name ? name : `"${inside}"`
}
