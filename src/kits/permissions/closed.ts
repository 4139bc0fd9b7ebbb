/** Paths that are closed to every tool: whoever could read them could speak for others, or as the owner of the machine. See decision 94. */

import { liesIn, liesInOne } from "#lib/lies-in.ts"
import { isCoreReader } from "#ground/workspace/shell/programs/core-readers.ts"
import { programName } from "#ground/workspace/shell/programs/launchers.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import type { JudgedCall } from "./call.ts"
import { type ClosedPath, type Forms, isInside, namesBelow, type Workspace } from "./paths.ts"

export interface ClosedTouch {
  /** As the call names it. */
  readonly path: string
  readonly closed: ClosedPath
  /** Whether the path is a folder around what is closed, and not in it. */
  readonly isAround: boolean
}

/** What is closed among what a call would read or change. Searches of ours leave it out by themselves, and confined readers do not see it. */
export function findClosedPath(call: JudgedCall): ClosedTouch | undefined {
  const { reads, writes, forms, commands, walls } = call
  const workspace = commands.length === 0 ? call.workspace : withoutHeld(call.workspace)
  const touched = [...reads, ...writes]
  const mayBe = touched.length > 0 && (workspace.mayBeClosed?.(touched.flatMap(forms)) ?? true)
  const named = mayBe ? touchIn(touched, (path) => closedAt(path, workspace, forms)) : undefined
  if (named || walls.reader) return named && { ...named, isAround: false }
  const wide = commands.flatMap(({ analysis }) => analysis.segments.filter((part) => !onlyLists(part)))
  const around = touchIn(
    wide.flatMap((part) => part.reads),
    (path) => closedBelow(path, workspace, forms),
  )
  return around && { ...around, isAround: true }
}

const withoutHeld = (workspace: Workspace): Workspace =>
  workspace.closed?.some(({ heldBySandbox }) => heldBySandbox)
    ? { ...workspace, closed: workspace.closed.filter(({ heldBySandbox }) => !heldBySandbox) }
    : workspace

/**
 * Whether paths in a folder, with their links resolved, are closed. Asked for every file that a search finds, so the disk
 * is looked at once, and what is neither in the folder nor around it is left out beforehand: mostly everything.
 */
export function closedFinder(workspace: Workspace, forms: Forms): (folder: string) => (path: string) => boolean {
  const fold = foldOf(workspace)
  const rows = (workspace.closed ?? []).map(({ path, except }) => ({
    folders: forms(path).map(fold),
    except: except.flatMap(forms).map(fold),
  }))
  return (folder) => {
    const searched = fold(folder)
    const near = rows.filter(({ folders }) => folders.some((at) => liesIn(at, searched) || liesIn(searched, at)))
    if (near.length === 0) return () => false
    return (path) => {
      const folded = fold(path)
      return near.some(({ folders, except }) => liesInOne(folded, folders) && !liesInOne(folded, except))
    }
  }
}

function touchIn(
  paths: readonly string[],
  find: (path: string) => ClosedPath | undefined,
): Pick<ClosedTouch, "path" | "closed"> | undefined {
  for (const path of paths) {
    const closed = find(path)
    if (closed) return { path, closed }
  }
  return undefined
}

function closedAt(path: string, workspace: Workspace, forms: Forms): ClosedPath | undefined {
  const fold = foldOf(workspace)
  return workspace.closed?.find(
    (each) =>
      forms(path).some((form) => forms(each.path).some((at) => namesBelow(fold(at), fold(form)) !== undefined)) &&
      !isInside(path, each.except, forms),
  )
}

function closedBelow(path: string, workspace: Workspace, forms: Forms): ClosedPath | undefined {
  const fold = foldOf(workspace)
  return workspace.closed?.find((each) =>
    forms(path).some((folder) => forms(each.path).some((at) => namesBelow(fold(folder), fold(at)) !== undefined)),
  )
}

const foldOf = ({ ignoresCase = false }: Workspace): ((path: string) => string) =>
  ignoresCase ? (path) => path.toLowerCase() : (path) => path

const listers: ReadonlySet<string> = new Set(
  ": [ [[ cd echo ls stat du df find test readlink realpath pwd basename dirname git".split(" "),
)

/** Whether a command tells names and sizes, and opens no file below a folder that it names. */
const onlyLists = (part: Segment): boolean =>
  isCoreReader(part) && part.behind.length === 0 && listers.has(programName(part.argv[0] ?? "cd"))
