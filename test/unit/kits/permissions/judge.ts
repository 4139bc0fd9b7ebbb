/** Short ways to make calls, rules and decisions for the tests of this room. */

import { mkdirSync, readlinkSync, realpathSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { type Footprint, reaches, reads, runs, touchesNothing, writes } from "#agent/words/footprint.ts"
import type { HookWord } from "#agent/words/middleware.ts"
import type { Behavior, Decision, PermissionMode, RuleSource } from "#agent/words/permission.ts"
import { openCommandAnalyzer, type CommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { decide } from "#kits/permissions/decide.ts"
import type { GateStanding } from "#kits/permissions/gates.ts"
import type { Workspace } from "#kits/permissions/paths.ts"
import { type PermissionRule, parseRules } from "#kits/permissions/rules/rule.ts"
import { readersConfined, type Walls, type WallsPort } from "#kits/permissions/walls.ts"
import type { JsonObject } from "#lib/json.ts"
import { lastingFolder } from "../../../kit/tmp.ts"

/** The real analysis, loaded once. */
export const analyzer: CommandAnalyzer = await openCommandAnalyzer().load()

export interface RuleLists {
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

export function rulesFrom(lists: RuleLists, source: RuleSource = "session", base?: string): readonly PermissionRule[] {
  const behaviors: readonly Behavior[] = ["allow", "ask", "deny"]
  const { rules, problems } = parseRules(
    behaviors.flatMap((behavior) =>
      (lists[behavior] ?? []).map((text) => ({ behavior, text, source, ...(base !== undefined && { base }) })),
    ),
  )
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("\n"))
  return rules
}

export interface Case {
  readonly tool: string
  readonly coordinates?: true
  readonly footprint?: Footprint
  readonly input?: JsonObject
  readonly mode?: PermissionMode
  readonly rules?: readonly PermissionRule[]
  readonly workspace?: Partial<Workspace>
  readonly cwd?: string
  readonly realPath?: (path: string) => string
  readonly hook?: HookWord
  readonly gates?: GateStanding
  /** What confines commands; readers alone when absent. */
  readonly walls?: Walls
}

export const place: Workspace = {
  root: "/repo",
  added: [],
  home: "/home/me",
  protectedPaths: ["/home/me/.codewright"],
  own: [],
}

export const readerWalls: WallsPort = { now: () => readersConfined, isLoaded: () => true, load: () => undefined }

export function decideCase(given: Case): Decision {
  const workspace = { ...place, ...given.workspace }
  return decide({
    tool: { name: given.tool, ...(given.coordinates && { coordinates: true }) },
    input: given.input ?? {},
    footprint: given.footprint ?? touchesNothing(),
    mode: given.mode ?? "default",
    rules: given.rules ?? [],
    hook: given.hook,
    gates: given.gates,
    workspace,
    cwd: given.cwd ?? workspace.root,
    realPath: given.realPath ?? ((path) => path),
    walls: given.walls ?? readersConfined,
    analyzer,
  })
}

export const bash = (command: string, rest: Partial<Case> = {}): Decision =>
  decideCase({ tool: "Bash", footprint: runs(command), input: { command }, ...rest })
export const edit = (path: string, rest: Partial<Case> = {}): Decision =>
  decideCase({ tool: "Edit", footprint: writes(path), input: { file_path: path }, ...rest })
export const read = (path: string, rest: Partial<Case> = {}): Decision =>
  decideCase({ tool: "Read", footprint: reads(path), input: { file_path: path }, ...rest })
export const fetches = (url: string, rest: Partial<Case> = {}): Decision =>
  decideCase({ tool: "WebFetch", footprint: reaches(url), input: { url }, ...rest })

/** Follows links on the real disk, as far as a path exists, dangling ones too. */
export function diskRealPath(path: string, depth = 40): string {
  try {
    return realpathSync(path)
  } catch {
    // It does not exist, or not yet: its folder may, and the last name may be a link to nowhere.
  }
  const folder = diskRealPath(dirname(resolve(path)), depth)
  const here = join(folder, basename(path))
  const target = linkTarget(here)
  return target !== undefined && depth > 0 ? diskRealPath(resolve(folder, target), depth - 1) : here
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** A real folder with the given files in it. */
export function tempTree(files: { readonly [path: string]: string }): string {
  const root = lastingFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}
