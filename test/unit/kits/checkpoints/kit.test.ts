/** The checkpoints kit: what it records around calls, and the way back. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { reads, runs, touchesNothing, writes } from "#agent/words/footprint.ts"
import { openUndoWorld, type UndoWorld } from "../../../kit/undo/world.ts"

const signal = new AbortController().signal

const write = (world: UndoWorld, name: string, text: string): Promise<void> =>
  world.edit(`${world.root}/${name}`, () => writeFileSync(`${world.root}/${name}`, text))
const read = (world: UndoWorld, name: string): string => readFileSync(`${world.root}/${name}`, "utf8")
const personWrites = (world: UndoWorld, name: string, text: string): void =>
  writeFileSync(`${world.root}/${name}`, text)

/** The entries in short: snapshots by the order in which they were first seen. */
function story(log: readonly Entry[]): string[] {
  const names = new Map<string, string>()
  return log.flatMap((entry) => {
    if (entry.kind === "notice") return [`notice ${entry.text}`]
    if (entry.kind !== "snapshot") return []
    names.set(entry.snapshotId, names.get(entry.snapshotId) ?? `s${names.size + 1}`)
    return [`${entry.when} ${names.get(entry.snapshotId)}`]
  })
}

const packs = (world: UndoWorld): number =>
  existsSync(world.store) ? readdirSync(world.store).filter((name) => name.endsWith(".snap")).length : 0

async function rewind(world: UndoWorld, promptId: string, force = false) {
  const result = await world.kit().rewindFiles({ log: world.log(), promptId, force, signal })
  if (!result.ok) throw new Error(result.failure)
  if (result.value) world.record({ kind: "head", to: null, why: "rewind", files: result.value })
  return result.value
}

test("a call that only reads costs nothing: no entry, no store", async () => {
  await using world = openUndoWorld()
  world.prompt()
  await world.act(reads(world.root), () => {})
  await world.act(touchesNothing(), () => {})
  expect(story(world.log())).toEqual([])
  expect(existsSync(world.store)).toBe(false)
})

test("an edit: the prompt, before and after; a second one adds only what is new", async () => {
  await using world = openUndoWorld()
  personWrites(world, "a.txt", "one\n")
  world.prompt()
  await write(world, "a.txt", "two\n")
  await write(world, "a.txt", "two\n")
  expect(story(world.log())).toEqual(["prompt s1", "before s1", "after s2", "before s2", "after s2"])
})

test("what was kept ahead is what the first change finds, unless something changed meanwhile", async () => {
  for (const meanwhile of ["one\n", "by hand\n"]) {
    await using world = openUndoWorld()
    personWrites(world, "a.txt", "one\n")
    const prompt = world.prompt()
    world.kit().warm()
    while (packs(world) === 0) await Bun.sleep(1)
    expect(story(world.log())).toEqual([])
    if (meanwhile !== "one\n") personWrites(world, "a.txt", meanwhile)
    await world.act(runs("make"), () => personWrites(world, "a.txt", "two\n"))
    expect(story(world.log())).toEqual(["prompt s1", "before s1", "after s2"])
    expect(packs(world)).toBe(meanwhile === "one\n" ? 2 : 3)
    await rewind(world, prompt)
    expect(read(world, "a.txt")).toBe(meanwhile)
  }
})

test("a call that only reads ends what was begun ahead", async () => {
  await using world = openUndoWorld()
  for (let i = 0; i < 2_000; i++) personWrites(world, `${i}.txt`, "one\n")
  world.prompt()
  world.kit().warm()
  await world.act(reads(world.root), () => {})
  await world.reopen("closed")
  expect(packs(world)).toBe(0)
})

test("prompts that changed nothing are gone back to as well", async () => {
  await using world = openUndoWorld()
  personWrites(world, "a.txt", "one\n")
  const first = world.prompt()
  const second = world.prompt()
  await write(world, "a.txt", "two\n")
  const third = world.prompt()
  expect(await rewind(world, third)).toBe(undefined)
  await rewind(world, first)
  expect(read(world, "a.txt")).toBe("one\n")
  const known = world.log().flatMap((entry) => (entry.kind === "snapshot" && entry.promptId ? [entry.promptId] : []))
  expect(known).toEqual([first, second, third])
})

