/** A review as a column of blocks, of which only those in sight are drawn. Pure. */

import type { ChangedFile, ChangedHunk, ChangedPart } from "#fleet/changes.ts"
import type { ShownComment } from "#faces/web/page/contract-changes.ts"
import { type LineRow, lineRows, placeOf, type SplitRow, splitRows } from "./review-rows.ts"

/** What is known of a file's lines so far. */
export interface LoadedFile {
  readonly version: string
  readonly hunks: readonly ChangedHunk[]
  /** Where to continue; undefined if that is all. */
  readonly next: number | undefined
  readonly problem?: string
}

export interface LineKey {
  readonly fileId: string
  readonly side: "old" | "new"
  readonly line: number
}

const keyOf = ({ fileId, side, line }: LineKey): string => `${fileId} ${side} ${line}`

export type Block = { readonly key: string; readonly file: ChangedFile; readonly height: number } & (
  | { readonly kind: "file"; readonly isFolded: boolean }
  | { readonly kind: "wait"; readonly from: number; readonly problem: string | undefined }
  | { readonly kind: "hunk"; readonly part: ChangedPart | undefined; readonly hidden: number; readonly title: string }
  | { readonly kind: "lines"; readonly rows: readonly LineRow[] }
  | { readonly kind: "split"; readonly rows: readonly SplitRow[] }
  | {
      readonly kind: "talk"
      readonly at: LineKey
      readonly quote: string
      readonly comments: readonly ShownComment[]
      readonly isWriting: boolean
    }
  | { readonly kind: "note"; readonly text: string }
)

export interface BlockParts {
  readonly files: readonly ChangedFile[]
  readonly loaded: ReadonlyMap<string, LoadedFile>
  readonly folded: ReadonlySet<string>
  readonly comments: readonly ShownComment[]
  /** The line that somebody writes a comment on. */
  readonly writing: LineKey | undefined
  readonly view: "unified" | "split"
}

const [fileHeight, hunkHeight, rowHeight, talkHeight, noteHeight] = [44, 34, 20, 120, 40]
/** Few enough to be drawn at once, many enough to be few. */
const rowsInBlock = 40
/** Of what is not loaded: browsers cannot draw columns of any height. */
const mostWaiting = 20_000

export function blocksOf(parts: BlockParts): readonly Block[] {
  const comments = Map.groupBy(
    parts.comments.filter(({ place }) => place !== undefined),
    ({ place }) => place?.path ?? "",
  )
  return parts.files.flatMap((file) => blocksOfFile(file, parts, comments.get(file.path) ?? []))
}

function blocksOfFile(file: ChangedFile, parts: BlockParts, comments: readonly ShownComment[]): readonly Block[] {
  const isFolded = parts.folded.has(file.id)
  const head: Block = { kind: "file", key: file.id, file, height: fileHeight, isFolded }
  if (isFolded) return [head]
  const known = parts.loaded.get(file.id)
  const loaded = known?.version === file.version ? known : undefined
  const talks = new Map(
    [...Map.groupBy(comments, ({ place }) => `${place?.side} ${place?.line}`)].map(([at, some]) => [at, some]),
  )
  const blocks: Block[] = [head]
  if (file.binary) blocks.push(noteOf(file, "binary", "Its contents are not text, so they are not shown."))
  let oldEnd = 1
  for (const [nth, hunk] of (loaded?.hunks ?? []).entries()) {
    const isContinued = nth > 0 && loaded?.hunks[nth - 1]?.part === hunk.part && hunk.oldStart <= oldEnd
    if (!isContinued)
      blocks.push({
        kind: "hunk",
        key: `${file.id} hunk ${nth}`,
        file,
        height: hunkHeight,
        part: file.parts.find(({ id }) => id === hunk.part),
        hidden: Math.max(0, hunk.oldStart - oldEnd),
        // A deleted file has no new lines.
        title: `Line ${Math.max(1, hunk.newStart)}`,
      })
    oldEnd = hunk.oldStart + hunk.lines.filter((line) => !line.startsWith("+")).length
    blocks.push(...rowBlocks(file, `${file.id} ${nth}`, lineRows(hunk), talks, parts))
  }
  const got = loaded?.hunks.reduce((sum, { lines }) => sum + lines.length, 0) ?? 0
  const isMore = loaded ? loaded.next !== undefined : file.lines > 0
  if (isMore)
    blocks.push({
      kind: "wait",
      key: `${file.id} wait ${got}`,
      file,
      height: Math.min(mostWaiting, (file.lines - got) * rowHeight + (got === 0 ? file.hunks * hunkHeight : 0)),
      from: got,
      problem: loaded?.problem,
    })
  if (file.unshown !== undefined && !isMore)
    blocks.push(noteOf(file, "unshown", `${file.unshown.toLocaleString("en")} more lines are not shown here.`))
  return blocks
}

const noteOf = (file: ChangedFile, what: string, text: string): Block => ({
  kind: "note",
  key: `${file.id} ${what}`,
  file,
  height: noteHeight,
  text,
})

/** Cut after every line that somebody talks about. */
function rowBlocks(
  file: ChangedFile,
  key: string,
  rows: readonly LineRow[],
  talks: ReadonlyMap<string, readonly ShownComment[]>,
  { view, writing }: BlockParts,
): readonly Block[] {
  const blocks: Block[] = []
  const cut = (from: number, until: number): void => {
    if (from === until) return
    const some = rows.slice(from, until)
    const at = `${key} ${from}`
    if (view === "unified") blocks.push({ kind: "lines", key: at, file, rows: some, height: some.length * rowHeight })
    else {
      const split = splitRows(some)
      blocks.push({ kind: "split", key: at, file, rows: split, height: split.length * rowHeight })
    }
  }
  let from = 0
  for (const [i, row] of rows.entries()) {
    const { side, line } = placeOf(row)
    const at: LineKey = { fileId: file.id, side, line }
    const comments = talks.get(`${side} ${line}`) ?? []
    const isWriting = writing !== undefined && keyOf(writing) === keyOf(at)
    if (comments.length > 0 || isWriting) {
      cut(from, i + 1)
      from = i + 1
      const quote = `${row.mark}${row.text}`
      blocks.push({ kind: "talk", key: `talk ${keyOf(at)}`, file, height: talkHeight, at, quote, comments, isWriting })
    } else if (i + 1 - from >= rowsInBlock && row.mark === " ") {
      cut(from, i + 1)
      from = i + 1
    } else if (i + 1 - from >= rowsInBlock * 2) {
      cut(from, i + 1)
      from = i + 1
    }
  }
  cut(from, rows.length)
  return blocks
}

/** Where each block begins, and where all of them end. */
export function offsetsOf(blocks: readonly Block[], measured: ReadonlyMap<string, number>): readonly number[] {
  const offsets = [0]
  let at = 0
  for (const { key, height } of blocks) offsets.push((at += measured.get(key) ?? height))
  return offsets
}

/** The blocks between two heights; `until` is not in it. */
export function blocksBetween(
  offsets: readonly number[],
  top: number,
  bottom: number,
): { readonly from: number; readonly until: number } {
  const from = Math.max(0, placeIn(offsets, top) - 1)
  const until = Math.min(offsets.length - 1, placeIn(offsets, bottom) + 1)
  return { from, until }
}

/** The first offset that is beyond. */
function placeIn(offsets: readonly number[], height: number): number {
  let [low, high] = [0, offsets.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((offsets[middle] ?? 0) <= height) low = middle + 1
    else high = middle
  }
  return low
}
