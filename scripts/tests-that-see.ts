/** The test files that can see what was changed, nearest first, and what of them a check before a commit has time for. */

import { dirname, resolve } from "node:path"
import { distances, useGraph } from "../test/house/walls/graph.ts"
import { readTree } from "../test/house/walls/source.ts"
import { output } from "./output.ts"

/** Files that take longer are for `npm test`, unless they were changed themselves. */
const heavySeconds = 6
/** What a check may spend on tests, in seconds of one core: with the rest, which takes as much, a minute. */
const budgetSeconds = 30

/** A file that was never timed. */
const unknownMs = 2000

const root = resolve(import.meta.dir, "..")
const { files: milliseconds } = (await Bun.file(`${root}/test/times.json`).json()) as { readonly files: Times }

interface Seen {
  readonly changed: readonly string[]
  /** To be run now, nearest first. */
  readonly files: readonly string[]
  /** Left to `npm test`: they take long by themselves. */
  readonly heavy: readonly string[]
  /** Left to `npm test`: farther from the change than there was time for. */
  readonly far: readonly string[]
}

async function testsThatSee(all: boolean): Promise<Seen> {
  const changed = changedFiles()
  const tree = await readTree(root, ["src", "test", "scripts", "bench", "examples"])
  const names = new Set(
    output(root, "git", "ls-files", "-co", "--exclude-standard").flatMap((path) => [path, dirname(path)]),
  )
  // What is no source has no importers; it is read by whoever names it or its folder.
  const from = changed
    .flatMap((path) => (isSource(path) ? [path] : [path, dirname(path)]))
    .filter((path) => path !== ".")
  const found = distances(useGraph(tree, names), from)
  const reached = [...found]
    .filter(([path]) => isTest(path) && !isWall(path) && names.has(path))
    .map(([path, distance]) => ({ path, distance, seconds: (milliseconds[path] ?? unknownMs) / 1000 }))
    .toSorted((a, b) => a.distance - b.distance || a.seconds - b.seconds)
  const heavy = reached.filter(({ distance, seconds }) => !all && distance > 0 && seconds > heavySeconds)
  const rest = reached.filter((each) => !heavy.includes(each))
  const files = all ? rest : within(rest)
  const paths = (list: readonly { readonly path: string }[]): readonly string[] => list.map(({ path }) => path)
  return {
    changed,
    files: paths(files),
    heavy: paths(heavy),
    far: paths(rest.slice(files.length)),
  }
}

interface Times {
  readonly [path: string]: number
}

/** The first that fit; what was changed itself always does. */
function within<T extends { readonly seconds: number; readonly distance: number }>(list: readonly T[]): readonly T[] {
  const until = list.findIndex(({ distance }, index) => {
    const spent = list.slice(0, index + 1).reduce((sum, { seconds }) => sum + seconds, 0)
    return distance > 0 && spent > budgetSeconds
  })
  return until === -1 ? list : list.slice(0, until)
}

/**
 * What differs from where this branch left main, committed or not, new files included. On main itself, and on a branch
 * without commits of its own, it is the last commit and what came after.
 */
function changedFiles(): readonly string[] {
  const [head] = output(root, "git", "rev-parse", "HEAD")
  const [left] = ["main", "origin/main"].flatMap((main) => output(root, "git", "merge-base", main, "HEAD"))
  const diff = output(root, "git", "diff", "--name-only", "--no-renames", left === head ? "HEAD~1" : (left ?? "HEAD~1"))
  const fresh = output(root, "git", "ls-files", "--others", "--exclude-standard")
  return [...new Set([...diff, ...fresh])]
}

const isSource = (path: string): boolean => /\.(?:tsx?|mjs)$/.test(path)
const isTest = (path: string): boolean => /^test\/.*\.test\.tsx?$/.test(path)
/** The walls are run in any case. */
const isWall = (path: string): boolean => path.startsWith("test/house/")

console.log(JSON.stringify(await testsThatSee(process.argv.includes("--all"))))
