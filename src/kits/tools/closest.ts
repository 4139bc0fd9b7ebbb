/** Finds the passage most similar to one that was not found, so that the model sees what is really there. */

export interface ClosestPassage {
  /** Counted from 1. */
  readonly first: number
  readonly lines: readonly string[]
}

const mostLines = 50_000
const mostShown = 30
const candidates = 12
/** Less similar passages would only mislead. */
const leastLikeness = 0.5

export function closestPassage(lines: readonly string[], wanted: readonly string[]): ClosestPassage | undefined {
  const sought = wanted.map(plain)
  const anchor = anchorOf(sought)
  if (anchor === undefined) return undefined
  const height = Math.min(wanted.length, mostShown)
  const best = startsNear(lines.slice(0, mostLines), sought, anchor)
    .map((start) => ({ start, likeness: likenessAt(lines, start, sought) }))
    .sort((a, b) => b.likeness - a.likeness || a.start - b.start)[0]
  if (best === undefined || best.likeness < leastLikeness) return undefined
  const start = Math.max(0, best.start)
  return { first: start + 1, lines: lines.slice(start, start + height) }
}

/** Indentation and spacing are most often wrong, so they do not count. */
const plain = (line: string): string => line.trim().replace(/\s+/g, " ")

/** The most distinctive line: the longest. */
function anchorOf(sought: readonly string[]): number | undefined {
  let anchor: number | undefined
  sought.forEach((line, i) => {
    if (line !== "" && line.length > (anchor === undefined ? 0 : (sought[anchor]?.length ?? 0))) anchor = i
  })
  return anchor
}

/** Where the passage would start if the anchor were at the most similar lines. */
function startsNear(lines: readonly string[], sought: readonly string[], anchor: number): number[] {
  const pairs = pairsOf(sought[anchor] ?? "")
  return lines
    .map((line, at) => ({ start: at - anchor, likeness: likeness(pairsOf(plain(line)), pairs) }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, candidates)
    .map(({ start }) => start)
}

function likenessAt(lines: readonly string[], start: number, sought: readonly string[]): number {
  let sum = 0
  let weight = 0
  sought.slice(0, mostShown).forEach((line, i) => {
    if (line === "") return
    weight += line.length
    sum += line.length * likeness(pairsOf(plain(lines[start + i] ?? "")), pairsOf(line))
  })
  return weight === 0 ? 0 : sum / weight
}

const longestCompared = 300

/** The bigrams of a line: a cheap measure that tolerates changes anywhere. */
function pairsOf(line: string): Map<number, number> {
  const pairs = new Map<number, number>()
  const end = Math.min(line.length, longestCompared)
  for (let i = 0; i + 1 < end; i++) {
    const pair = line.charCodeAt(i) * 65_536 + line.charCodeAt(i + 1)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  if (end === 1) pairs.set(line.charCodeAt(0), 1)
  return pairs
}

/** From 0 for nothing in common to 1 for the same bigrams. */
function likeness(a: Map<number, number>, b: Map<number, number>): number {
  let common = 0
  for (const [pair, count] of b) common += Math.min(count, a.get(pair) ?? 0)
  const all = sizeOf(a) + sizeOf(b)
  return all === 0 ? 1 : (2 * common) / all
}

function sizeOf(pairs: Map<number, number>): number {
  let size = 0
  for (const count of pairs.values()) size += count
  return size
}
