/** What follows from an analysis: whether it only reads, what it reads, what it risks. */

import type { Analysis, Destruction, ShellPlace, Segment } from "./analysis.ts"
import { isWithin } from "./paths.ts"

/** Every part only reads, and every path it names is in the allowed folders: nothing to ask. */
export function isReadOnly(analysis: Analysis, place: Pick<ShellPlace, "roots" | "realPath">): boolean {
  return (
    analysis.understood &&
    analysis.segments.every(({ verdict, unbounded }) => verdict === "read_only" && !unbounded) &&
    readsOutside(analysis, place).length === 0
  )
}

/** Each path once. */
export function readPaths({ segments }: Analysis): readonly string[] {
  return [...new Set(segments.flatMap(({ reads }) => reads))]
}

/** Paths that are read and are not, as written and resolved, in an allowed folder. */
function readsOutside(
  analysis: Analysis,
  { roots, realPath }: Pick<ShellPlace, "roots" | "realPath">,
): readonly string[] {
  return readPaths(analysis).filter((path) => !isWithin(path, roots, realPath))
}

/** The first reason why this must be asked in every mode. */
export function criticalIn(analysis: Analysis): string | undefined {
  return (
    analysis.segments.find(({ critical }) => critical !== undefined)?.critical ??
    (analysis.understood ? undefined : analysis.critical)
  )
}

/** That a line runs what it downloads itself, as a sentence. */
export const fetchedIn = ({ segments }: Analysis): string | undefined =>
  segments.find(({ fetched }) => fetched !== undefined)?.fetched

/** Everything that could not be undone, with the part that would do it. */
export function destructions({
  segments,
}: Analysis): readonly { readonly segment: Segment; readonly destruction: Destruction }[] {
  return segments.flatMap((segment) => (segment.destructive ? [{ segment, destruction: segment.destructive }] : []))
}
