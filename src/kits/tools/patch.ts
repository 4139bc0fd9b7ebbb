/** The difference of two texts as hunks, bounded in effort and size whatever the texts are. */

import type { Hunk } from "#agent/words/display.ts"
import type { JsonObject } from "#lib/json.ts"

const context = 3
const mostCompared = 4000
const mostEdits = 1500
const mostHunkLines = 4000

/** A run of lines that was replaced, counted from 0. */
interface Block {
  readonly oldAt: number
  readonly oldCount: number
  readonly newAt: number
  readonly newCount: number
}

export async function hunksOf(before: string, after: string): Promise<readonly Hunk[]> {
  if (before === after) return []
  const oldLines = linesWithEnds(before)
  const newLines = linesWithEnds(after)
  return toHunks(oldLines, newLines, await blocksOf(oldLines, newLines))
}

/** Most edits change one place; the comparison proper, and its library, are only needed for more. */
async function blocksOf(oldLines: readonly string[], newLines: readonly string[]): Promise<readonly Block[]> {
  const most = Math.min(oldLines.length, newLines.length)
  let start = 0
  while (start < most && oldLines[start] === newLines[start]) start++
  let end = 0
  while (end < most - start && oldLines.at(-1 - end) === newLines.at(-1 - end)) end++
  const oldMiddle = oldLines.slice(start, oldLines.length - end)
  const newMiddle = newLines.slice(start, newLines.length - end)
  const whole: Block = { oldAt: start, oldCount: oldMiddle.length, newAt: start, newCount: newMiddle.length }
  if (Math.min(oldMiddle.length, newMiddle.length) < 2) return [whole]
  if (Math.max(oldMiddle.length, newMiddle.length) > mostCompared) return [whole]
  const { diffArrays } = await import("diff")
  const changes = diffArrays(oldMiddle, newMiddle, { maxEditLength: mostEdits })
  return changes === undefined ? [whole] : joined(changes, start)
}

interface Change {
  readonly count: number
  readonly added: boolean
  readonly removed: boolean
}

function joined(changes: readonly Change[], start: number): Block[] {
  const blocks: Block[] = []
  let oldAt = start
  let newAt = start
  let open: Block | undefined
  for (const { count, added, removed } of changes) {
    if (added || removed) {
      open ??= { oldAt, oldCount: 0, newAt, newCount: 0 }
      open = {
        ...open,
        oldCount: open.oldCount + (removed ? count : 0),
        newCount: open.newCount + (added ? count : 0),
      }
    } else if (open) {
      blocks.push(open)
      open = undefined
    }
    if (!added) oldAt += count
    if (!removed) newAt += count
  }
  if (open) blocks.push(open)
  return blocks
}

function toHunks(oldLines: readonly string[], newLines: readonly string[], blocks: readonly Block[]): Hunk[] {
  let room = mostHunkLines
  return together(blocks).flatMap((group) => {
    const first = group[0]
    const last = group.at(-1)
    if (first === undefined || last === undefined || room <= 0) return []
    const before = Math.min(context, first.oldAt)
    const oldEnd = Math.min(oldLines.length, last.oldAt + last.oldCount + context)
    const newEnd = last.newAt + last.newCount + (oldEnd - last.oldAt - last.oldCount)
    const lines: string[] = []
    let at = first.oldAt - before
    for (const { oldAt, oldCount, newAt, newCount } of group) {
      lines.push(...marked(" ", oldLines.slice(at, oldAt)))
      lines.push(...marked("-", oldLines.slice(oldAt, oldAt + oldCount)))
      lines.push(...marked("+", newLines.slice(newAt, newAt + newCount)))
      at = oldAt + oldCount
    }
    lines.push(...marked(" ", oldLines.slice(at, oldEnd)))
    const shown = lines.slice(0, room)
    room -= shown.length
    const oldCount = oldEnd - (first.oldAt - before)
    const newCount = newEnd - (first.newAt - before)
    return [
      {
        // An empty side is counted from the line before it, as patches do.
        oldStart: first.oldAt - before + (oldCount === 0 ? 0 : 1),
        oldLines: oldCount,
        newStart: first.newAt - before + (newCount === 0 ? 0 : 1),
        newLines: newCount,
        lines: shown,
      },
    ]
  })
}

/** Blocks whose surroundings touch are shown in one hunk. */
function together(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = []
  for (const block of blocks) {
    const previous = groups.at(-1)?.at(-1)
    if (previous && block.oldAt - (previous.oldAt + previous.oldCount) <= context * 2) groups.at(-1)?.push(block)
    else groups.push([block])
  }
  return groups
}

const marked = (mark: string, lines: readonly string[]): string[] =>
  lines.map((line) => mark + line.replace(/\r?\n$/, ""))

/** Lines that keep their ends, so that a changed line end is a changed line. */
function linesWithEnds(text: string): string[] {
  const lines: string[] = []
  for (let from = 0; from < text.length;) {
    const at = text.indexOf("\n", from)
    const end = at === -1 ? text.length : at + 1
    lines.push(text.slice(from, end))
    from = end
  }
  return lines
}

const longestOriginal = 1_000_000

/** What programs read of a change. A very long original is left out: every result goes into the log. */
export function patchData(hunks: readonly Hunk[], original: string | null): JsonObject {
  return {
    structuredPatch: hunks.map((hunk) => ({ ...hunk })),
    originalFile: original === null || original.length > longestOriginal ? null : original,
    userModified: false,
  }
}
