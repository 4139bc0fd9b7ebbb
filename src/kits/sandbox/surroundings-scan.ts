/** A bounded walk through the workspace: which repositories are in it, and what rules with wildcards match now. */

import { hasRepositoryShape } from "#ground/workspace/git/repository-shape.ts"
import type { Area, Disk, Named, PathDenial, AreaStep, Surroundings } from "./facts.ts"
import { onceFor } from "#lib/once-each.ts"
import { isBelow, liesInOne } from "#lib/lies-in.ts"

export interface WalkLimits {
  /** Limit of folders scanned below each place. */
  readonly folders: number
  /** How many more are scanned if they changed since the last walk. */
  readonly changed?: number
  /** Limit of paths per rule: each is a mount in every command. */
  readonly matches: number
}

const walkLimits: WalkLimits = { folders: 4_000, changed: 20_000, matches: 200 }

/** Yields between two slices of a walk. */
export type YieldToLoop = () => Promise<void>

/** A slice is short, so that whoever breathes decides when it is time. */
const foldersPerSlice = 50

export async function scanSurroundings(
  {
    roots,
    paths,
    disk,
    yieldToLoop,
    isKnown,
    aside = [],
  }: {
    readonly roots: readonly string[]
    readonly paths: readonly PathDenial[]
    readonly disk: Disk
    readonly yieldToLoop: YieldToLoop
    /** Whether a folder is as the last walk saw it; when absent there was none. */
    readonly isKnown?: (folder: string) => boolean
    /** Folders that are not walked, unless a link leads there. */
    readonly aside?: readonly string[]
  },
  limits: WalkLimits = walkLimits,
): Promise<Omit<Surroundings, "secrets">> {
  const repositories: string[] = []
  const matches = new Map<string, string[]>()
  const unfinished = new Set<string>()
  const unwalked = new Set<string>()
  const tops = outermost(roots)
  const linked = new Set<string>()
  const seekers = paths.flatMap(({ text, areas }) =>
    areas.filter(({ steps }) => isWild(steps)).map((area) => ({ text, ...afterPlain(area) })),
  )

  function found(text: string, path: string): void {
    const known = matches.get(text) ?? []
    if (known.length >= limits.matches) unfinished.add(text)
    else if (!known.includes(path)) matches.set(text, [...known, path])
  }

  /** Whoever enters such a link is in a folder that was not walked: inside a `.git`, or among temporary files. */
  function linkedFrom(links: readonly string[]): readonly string[] {
    return links.flatMap((link) => {
      const target = disk.real(link)
      const isInGit = tops.some((top) => isBelow(target, top) && /\/\.git(?:\/|$)/i.test(target.slice(top.length)))
      if (linked.has(target) || !(isInGit || liesInOne(target, aside)) || disk.kindOf(target) !== "folder") return []
      linked.add(target)
      return [target]
    })
  }

  /** Breadth first, and installed packages last: what people write lies near the top. */
  async function walk(top: string, { git }: { readonly git: boolean }): Promise<void> {
    const own = seekers.filter(({ folder }) => folder === top || isBelow(folder, top) || isBelow(top, folder))
    if (!git && own.length === 0) return
    const queue: string[] = [top]
    const later: string[] = []
    const most = limits.folders + (isKnown ? (limits.changed ?? 0) : 0)
    let looked = 0
    let at = 0
    for (;;) {
      const folder = at < queue.length ? queue[at++] : later.shift()
      if (folder === undefined) return
      if (++looked > most || (looked > limits.folders && isKnown?.(folder))) {
        for (const { text } of own) unfinished.add(text)
        if (git) unwalked.add(tooManyFolders(top, limits))
        if (looked > most) return
        continue
      }
      if (looked % foldersPerSlice === 0) await yieldToLoop()
      const entries = disk.list(folder)
      const prefix = folder === "/" ? "/" : `${folder}/`
      const { hasShape, gits, folders, links } = summaryOf(entries)
      if (git && hasShape) repositories.push(folder)
      if (git) repositories.push(...gits.map((name) => prefix + name))
      for (const name of folders) (name === "node_modules" ? later : queue).push(prefix + name)
      if (git && !isInstalled(folder, top)) queue.push(...linkedFrom(links.map((name) => prefix + name)))
      if (own.length === 0) continue
      for (const { name } of entries)
        for (const seeker of own) if (means(seeker, prefix + name)) found(seeker.text, prefix + name)
    }
  }

  for (const top of tops) await walk(top, { git: true })
  const elsewhere = outermost(
    seekers.map(({ folder }) => folder).filter((folder) => !tops.some((top) => folder === top || isBelow(folder, top))),
  )
  for (const top of elsewhere) await walk(top, { git: false })
  return { repositories, matches, unfinished, unwalked: [...unwalked] }
}

