/** What must not happen by mistake: removing too much, and destroying what someone needs. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { Analysis, Destruction, Segment } from "#ground/workspace/shell/analysis.ts"
import { criticalIn, destructions, fetchedIn } from "#ground/workspace/shell/conclusions.ts"
import type { JudgedCall } from "./call.ts"
import { programName } from "#ground/workspace/shell/programs/launchers.ts"
import { isHeldUnasked } from "./leaving.ts"
import { resolvedFrom } from "./paths.ts"
import { isUndoableRemoval } from "./undoable.ts"

/** Why a call must be asked about in every mode, as a sentence. Running a download is allowed in bypass mode. */
export function criticalReason(call: JudgedCall, mode?: PermissionMode): string | undefined {
  if (call.commands.length === 0) return undefined
  const isSpared = sparesFresh(call, mode)
  for (const { analysis } of call.commands) {
    const why =
      criticalIn(isSpared ? withoutFresh(analysis) : analysis) ??
      (mode === "bypassPermissions" ? undefined : fetchedIn(analysis))
    if (why !== undefined) return why
  }
  return undefined
}

/** Whether it would remove the system, the home or the workspace, as far as can be parsed. */
export const isCritical = ({ commands }: JudgedCall): boolean =>
  commands.some(({ analysis }) => analysis.segments.some(({ critical }) => critical !== undefined))

/** Everything that a call would destroy, except what a mode or the sandbox covers. */
export function risksOf(call: JudgedCall, mode?: PermissionMode): readonly Destruction[] {
  if (call.commands.length === 0) return []
  const isSpared = mode === "acceptEdits" || (mode !== undefined && isHeldUnasked(call))
  const isFreed = sparesFresh(call, mode)
  const isCovered = (segment: Segment): boolean =>
    (isSpared && isUndoableRemoval(segment, call)) || (isFreed && segment.removesFresh === true)
  return call.commands.flatMap(({ analysis }) =>
    destructions(analysis).flatMap(({ segment, destruction }) => (isCovered(segment) ? [] : [destruction])),
  )
}

/** Whether the line may remove its own temporary files: in the sandbox, and unless it moved something there. */
const sparesFresh = (call: JudgedCall, mode: PermissionMode | undefined): boolean =>
  mode !== undefined &&
  isHeldUnasked(call) &&
  call.commands.every(({ everything }) => everything.every(({ argv: [name = ""] }) => programName(name) !== "mv"))

const withoutFresh = (analysis: Analysis): Analysis => ({
  ...analysis,
  segments: analysis.segments.filter(({ removesFresh }) => !removesFresh),
})

/** With the exact part that would do it, which may be behind a shell or a wrapper. */
export function destroyersIn({ commands }: JudgedCall): readonly Destroying[] {
  return commands.flatMap(({ analysis }) =>
    destructions(analysis).map(({ segment, destruction }) => ({
      destruction,
      segment,
      part: innermost(segment, destruction),
    })),
  )
}

interface Destroying {
  readonly destruction: Destruction
  readonly segment: Segment
  readonly part: Segment
}

function innermost(segment: Segment, destruction: Destruction): Segment {
  const inner = segment.behind.find(({ destructive }) => destructive === destruction)
  return inner ? innermost(inner, destruction) : segment
}

/** Programs that change their input files, in forms that no table describes. */
const editors: ReadonlySet<string> = new Set([
  "7z",
  "bsdtar",
  "chmod",
  "chown",
  "cp",
  "cpio",
  "dd",
  "ed",
  "ex",
  "gunzip",
  "install",
  "ln",
  "mkdir",
  "mv",
  "patch",
  "perl",
  "rename",
  "rm",
  "rsync",
  "scp",
  "sed",
  "sponge",
  "tar",
  "tee",
  "touch",
  "truncate",
  "unzip",
])

/** Paths that such a program names, so that protected ones are noticed even if the analysis cannot tell what it does. */
export function editsByWord(call: JudgedCall): readonly string[] {
  const segments = call.commands.flatMap(({ everything }) => everything)
  return segments.flatMap(({ verdict, argv, cwd }) => {
    const [name = "", ...words] = argv
    if (verdict !== "other" || !(editors.has(programName(name)) || isGitMove(argv))) return []
    return words
      .map((word) => word.replace(/^[\w-]*=/, ""))
      .filter((word) => word !== "" && !word.startsWith("-"))
      .map((word) => resolvedFrom(cwd ?? call.cwd, word))
  })
}

const isGitMove = ([name = "", verb]: readonly string[]): boolean => programName(name) === "git" && verb === "mv"
