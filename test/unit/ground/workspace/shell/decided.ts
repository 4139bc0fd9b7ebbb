/** What is decided about a command, by the code that decides for the program. */

import { runs } from "#agent/words/footprint.ts"
import type { Behavior, PermissionMode } from "#agent/words/permission.ts"
import { analyse } from "#ground/workspace/shell/analyse.ts"
import type { ShellPlace } from "#ground/workspace/shell/analysis.ts"
import type { CommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { decide } from "#kits/permissions/decide.ts"
import { readersConfined } from "#kits/permissions/walls.ts"
import { type PermissionRule, parseRules } from "#kits/permissions/rules/rule.ts"

export interface Circumstances {
  readonly mode?: PermissionMode
  /** Rules that allow. */
  readonly allow?: readonly string[]
}

/** A place and what reads commands there. */
export interface Seen extends Pick<ShellPlace, "cwd" | "home" | "roots" | "realPath"> {
  readonly analyzer: CommandAnalyzer
}

export function decidedBy(
  command: string,
  { cwd, home, roots: [root = cwd, ...added], realPath, analyzer }: Seen,
  { mode = "default", allow = [] }: Circumstances = {},
): Behavior {
  return decide({
    tool: { name: "Bash" },
    input: { command },
    footprint: runs(command),
    mode,
    rules: rulesFrom(allow),
    workspace: { root, added, home, protectedPaths: [], own: [] },
    cwd,
    realPath,
    walls: readersConfined,
    analyzer,
  }).behavior
}

/** The same with a place that exists only in the test. */
export function decided(command: string, place: ShellPlace, circumstances: Circumstances = {}): Behavior {
  const analyzer: CommandAnalyzer = {
    view: () => ({
      analyse: (text) => analyse(text, place),
      list: (folder) => place.list?.(folder),
      below: () => [],
      gitLeadsOut: () => false,
    }),
    readsOnly: () => undefined,
  }
  return decidedBy(command, { ...place, analyzer }, circumstances)
}

/** Whether a command runs unasked because all of it only reads, inside the workspace. */
export const isFree = (command: string, place: ShellPlace): boolean => decided(command, place) === "allow"

/** Whether accepting edits covers a command, which reading alone does not. */
export const isFileWork = (command: string, place: ShellPlace): boolean =>
  !isFree(command, place) && decided(command, place, { mode: "acceptEdits" }) === "allow"

function rulesFrom(allow: readonly string[]): readonly PermissionRule[] {
  return parseRules(allow.map((text) => ({ behavior: "allow", text, source: "session" }))).rules
}
