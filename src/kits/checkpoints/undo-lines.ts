/** Undoes some of the lines that were changed in a text that may have been edited since: never over such an edit. */

import { type Hunk, linesWithEnds, type ReplacedLines, replacedLines } from "#lib/diff.ts"

export interface EditedText {
  /** Before the change. */
  readonly before: string
  /** Right after it. */
  readonly after: string
  readonly now: string
}

export interface LinesUndone {
  readonly text: string
  /** Those that somebody has edited since: their lines stay as they are. */
  readonly left: readonly Hunk[]
}

export async function undoLines({ before, after, now }: EditedText, hunks: readonly Hunk[]): Promise<LinesUndone> {
  const [old, changed, present] = [before, after, now].map(linesWithEnds)
  if (!old || !changed || !present) return { text: now, left: hunks }
  const blocks = await replacedLines(old, changed)
  const edits = await replacedLines(changed, present)
  const own = hunks.map((hunk) => ({ hunk, blocks: blocks.filter((block) => isIn(block, hunk)) }))
  const free = own.filter(
    ({ blocks: all }) => all.length > 0 && !all.some((block) => edits.some((e) => meet(block, e))),
  )
  const text = undoBlocks(
    { old, present, edits },
    free.flatMap(({ blocks: all }) => all),
  )
  return { text, left: hunks.filter((hunk) => !free.some((one) => one.hunk === hunk)) }
}

/** The text now without the change, as far as nobody has edited its lines since. */
export async function withoutChange({ before, after, now }: EditedText): Promise<string> {
  const [old, changed, present] = [before, after, now].map(linesWithEnds)
  if (!old || !changed || !present) return now
  const blocks = await replacedLines(old, changed)
  const edits = await replacedLines(changed, present)
  return undoBlocks(
    { old, present, edits },
    blocks.filter((block) => !edits.some((edit) => meet(block, edit))),
  )
}

interface Undoing {
  readonly old: readonly string[]
  readonly present: readonly string[]
  readonly edits: readonly ReplacedLines[]
}

function undoBlocks({ old, present, edits }: Undoing, blocks: readonly ReplacedLines[]): string {
  const lines = [...present]
  // From the last to the first, so that places stay what they are.
  for (const { oldAt, oldCount, newAt, newCount } of blocks.toSorted((a, b) => b.newAt - a.newAt))
    lines.splice(newAt + movedBy(newAt, edits), newCount, ...old.slice(oldAt, oldAt + oldCount))
  return joined(lines)
}

/** A last line without an end may have come before others. */
const joined = (lines: readonly string[]): string =>
  lines.map((line, i) => (i < lines.length - 1 && !line.endsWith("\n") ? `${line}\n` : line)).join("")

function isIn({ oldAt, oldCount, newAt, newCount }: ReplacedLines, hunk: Hunk): boolean {
  const inside = (at: number, count: number, start: number, length: number): boolean => {
    const from = length === 0 ? start : start - 1
    return at >= from && at + count <= from + length
  }
  return inside(oldAt, oldCount, hunk.oldStart, hunk.oldLines) && inside(newAt, newCount, hunk.newStart, hunk.newLines)
}

/** Both are counted in the text after the change. What was only removed has no lines there, so an edit beside it counts. */
function meet(block: ReplacedLines, edit: ReplacedLines): boolean {
  const [start, end] = [block.newAt, block.newAt + block.newCount]
  const [from, to] = [edit.oldAt, edit.oldAt + edit.oldCount]
  if (start === end) return from <= start && start <= to
  return from === to ? start < from && from < end : from < end && start < to
}

const movedBy = (at: number, edits: readonly ReplacedLines[]): number =>
  edits
    .filter(({ oldAt, oldCount }) => oldAt + oldCount <= at)
    .reduce((sum, { oldCount, newCount }) => sum + newCount - oldCount, 0)
