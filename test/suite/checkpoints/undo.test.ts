/** Undo, at random: after any rewind the tree is as it was, but for what the person changed; redo brings it back. */

import { beforeAll, expect, test } from "bun:test"
import { dirname } from "node:path"
import { seededIds } from "#lib/ids.ts"
import { optional } from "#lib/optional.ts"
import { actOfAgent, actOfPerson, openChooser } from "../../kit/undo/acts.ts"
import { type HashCache, makeTree, treeState, type TreeState, treeTimes } from "../../kit/undo/tree.ts"
import { openUndoWorld, type UndoWorld } from "../../kit/undo/world.ts"
import { reachableConfine } from "../../kit/confine.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const runs = Number(process.env.CODEWRIGHT_UNDO_RUNS ?? 1)
const firstSeed = Number(process.env.CODEWRIGHT_UNDO_SEED ?? 2)
const turns = Number(process.env.CODEWRIGHT_UNDO_TURNS ?? 25)
const files = Number(process.env.CODEWRIGHT_UNDO_FILES ?? 400)

const template = lastingFolder()
const signal = new AbortController().signal

beforeAll(() => {
  makeTree(template, files)
  const git = (...words: string[]): void => {
    const { exitCode } = Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...words], {
      cwd: template,
      stdio: ["ignore", "ignore", "ignore"],
    })
    expect(exitCode).toBe(0)
  }
  git("init", "-q")
  git("add", ".")
  git("commit", "-qm", "first")
}, 300_000)

const scanned = Array.from({ length: runs }, (_, i) => ({ seed: firstSeed + i, how: "scanned" as const }))
// Without a person, whose changes are known from the first time that a command touches the file, even in vain.
const recorded = scanned.map(({ seed }) => ({ seed: seed * 2 + 999, how: "recorded" as const }))
const isLinux = process.platform === "linux"

for (const { seed, how } of isLinux ? [...scanned, ...recorded] : scanned) {
  test(`seed ${seed}, ${how}: every point can be gone back to, and forth again`, async () => {
    const helper = how === "recorded" ? await reachableConfine() : undefined
    // A busy machine must not look like a project that is too large.
    await using world = openUndoWorld({ seed, ...optional("recorder", helper) })
    Bun.spawnSync(["cp", "-a", `${template}/.`, world.root])
    await story(world, seed, how)
  }, 600_000)
}

interface Point {
  readonly promptId: string
  tree: TreeState
  readonly times: ReadonlyMap<string, number>
}

/** To the microsecond. */
const isTimeOf = ({ times }: Point, path: string, time: number): boolean =>
  Math.abs((times.get(path) ?? 0) - time) < 0.002

