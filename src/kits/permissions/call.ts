/** What a decision looks at: one call, and its place. */

import type { Footprint } from "#agent/words/footprint.ts"
import type { Analysis, Segment } from "#ground/workspace/shell/analysis.ts"
import { plainDisk } from "#ground/workspace/plain-disk.ts"
import type { CommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import type { JsonObject } from "#lib/json.ts"
import { onceEach } from "#lib/once-each.ts"
import { isCoreReader, runsGit } from "#ground/workspace/shell/programs/core-readers.ts"
import { type Forms, formsWith, type RealPath, type Workspace } from "./paths.ts"
import { type ReadCommand, readCommand } from "./read-command.ts"
import type { NamedTool } from "./rules/tool-names.ts"
import type { Walls } from "./walls.ts"

export interface CallToJudge {
  readonly tool: NamedTool
  readonly input: JsonObject
  readonly footprint: Footprint
  readonly workspace: Workspace
  /** The session's current folder, which may differ from the workspace's root. */
  readonly cwd: string
  readonly realPath: RealPath
  readonly walls: Walls
  readonly analyzer?: CommandAnalyzer | undefined
}

/** With everything that each stage would otherwise compute again. */
export interface JudgedCall extends Omit<CallToJudge, "realPath" | "analyzer"> {
  readonly forms: Forms
  readonly commands: readonly ReadCommand[]
  /** Every path that is read: declared, and found in commands. */
  readonly reads: readonly string[]
  /** Every path that is changed: declared, and found in commands. */
  readonly writes: readonly string[]
  /** Whether a read-only part may read without asking. */
  readonly readsUnasked: (segment: Segment) => boolean
  readonly isFolder: (path: string) => boolean
  /** The names in a folder; undefined if it cannot be read. */
  readonly list: (folder: string) => readonly string[] | undefined
  /** Every relative path below a folder, except in folders named `leftOut`; undefined if unknown. */
  readonly below: (folder: string, leftOut?: string) => readonly string[] | undefined
}

export function judgedCall(call: CallToJudge): JudgedCall {
  const { tool, input, footprint, workspace, cwd, realPath, walls, analyzer } = call
  const roots = [workspace.root, ...workspace.added, ...workspace.own]
  // A decision asks about the same few folders repeatedly; the next one looks at the disk again.
  const followed: RealPath = onceEach(realPath)
  const view = analyzer?.view()
  const analyse = (command: string): Analysis =>
    view ? view.analyse(command, { cwd, home: workspace.home, roots, realPath: followed }) : unread
  // Where nothing confines it, git must not be led to other files by links in its own folder.
  const gitLeadsOut = onceEach((folder) => view?.gitLeadsOut(folder, { roots, realPath: followed }) ?? true)
  const readsByItself = (segment: Segment): boolean =>
    isCoreReader(segment) && !(runsGit(segment) && (segment.folders?.some(gitLeadsOut) ?? true))
  const commands = footprint.runs.map((command) => readCommand(command, analyse(command)))
  const segments = commands.flatMap(({ analysis }) => analysis.segments)
  return {
    tool,
    input,
    footprint,
    workspace,
    cwd,
    walls,
    forms: formsWith(followed),
    commands,
    reads: joined(
      footprint.reads,
      segments.flatMap((segment) => segment.reads),
    ),
    writes: joined(
      footprint.writes,
      segments.flatMap((segment) => segment.writes),
    ),
    // Behind that wall there is no network, so that asking first is better than failing first.
    readsUnasked: walls.reader ? ({ network }) => !network : readsByItself,
    isFolder: (path) => view?.list(path) !== undefined,
    list: view?.list ?? plainDisk.names,
    below: (folder, leftOut) => view?.below(folder, leftOut),
  }
}

const unread: Analysis = { understood: false, why: "nothing here reads commands", segments: [] }

const joined = (some: readonly string[], more: readonly string[]): readonly string[] =>
  more.length === 0 ? some : [...new Set([...some, ...more])]

/** The host of a URL in lower case, without brackets and a trailing dot; undefined if it is not a URL. */
export function hostOf(address: string): string | undefined {
  return URL.parse(address)
    ?.hostname.toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
}
