/** Which lines of a difference belong together, and which words of them changed. */

/** Pairs removed and added lines of one place by similarity, in order. */
export function pairs(lines: readonly string[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  for (let i = 0; i < lines.length;) {
    const gone = runOf(lines, i, "-")
    const come = runOf(lines, i + gone, "+")
    for (const [from, to] of alike(lines, i, gone, come)) {
      found.set(from, to)
      found.set(to, from)
    }
    i += Math.max(1, gone + come)
  }
  return found
}

/** Longer runs are another text, not another version of it. */
const mostAlike = 60

function alike(
  lines: readonly string[],
  start: number,
  gone: number,
  come: number,
): readonly (readonly [number, number])[] {
  if (gone === come) return Array.from({ length: gone }, (_, k) => [start + k, start + gone + k] as const)
  if (gone === 0 || come === 0 || gone > mostAlike || come > mostAlike) return []
  const found: (readonly [number, number])[] = []
  let next = start + gone
  for (let from = start; from < start + gone; from++) {
    let best = 0.5
    let partner: number | undefined
    for (let to = next; to < start + gone + come; to++) {
      const share = inCommon(lines[from]?.slice(1) ?? "", lines[to]?.slice(1) ?? "")
      if (share <= best) continue
      best = share
      partner = to
    }
    if (partner === undefined) continue
    found.push([from, partner])
    next = partner + 1
  }
  return found
}

/** The share of their common beginning and end. */
function inCommon(one: string, other: string): number {
  const own = one.trim()
  const its = other.trim()
  const most = Math.min(own.length, its.length)
  if (most === 0) return 0
  let start = 0
  while (start < most && own[start] === its[start]) start++
  let end = 0
  while (end < most - start && own.at(-1 - end) === its.at(-1 - end)) end++
  return (start + end) / Math.max(own.length, its.length)
}

function runOf(lines: readonly string[], from: number, mark: string): number {
  let count = 0
  while (lines[from + count]?.[0] === mark) count++
  return count
}

const words = /[\p{L}\p{N}_]+|\s+|./gu

export interface ChangedSpan {
  readonly from: number
  readonly to: number
}

/** Between the common beginning and the common end. */
export function changeIn(line: string, other: string | undefined): ChangedSpan | undefined {
  if (other === undefined || line.length > 1000) return undefined
  const own = line.match(words) ?? []
  const its = other.match(words) ?? []
  const most = Math.min(own.length, its.length)
  let start = 0
  while (start < most && own[start] === its[start]) start++
  let end = 0
  while (end < most - start && own.at(-1 - end) === its.at(-1 - end)) end++
  // When nearly everything differs, marking everything says nothing.
  if (start + end === 0) return undefined
  const from = own.slice(0, start).join("").length
  return { from, to: line.length - own.slice(own.length - end).join("").length }
}