async function story(world: UndoWorld, seed: number, how: "scanned" | "recorded"): Promise<void> {
  const choose = openChooser(seededIds(seed * 7919))
  const withPerson = seed % 2 === 0
  const points: Point[] = []
  const written = new Map<string, string>()
  const told: string[] = []
  /** Until the first command that is not recorded, only files that were changed have been looked at. */
  let isWhole = false
  const cache: HashCache = new Map()
  let tree = treeState(world.root, cache)

  const look = (by: "agent" | "person"): void => {
    const now = treeState(world.root, cache)
    if (by === "agent")
      for (const path of new Set([...tree.keys(), ...now.keys()]))
        if (tree.get(path) !== now.get(path)) written.set(path, now.get(path) ?? "-")
    if (by === "person" && !isWhole) for (const point of points) point.tree = unseen(point.tree, tree, now)
    tree = now
  }

  /** What no agent has touched yet is, for every point so far, as the person has it. */
  function unseen(point: TreeState, before: TreeState, now: TreeState): TreeState {
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
      (path) => before.get(path) !== now.get(path) && !written.has(path),
    )
    const adapted = new Map(point)
    for (const path of changed) {
      const state = now.get(path)
      if (state === undefined) adapted.delete(path)
      else adapted.set(path, state)
    }
    return adapted
  }

  async function rewind(point: Point): Promise<void> {
    const before = tree
    const times = treeTimes(world.root, before.keys())
    const expected = expectedAfter(point.tree, before, written)
    told.push(`rewind to ${points.indexOf(point)}`)
    const result = await world.kit().rewindFiles({ log: world.log(), promptId: point.promptId, signal })
    if (!result.ok) throw new Error(`${result.failure}\n${told.join("\n")}`)
    look("agent")
    expectSame(plain(tree, withPerson), plain(expected, withPerson), told)
    for (const [path, time] of treeTimes(
      world.root,
      [...tree.keys()].filter((one) => isKept(before, tree, one)),
    ))
      if (times.get(path) !== time && !isTimeOf(point, path, time))
        throw new Error(`${path} was touched\n${told.join("\n")}`)
    if (result.value === undefined) return
    world.record({ kind: "head", to: null, why: "rewind", files: result.value })
    if (choose.below(2) === 0) return
    if (choose.below(3) === 0) await world.reopen(choose.one(["closed", "killed"]))
    told.push("redo")
    const redone = await world.kit().redoFiles({ log: world.log(), files: result.value, signal })
    if (!redone.ok) throw new Error(`${redone.failure}\n${told.join("\n")}`)
    look("agent")
    expectSame(plain(tree, withPerson), plain(before, withPerson), told)
    world.record({ kind: "head", to: null, why: "redo", files: redone.value })
  }

  for (let turn = 0; turn < turns; turn++) {
    points.push({ promptId: world.prompt(), tree, times: treeTimes(world.root, tree.keys()) })
    for (let left = choose.below(3); left >= 0; left--) {
      const act = await actOfAgent(world, tree, choose)
      told.push(act)
      isWhole ||= how === "scanned" && !/^(edit|write) /.test(act)
      look("agent")
    }
    if (withPerson && choose.below(2) === 0) {
      told.push(actOfPerson(world, tree, choose))
      look("person")
    }
    if (choose.below(10) === 0) await world.reopen(choose.one(["closed", "killed"]))
    if (choose.below(8) === 0) await rewind(choose.one(points))
  }
  for (let last = 0; last < 4; last++) await rewind(choose.one(points))
}

/** What the person changed since an agent wrote it last stays; all else is as it was. */
function expectedAfter(target: TreeState, now: TreeState, written: ReadonlyMap<string, string>): TreeState {
  const expected = new Map<string, string>()
  const kept = new Set<string>()
  for (const path of new Set([...target.keys(), ...now.keys()])) {
    const from = now.get(path) ?? "-"
    const to = target.get(path) ?? "-"
    const isPersons = from !== to && (written.get(path) ?? "") !== from
    if (isPersons) kept.add(path)
    const after = isPersons ? from : to
    if (after !== "-") expected.set(path, after)
  }
  for (const path of kept) {
    const state = expected.get(path)
    if (state === undefined || state.startsWith("d")) continue
    // What is kept stays reachable: a file that was in the place of one of its folders does not come back.
    for (let at = dirname(path); at !== dirname(at); at = dirname(at))
      if (expected.get(at)?.startsWith("d") === false) expected.delete(at)
    for (const below of expected.keys()) if (below.startsWith(`${path}/`)) expected.delete(below)
  }
  return expected
}

/** With a person about, only files and links are compared: folders follow them. */
const plain = (tree: TreeState, onlyFiles: boolean): TreeState =>
  onlyFiles ? new Map([...tree].filter(([, state]) => !state.startsWith("d"))) : tree

const isKept = (before: TreeState, after: TreeState, path: string): boolean =>
  before.get(path) === after.get(path) && before.get(path)?.startsWith("d") === false

function expectSame(actual: TreeState, expected: TreeState, told: readonly string[]): void {
  const differences = [...new Set([...actual.keys(), ...expected.keys()])]
    .filter((path) => actual.get(path) !== expected.get(path))
    .map((path) => `${path}: is ${actual.get(path) ?? "-"}, should be ${expected.get(path) ?? "-"}`)
  if (differences.length > 0) throw new Error(`${differences.slice(0, 20).join("\n")}\n${told.join("\n")}`)
}