test("nothing was ever changed: there is nothing to do, and an unknown prompt is said to be one", async () => {
  await using world = openUndoWorld()
  const first = world.prompt()
  expect(await world.kit().rewindFiles({ log: world.log(), promptId: first, signal })).toEqual({
    ok: true,
    value: undefined,
  })
  expect(await world.kit().preview({ log: world.log(), promptId: first, signal })).toEqual({
    ok: true,
    value: { files: [], conflicts: [], uncovered: [] },
  })
  expect(await world.kit().rewindFiles({ log: world.log(), promptId: "no", signal })).toEqual({
    ok: false,
    failure: "There is no such prompt in this session.",
  })
})

test("what the person changed since is kept, unless it is forced; redo brings the rest back", async () => {
  await using world = openUndoWorld()
  personWrites(world, "mine.txt", "mine\n")
  personWrites(world, "both.txt", "one\n")
  const first = world.prompt()
  await write(world, "both.txt", "two\n")
  await world.shell("mkdir -p made/deep && echo new > made/deep/new.txt")
  personWrites(world, "both.txt", "three\n")
  personWrites(world, "mine.txt", "mine too\n")
  const preview = await world.kit().preview({ log: world.log(), promptId: first, signal })
  expect(preview).toEqual({
    ok: true,
    value: {
      files: [{ path: "made/deep/new.txt", change: "removed", added: 0, removed: 1, binary: false }],
      conflicts: ["both.txt", "mine.txt"],
      uncovered: [],
    },
  })
  const files = await rewind(world, first)
  expect(existsSync(`${world.root}/made`)).toBe(false)
  expect([read(world, "both.txt"), read(world, "mine.txt")]).toEqual(["three\n", "mine too\n"])
  expect(files?.kept.map((path) => path.slice(world.root.length + 1)).sort()).toEqual(["both.txt", "mine.txt"])

  await rewind(world, first, true)
  expect([read(world, "both.txt"), read(world, "mine.txt")]).toEqual(["one\n", "mine\n"])
  if (!files) throw new Error("nothing was done")
  const redone = await world.kit().redoFiles({ log: world.log(), files, signal })
  expect(redone.ok).toBe(true)
  expect(read(world, "made/deep/new.txt")).toBe("new\n")
  expect([read(world, "both.txt"), read(world, "mine.txt")]).toEqual(["three\n", "mine too\n"])
})

test("a file outside of the project that was edited comes back too", async () => {
  await using world = openUndoWorld()
  const outside = world.folder.join("elsewhere", "note.txt")
  const first = world.prompt()
  await world.edit(outside, () => {
    mkdirSync(world.folder.join("elsewhere"))
    writeFileSync(outside, "agent")
  })
  await world.shell("echo x > inside.txt")
  await rewind(world, first)
  expect([existsSync(world.folder.join("elsewhere")), existsSync(`${world.root}/inside.txt`)]).toEqual([false, false])
})

test("what a command in the background changes counts as the agent's", async () => {
  await using world = openUndoWorld()
  personWrites(world, "a.txt", "one\n")
  const first = world.prompt()
  await world.shell("true")
  world.busy(true)
  await world.shell("true")
  writeFileSync(`${world.root}/a.txt`, "by the server\n")
  world.busy(false)
  world.prompt()
  const preview = await world.kit().preview({ log: world.log(), promptId: first, signal })
  expect(preview).toMatchObject({ ok: true, value: { conflicts: [], files: [{ path: "a.txt", change: "modified" }] } })
  await rewind(world, first)
  expect(read(world, "a.txt")).toBe("one\n")
})

test.each(["command", "edit"])(
  "killed between the change of a %s and the look after it: it is still the agent's",
  async (what) => {
    await using world = openUndoWorld()
    personWrites(world, "a.txt", "one\n")
    const first = world.prompt()
    let changed = (): void => {}
    const isChanged = new Promise<void>((resolve) => (changed = resolve))
    void world.act(what === "edit" ? writes(`${world.root}/a.txt`) : runs("sleep"), async () => {
      personWrites(world, "a.txt", "two\n")
      changed()
      await new Promise(() => {})
    })
    await isChanged
    await world.reopen("killed")
    world.prompt()
    await world.shell("echo more > more.txt")
    expect(story(world.log()).slice(0, 4)).toEqual(["prompt s1", "before s1", "prompt s2", "after s2"])
    const files = await rewind(world, first)
    expect(files?.kept).toEqual([])
    expect([read(world, "a.txt"), existsSync(`${world.root}/more.txt`)]).toEqual(["one\n", false])
  },
)