/** Nobody works among installed packages, and there are thousands of links. */
const isInstalled = (folder: string, top: string): boolean =>
  isBelow(folder, top) && folder.slice(top.length).split("/").includes("node_modules")

interface Summary {
  readonly hasShape: boolean
  readonly gits: readonly string[]
  /** Without those. */
  readonly folders: readonly string[]
  readonly links: readonly string[]
}

/** A folder that did not change has the same entries, and is not summed up again. */
const summaryOf = onceFor((entries: readonly Named[]): Summary => {
  const isGit = (name: string): boolean => name.length === 4 && name.toLowerCase() === ".git"
  return {
    hasShape: hasRepositoryShape(entries.map(({ name }) => name)),
    gits: entries.flatMap(({ name }) => (isGit(name) ? [name] : [])),
    folders: entries.flatMap(({ name, isFolder }) => (isFolder && !isGit(name) ? [name] : [])),
    links: entries.flatMap(({ name, isLink }) => (isLink && !isGit(name) ? [name] : [])),
  }
})

const tooManyFolders = (top: string, { folders }: WalkLimits): string =>
  `${top} has more than ${folders.toLocaleString("en-US")} folders. Git repositories in the others were not looked for, and their hooks and configuration can be changed.`

/** Each is several mounts in every command. */
const mostHeld = 60

/** The repositories that are held, with a message if there are more. */
export const protectedRepositories = (
  repositories: readonly string[],
): Pick<Surroundings, "repositories" | "unwalked"> => ({
  repositories: repositories.slice(0, mostHeld),
  unwalked: repositories.length > mostHeld ? [tooManyRepositories] : [],
})

const tooManyRepositories = `There are more than ${mostHeld} git repositories in the workspace. Hooks and configuration of the others can be changed.`

/** Whether a pattern can match more than one place. A star at its very end means the folder with everything in it. */
export const isWild = (steps: readonly AreaStep[]): boolean =>
  trimmed(steps).some((step) => plainName(step) === undefined)

export const plainPath = ({ folder, steps }: Area): string =>
  [folder === "/" ? "" : folder, ...trimmed(steps).map((step) => plainName(step) ?? "")].join("/") || "/"

/** Without trailing steps that match everything below. */
function trimmed(steps: readonly AreaStep[]): readonly AreaStep[] {
  const last = steps.at(-1)
  if (last === undefined) return steps
  const isAll = last.kind === "folders" || (last.plain === undefined && last.fits("a") && last.fits(".-~"))
  return isAll ? trimmed(steps.slice(0, -1)) : steps
}

const plainName = (step: AreaStep): string | undefined => (step.kind === "name" ? step.plain : undefined)

function afterPlain({ folder, steps }: Area): Area {
  const [first, ...rest] = steps
  const name = first && plainName(first)
  return name === undefined
    ? { folder, steps: trimmed(steps) }
    : afterPlain({ folder: join(folder, name), steps: rest })
}

const join = (folder: string, name: string): string => (folder === "/" ? `/${name}` : `${folder}/${name}`)

function means({ folder, steps }: Area, path: string): boolean {
  if (!isBelow(path, folder)) return false
  const names = path.slice(folder === "/" ? 1 : folder.length + 1).split("/")
  return fitsAll(steps, names)
}

function fitsAll(steps: readonly AreaStep[], names: readonly string[]): boolean {
  const [step, ...rest] = steps
  if (step === undefined) return names.length === 0
  if (step.kind === "folders") return names.some((_, i) => fitsAll(rest, names.slice(i)))
  const [name, ...more] = names
  return name !== undefined && step.fits(name) && fitsAll(rest, more)
}

const outermost = (folders: readonly string[]): readonly string[] => {
  const distinct = [...new Set(folders)]
  return distinct.filter((folder) => !distinct.some((other) => isBelow(folder, other)))
}
