/** The difference between two strings as hunks, with bounded effort and size for any input. */

export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** Each line begins with a space, `-` or `+`. */
  readonly lines: readonly string[]
}

const context = 3
/** Effort is lines times edits. */
const mostWork = 6_000_000
const mostEdits = 1000
/** Of all hunks together; what is beyond is left out. */
export const mostHunkLines = 4000

/** A run of replaced lines, counted from 0. */
export interface ReplacedLines {
  readonly oldAt: number
  readonly oldCount: number
  readonly newAt: number
  readonly newCount: number
}

/** The whole difference: hunks leave out what is too long to be shown, the counts do not. */
export interface LineDiff {
  readonly hunks: readonly Hunk[]
  readonly added: number
  readonly removed: number
}

/** Empty when the two are equal. */
export const hunksOf = async (before: string, after: string): Promise<readonly Hunk[]> =>
  (await lineDiff(before, after)).hunks

export async function lineDiff(before: string, after: string): Promise<LineDiff> {
  if (before === after) return { hunks: [], added: 0, removed: 0 }
  const oldLines = linesWithEnds(before)
  const newLines = linesWithEnds(after)
  const blocks = await blocksOf(oldLines, newLines)
  return {
    hunks: toHunks(oldLines, newLines, blocks),
    added: blocks.reduce((sum, { newCount }) => sum + newCount, 0),
    removed: blocks.reduce((sum, { oldCount }) => sum + oldCount, 0),
  }
}

/** The same as runs of lines; one run for all where comparing them would take too long. */
export async function replacedLines(
  oldLines: readonly string[],
  newLines: readonly string[],
): Promise<readonly ReplacedLines[]> {
  const blocks = await blocksOf(oldLines, newLines)
  return blocks.filter(({ oldCount, newCount }) => oldCount > 0 || newCount > 0)
}

/** Most edits change one place; the full comparison and its library load only when there are more. */
async function blocksOf(oldLines: readonly string[], newLines: readonly string[]): Promise<readonly ReplacedLines[]> {
  const most = Math.min(oldLines.length, newLines.length)
  let start = 0
  while (start < most && oldLines[start] === newLines[start]) start++
  let end = 0
  while (end < most - start && oldLines.at(-1 - end) === newLines.at(-1 - end)) end++
  const oldMiddle = oldLines.slice(start, oldLines.length - end)
  const newMiddle = newLines.slice(start, newLines.length - end)
  const whole: ReplacedLines = { oldAt: start, oldCount: oldMiddle.length, newAt: start, newCount: newMiddle.length }
  if (Math.min(oldMiddle.length, newMiddle.length) < 2) return [whole]
  const maxEditLength = Math.min(mostEdits, Math.floor(mostWork / Math.max(oldMiddle.length, newMiddle.length)))
  if (Math.abs(oldMiddle.length - newMiddle.length) > maxEditLength) return [whole]
  const { diffArrays } = await import("diff")
  const changes = diffArrays(oldMiddle, newMiddle, { maxEditLength })
  return changes === undefined ? [whole] : joined(changes, start)
}

interface LineRun {
  readonly count: number
  readonly added: boolean
  readonly removed: boolean
}

function joined(changes: readonly LineRun[], start: number): ReplacedLines[] {
  const blocks: ReplacedLines[] = []
  let oldAt = start
  let newAt = start
  let open: ReplacedLines | undefined
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

function toHunks(oldLines: readonly string[], newLines: readonly string[], blocks: readonly ReplacedLines[]): Hunk[] {
  let room = mostHunkLines
  return together(blocks).flatMap((group) => {
    const first = group[0]
    const last = group.at(-1)
    if (first === undefined || last === undefined || room <= 0) return []
    const before = Math.min(context, first.oldAt)
    const oldEnd = Math.min(oldLines.length, last.oldAt + last.oldCount + context)
    const newEnd = last.newAt + last.newCount + (oldEnd - last.oldAt - last.oldCount)
    const lines: string[] = []
    // Only look at what is shown: a rewritten file may have very many lines.
    const add = (mark: string, all: readonly string[], from: number, until: number): void => {
      for (let i = from; i < until && lines.length < room; i++) lines.push(mark + (all[i] ?? "").replace(/\r?\n$/, ""))
    }
    let at = first.oldAt - before
    for (const { oldAt, oldCount, newAt, newCount } of group) {
      add(" ", oldLines, at, oldAt)
      add("-", oldLines, oldAt, oldAt + oldCount)
      add("+", newLines, newAt, newAt + newCount)
      at = oldAt + oldCount
    }
    add(" ", oldLines, at, oldEnd)
    room -= lines.length
    const oldCount = oldEnd - (first.oldAt - before)
    const newCount = newEnd - (first.newAt - before)
    return [
      {
        // An empty side is counted from the line before it, as patches do.
        oldStart: first.oldAt - before + (oldCount === 0 ? 0 : 1),
        oldLines: oldCount,
        newStart: first.newAt - before + (newCount === 0 ? 0 : 1),
        newLines: newCount,
        lines,
      },
    ]
  })
}

/** Blocks whose context lines touch share a hunk. */
function together(blocks: readonly ReplacedLines[]): ReplacedLines[][] {
  const groups: ReplacedLines[][] = []
  for (const block of blocks) {
    const previous = groups.at(-1)?.at(-1)
    if (previous && block.oldAt - (previous.oldAt + previous.oldCount) <= context * 2) groups.at(-1)?.push(block)
    else groups.push([block])
  }
  return groups
}

/** Lines keep their line endings, so that a changed line ending is a changed line. */
export function linesWithEnds(text: string): string[] {
  const lines: string[] = []
  for (let from = 0; from < text.length;) {
    const at = text.indexOf("\n", from)
    const end = at === -1 ? text.length : at + 1
    lines.push(text.slice(from, end))
    from = end
  }
  return lines
}

/** Without the context before it, in the lines after the change. */
export const firstChangedLine = ({ newStart, lines }: Hunk): number =>
  newStart +
  Math.max(
    0,
    lines.findIndex((line) => !line.startsWith(" ")),
  )

/** Those of one file in a patch as git writes it. */
export function hunksInPatch(patch: string): readonly Hunk[] {
  const hunks: (Omit<Hunk, "lines"> & { readonly lines: string[] })[] = []
  for (const line of patch.split("\n")) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (head) {
      const [, oldStart, oldLines = "1", newStart, newLines = "1"] = head
      hunks.push({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newStart: Number(newStart),
        newLines: Number(newLines),
        lines: [],
      })
    } else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line)
  }
  return hunks
}

export function patchText(hunks: readonly Hunk[]): string {
  return hunks
    .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
      ...lines,
    ])
    .join("\n")
}