test("a call that fails is looked at all the same", async () => {
  await using world = openUndoWorld()
  const first = world.prompt()
  const failing = world.edit(`${world.root}/a.txt`, () => {
    personWrites(world, "a.txt", "half")
    throw new Error("broke")
  })
  expect(failing).rejects.toThrow("broke")
  await failing.catch(() => {})
  await rewind(world, first)
  expect(existsSync(`${world.root}/a.txt`)).toBe(false)
})

test("what is not covered is told once, also over a resume", async () => {
  await using world = openUndoWorld({ limits: { toolFiles: 3 } })
  mkdirSync(`${world.root}/node_modules`)
  for (let i = 0; i < 5; i++) personWrites(world, `node_modules/${i}.js`, "x")
  const first = world.prompt()
  await world.shell("echo 1 > a.txt")
  await world.reopen()
  world.prompt()
  await world.shell("echo 2 > a.txt; rm -rf node_modules")
  const notices = world.log().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))
  expect(notices).toEqual(["Not covered by /rewind: node_modules (it is large, and ignored or made by tools)."])
  const preview = await world.kit().preview({ log: world.log(), promptId: first, signal })
  expect(preview).toMatchObject({
    ok: true,
    value: { uncovered: ["node_modules (it is large, and ignored or made by tools)"] },
  })
})

test("a project that is too large: commands are not covered and that is said, edits are", async () => {
  await using world = openUndoWorld({ limits: { paths: 5 } })
  for (let i = 0; i < 9; i++) personWrites(world, `f${i}`, "one")
  const first = world.prompt()
  await world.shell("echo two > f1")
  await write(world, "f2", "two")
  await world.shell("true")
  const notices = world.log().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))
  expect(notices).toEqual([
    "/rewind covers files that are edited here, but not what commands change: the project has too many files.",
  ])
  await rewind(world, first)
  expect([read(world, "f1"), read(world, "f2")]).toEqual(["two\n", "one"])
})

test("points, the summary of a turn, and what the session changed", async () => {
  await using world = openUndoWorld()
  personWrites(world, "a.txt", "1\n2\n3\n")
  personWrites(world, "old.txt", "bye\n")
  world.prompt()
  await write(world, "a.txt", "1\ntwo\n3\n")
  await write(world, "b.txt", "new\n")
  await write(world, "c.txt", "new\n")
  world.prompt()
  await world.shell("rm old.txt c.txt; echo 4 >> a.txt")
  const log = world.log()
  const turns = log.flatMap((entry) => (entry.kind === "turn_start" ? [entry.turnId] : []))
  const points = await world.kit().points(log, log)
  expect(points.ok && points.value.map(({ files }) => files)).toEqual([
    ["a.txt", "b.txt", "old.txt"],
    ["a.txt", "c.txt", "old.txt"],
  ])
  const texts = await Promise.all(turns.map((turnId) => world.kit().summary(log, turnId)))
  expect(texts.map((one) => one.ok && one.value.text)).toEqual([
    "2 files created, 1 modified",
    "1 file modified, 2 removed",
  ])
  const diff = await world.kit().diff(log)
  expect(
    diff.ok && diff.value.map(({ files }) => files.map(({ path, added, removed }) => [path, added, removed])),
  ).toEqual([
    [
      ["a.txt", 1, 1],
      ["b.txt", 1, 0],
      ["c.txt", 1, 0],
    ],
    [
      ["a.txt", 1, 0],
      ["c.txt", 0, 1],
      ["old.txt", 0, 1],
    ],
  ])
  const numbers = await world.kit().numbers()
  expect(numbers).toMatchObject({ ok: true, value: { folder: world.store } })
  rmSync(`${world.root}/b.txt`)
})
