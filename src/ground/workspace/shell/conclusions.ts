/** What follows from an analysis: whether it only reads, whether it is plain file work, what it touches, what it risks. */

import type { Analysis, Destruction, Place, Segment } from "./analysis.ts"
import { isWithin } from "./paths.ts"

/** Every part only reads, and every path it names lies in the allowed folders: nothing to ask. */
export function isReadOnly(analysis: Analysis, place: Place): boolean {
  return onlyReads(analysis) && readsOutside(analysis, place).length === 0
}

/** Every part only reads, wherever; what lies outside the allowed folders is then a matter of read rules. */
export function onlyReads(analysis: Analysis): boolean {
  return (
    analysis.understood && analysis.segments.every(({ verdict, unbounded }) => verdict === "read_only" && !unbounded)
  )
}

/**
 * Every part only reads, or makes and moves exactly the files it names, all inside the allowed folders: what accepting
 * edits covers, once none of `writtenPaths` is protected. A part that may move a link must be the only one with
 * paths, because the others were judged by where links point now.
 */
export function isFileWork(analysis: Analysis, place: Place): boolean {
  if (!analysis.understood || readsOutside(analysis, place).length + writesOutside(analysis, place).length > 0)
    return false
  const { segments } = analysis
  const relinking = segments.filter(({ relinks }) => relinks)
  const withPaths = segments.filter(({ reads, writes }) => reads.length + writes.length > 0)
  if (relinking.length > 0 && withPaths.length > 1) return false
  if (segments.some(({ writes }) => writes.length > 0) && segments.some(({ relies }) => relies)) return false
  return segments.every(
    ({ verdict, harmless, unbounded }) =>
      !unbounded && (verdict === "read_only" || (verdict === "touches_files" && harmless)),
  )
}

/** Absolute paths that are read, each once. */
export function readPaths({ segments }: Analysis): readonly string[] {
  return [...new Set(segments.flatMap(({ reads }) => reads))]
}

/** Absolute paths that are created, changed or removed, each once. */
export function writtenPaths({ segments }: Analysis): readonly string[] {
  return [...new Set(segments.flatMap(({ writes }) => writes))]
}

/** Paths that are read and do not lie, as given and really, in an allowed folder. */
export function readsOutside(analysis: Analysis, { roots, realPath }: Place): readonly string[] {
  return readPaths(analysis).filter((path) => !isWithin(path, roots, realPath))
}

/** Paths that are changed and do not lie, as given and really, in an allowed folder. */
export function writesOutside(analysis: Analysis, { roots, realPath }: Place): readonly string[] {
  return writtenPaths(analysis).filter((path) => !isWithin(path, roots, realPath))
}

/** The first reason why this must be asked in every mode. */
export function criticalIn(analysis: Analysis): string | undefined {
  return (
    analysis.segments.find(({ critical }) => critical !== undefined)?.critical ??
    (analysis.understood ? undefined : analysis.critical)
  )
}

/** Everything that could not be taken back, with the part that would do it. */
export function destructions({
  segments,
}: Analysis): readonly { readonly segment: Segment; readonly destruction: Destruction }[] {
  return segments.flatMap((segment) => (segment.destructive ? [{ segment, destruction: segment.destructive }] : []))
}
