/**
 * One page of the lines that a search finds, by path. The search ends as soon as the page is known, and no more than
 * the page is held.
 *
 * All cores search at first, in no order. That finds everything, or ends early because there is far more than the page
 * needs: then a search in the order of paths fills the page from a small part of the tree.
 */

import { ok, type Result } from "#lib/result.ts"
import { type FoundLine, openLineReader } from "./found-lines.ts"
import type { OnRecords, RipgrepOutput, SearchFailure } from "./ripgrep.ts"

export interface LinePageQuery {
  /** How many rows to skip; a break between passages is a row. */
  readonly offset: number
  readonly most: number
  /** Of all rows together. */
  readonly characters: number
  /** Whether passages are separated by a break. */
  readonly hasBreaks: boolean
  /** A line as it is shown. */
  readonly row: (path: string, line: FoundLine) => string
}

export interface FoundPage {
  readonly rows: readonly string[]
  /** How many there are, shown or not; with `isMore` at least one more than this. */
  readonly total: number
  readonly isMore: boolean
  /** Files with matches, as far as they are known. */
  readonly files: number
  /** The first of them. */
  readonly paths: readonly string[]
  readonly cut: RipgrepOutput["cut"]
}

export interface LineSearchParts extends LinePageQuery {
  readonly isWanted: (path: string) => boolean
  /** In the order of paths if told so; `perFile` is the most matching lines of one file that are needed. */
  readonly run: (how: {
    readonly order: "paths" | "any"
    readonly perFile: number
    readonly onRecords: OnRecords
  }) => Promise<Result<RipgrepOutput, SearchFailure>>
}

/** With so many times the lines of the page, a search in order needs only that part of what was searched. */
const timesEnough = 10
const mostHeld = 20_000
const mostHeldCharacters = 4_000_000
const mostPaths = 1_000

export async function searchLines(parts: LineSearchParts): Promise<Result<FoundPage, SearchFailure>> {
  // Whoever has come so far knows that there are very many.
  if (parts.offset > mostHeld / 2) return searchInOrder(parts, undefined)
  const limit = Math.min((parts.offset + parts.most) * timesEnough, mostHeld)
  const passagesByPath = new Map<string, Passages>()
  let lines = 0
  let characters = 0
  const read = openLineReader(
    onlyWanted(parts.isWanted, (path, line, begins) => {
      const passages = passagesByPath.get(path) ?? []
      if (passages.length === 0) passagesByPath.set(path, passages)
      if (begins) passages.push([line])
      else passages.at(-1)?.push(line)
      lines++
      characters += line.text.length
    }),
  )
  const isTooMuch = (): boolean => lines > limit || characters > mostHeldCharacters
  const searched = await parts.run({
    order: "any",
    perFile: limit + 1,
    onRecords(records) {
      read(records.toString("utf8"))
      return isTooMuch() ? "enough" : undefined
    },
  })
  if (!searched.ok) return searched
  if (isTooMuch()) {
    passagesByPath.clear()
    return searchInOrder(parts, lines > limit ? limit : undefined)
  }
  const page = openPage(parts)
  for (const [path, passages] of [...passagesByPath].sort(([a], [b]) => comparePaths(a, b)))
    for (const passage of passages) passage.forEach((line, nth) => page.add(path, line, nth === 0))
  return ok({ ...page.found(), isMore: false, cut: searched.value.cut })
}

type Passages = FoundLine[][]

/** Ends with the first row behind the page. `known`: there are more rows than that. */
async function searchInOrder(
  parts: LineSearchParts,
  known: number | undefined,
): Promise<Result<FoundPage, SearchFailure>> {
  const page = openPage(parts)
  const read = openLineReader(onlyWanted(parts.isWanted, page.add))
  const searched = await parts.run({
    order: "paths",
    perFile: Number.POSITIVE_INFINITY,
    onRecords(records) {
      read(records.toString("utf8"))
      return page.isFull() ? "enough" : undefined
    },
  })
  if (!searched.ok) return searched
  const { total, ...found } = page.found()
  const isMore = page.isFull()
  const counted = isMore ? parts.offset + found.rows.length : total
  return ok({ ...found, total: isMore ? Math.max(counted, known ?? 0) : total, isMore, cut: searched.value.cut })
}

function openPage({ offset, most, characters, hasBreaks, row }: LinePageQuery) {
  const rows: string[] = []
  const paths: string[] = []
  let total = 0
  let files = 0
  let last: string | undefined
  let length = 0
  let isFull = false

  function put(shown: () => string): void {
    const isInside = total >= offset && rows.length < most && !isFull
    total++
    if (total <= offset) return
    if (!isInside) return void (isFull = true)
    const text = shown()
    length += text.length + 1
    // One row is always shown, so that the next page is another one.
    if (length > characters && rows.length > 0) return void (isFull = true)
    rows.push(text)
  }

  return {
    add(path: string, line: FoundLine, begins: boolean): void {
      if (path !== last) {
        last = path
        files++
        if (paths.length < mostPaths) paths.push(path)
      }
      if (begins && hasBreaks && total > 0) put(() => "--")
      put(() => row(path, line))
    },
    /** There is a row behind the page. */
    isFull: () => isFull,
    found: () => ({ rows, total, files, paths }),
  }
}

function onlyWanted(
  isWanted: (path: string) => boolean,
  onLine: (path: string, line: FoundLine, begins: boolean) => void,
): (path: string, line: FoundLine, begins: boolean) => void {
  let last: string | undefined
  let isLastWanted = false
  return (path, line, begins) => {
    if (path !== last) {
      last = path
      isLastWanted = isWanted(path)
    }
    if (isLastWanted) onLine(path, line, begins)
  }
}

/** In ripgrep's order: folder by folder, names by their bytes. */
export function comparePaths(a: string, b: string): number {
  let at = 0
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return rankAt(a, at) - rankAt(b, at)
}

function rankAt(path: string, at: number): number {
  if (at >= path.length) return -2
  if (path.charCodeAt(at) === slash) return -1
  const unit = path.charCodeAt(at)
  // In UTF-8, surrogate pairs come behind everything else.
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

const slash = 47
