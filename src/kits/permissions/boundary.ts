/** Which boundary a permission comes with: the user's, or what was judged. */

import { type Boundary, byUser, type ConfinedPart, type JudgedBoundary } from "#agent/words/boundary.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { isPlainCommand } from "#ground/workspace/shell/programs/core-readers.ts"
import { viewFor } from "#ground/workspace/shell/judged-view.ts"
import type { JudgedCall } from "./call.ts"
import { leaving } from "./leaving.ts"
import { type CommandPart, isFreeToRead, needsConfinement } from "./parts.ts"
import { resolvedFrom } from "./paths.ts"

/** For what the user decided. */
export function userBoundary(call: JudgedCall, mode: PermissionMode): Boundary {
  if (mode === "plan") return planBoundary(call)
  return leaving(call) === undefined ? byUser : { by: "user", outside: true }
}

/**
 * Plan mode allows nothing but reading, whoever else allows more. What reads from the network would get nothing where
 * there is none; it runs as the settings say, and the rest of its line stays confined.
 */
function planBoundary(call: JudgedCall): Boundary {
  const segments = call.commands.flatMap(({ analysis }) => analysis.segments)
  const others = segments.filter((segment) => !segment.network && needsConfinement(segment))
  const isConfinable = others.every(({ at }) => at !== undefined)
  if (!segments.some(({ network }) => network) || !isConfinable) return judgedBoundary(call)
  return others.length === 0 ? byUser : { by: "user", parts: confinedParts(call, others) }
}

/** For what nobody was asked about. */
export const judgedBoundary = (call: JudgedCall): JudgedBoundary =>
  around(
    call,
    call.commands.flatMap(({ analysis }) => analysis.segments),
  )

/** For a command line of which rules may name some parts, and the others were judged. */
export function lineBoundary(call: JudgedCall, parts: readonly CommandPart[], mode: PermissionMode): Boundary {
  if (parts.every(({ by }) => by === "judgement")) return judgedBoundary(call)
  const boundary = userBoundary(call, mode)
  if (boundary.by !== "user") return boundary
  const confined = parts.filter(({ by, segment }) => by === "judgement" && needsConfinement(segment))
  if (confined.length === 0) return boundary
  const segments = confined.map(({ segment }) => segment)
  return { ...boundary, parts: confinedParts(call, segments) }
}

/** One for each place in the line: a loop, or `find -exec`, makes several parts of one. */
function confinedParts(call: JudgedCall, parts: readonly Segment[]): readonly ConfinedPart[] {
  const places = new Map<number, Segment[]>()
  for (const segment of parts)
    if (segment.at !== undefined) places.set(segment.at, [...(places.get(segment.at) ?? []), segment])
  return [...places].map(([at, segments]) => ({
    at,
    variables: [...new Set(segments.flatMap(({ assignments }) => assignments.map(({ name }) => name)))],
    boundary: around(call, segments),
  }))
}

function around(call: JudgedCall, segments: readonly Segment[]): JudgedBoundary {
  const distinct = (paths: readonly string[]): readonly string[] => [...new Set(paths)]
  return {
    by: "judgement",
    writes: distinct(segments.flatMap(({ writes }) => writes)),
    reads: distinct(segments.flatMap(({ reads }) => reads)).filter((path) => !isFreeToRead(path, call)),
    mustHold: call.walls.reader,
    ...viewFor(segments),
    ...(segments.every(isPlainCommand) &&
      segments.some((segment) => looksOutside(segment, call)) && { wholeDisk: true }),
  }
}

/** Whether it is a condition about a path outside the workspace, which it could not see there. */
function looksOutside({ argv: [name, ...words], text, cwd = "" }: Segment, call: JudgedCall): boolean {
  const isOutside = (word: string): boolean =>
    /^[^-].*\/|^\.\.$/.test(word) && !isFreeToRead(resolvedFrom(cwd || call.cwd, word), call)
  if (name === "[" || name === "test") return words.some(isOutside)
  // Its words are as written, and may stand for any path.
  return text.startsWith("[[") && text.split(/\s+/).some((word) => /[$~]/.test(word) || isOutside(word))
}
