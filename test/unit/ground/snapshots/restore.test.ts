/** Bringing files back: exact, one file at a time, and never outside of where they were. */

import { expect, test } from "bun:test"
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import type { SnapshotLimits } from "#ground/snapshots/limits.ts"
import { planRestore, type RestorePlan } from "#ground/snapshots/plan-restore.ts"
import { openSnapshots, type Snapshots } from "#ground/snapshots/snapshots.ts"
import { systemClock } from "#lib/clock.ts"
import { seededIds, systemIds } from "#lib/ids.ts"
import type { Result } from "#lib/result.ts"
import { temporaryFolder, type TemporaryFolder } from "../../../kit/tmp.ts"
import { makeTree, treeState } from "../../../kit/undo/tree.ts"

const signal = new AbortController().signal

interface Place extends TemporaryFolder {
  readonly root: string
  readonly snapshots: Snapshots
  readonly at: (name: string) => string
  readonly keep: () => Promise<string>
  readonly plan: (id: string) => RestorePlan
}

function open(folder: TemporaryFolder, limits: Partial<SnapshotLimits> = {}): Snapshots {
  return valueOf(
    openSnapshots({
      folder: folder.join("store"),
      roots: () => [folder.join("work")],
      excluded: [],
      clock: systemClock,
      ids: systemIds,
      pid: process.pid,
      limits,
    }),
  )
}

function openPlace(files = 60): Place {
  const folder = temporaryFolder()
  const root = folder.join("work")
  mkdirSync(root)
  makeTree(root, files)
  const snapshots = open(folder)
  return {
    ...folder,
    root,
    snapshots,
    at: (name) => folder.join("work", name),
    keep: async () => valueOf(await snapshots.saveAll("agent", signal)).id,
    plan: (id) =>
      planRestore({
        target: valueOf(snapshots.treeAt(id)),
        now: snapshots.now(),
        written: new Map(),
        force: true,
        isKept: snapshots.isKept,
      }),
  }
}

function valueOf<T, F>(result: Result<T, F>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure))
  return result.value
}

test("files that change and go back within one tick of the disk's clock are as they were kept, every time", async () => {
  using place = openPlace(1)
  const { random } = seededIds(15)
  const path = place.at("quick.txt")
  const text = (): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined)
  const kept: { readonly id: string; readonly text: string | undefined }[] = []
  const changes = [
    // Lengths and times do not tell them apart.
    () => writeFileSync(path, String(Math.floor(random() * 3))),
    () => {
      writeFileSync(`${path}.new`, String(Math.floor(random() * 3)))
      renameSync(`${path}.new`, path)
    },
    () => rmSync(path, { force: true }),
  ]
  for (let round = 0; round < 150; round++) {
    changes[Math.floor(random() * changes.length)]?.()
    kept.push({ id: await place.keep(), text: text() })
    const goal = kept[Math.floor(random() * kept.length)]
    if (!goal) continue
    const restored = valueOf(await place.snapshots.restore(place.plan(goal.id), signal))
    expect({ round, text: text(), kept: restored.kept.size }).toEqual({ round, text: goal.text, kept: 0 })
  }
})

test("a folder that became a link to elsewhere: nothing is written there", async () => {
  using place = openPlace()
  const first = await place.keep()
  const outside = place.join("outside")
  mkdirSync(outside)
  for (const name of readdirSync(place.at("src/part1/deep1"))) writeFileSync(`${outside}/${name}`, "not yours")
  rmSync(place.at("src/part1/deep1"), { recursive: true })
  await place.keep()
  const plan = place.plan(first)
  // Only after the plan was made.
  symlinkSync(outside, place.at("src/part1/deep1"))
  const { written, kept } = valueOf(await place.snapshots.restore(plan, signal))
  expect(written).toEqual([])
  expect(kept.size).toBeGreaterThan(0)
  expect(
    readdirSync(outside)
      .map((name) => readFileSync(`${outside}/${name}`, "utf8"))
      .every((text) => text === "not yours"),
  ).toBe(true)
})

test("a folder above that is swapped for a link while contents are made ready: nothing is written there", async () => {
  using place = openPlace(400)
  const first = await place.keep()
  rmSync(place.at("src/part1"), { recursive: true })
  mkdirSync(place.at("src/part1"))
  await place.keep()
  const plan = place.plan(first)
  const outside = place.join("outside")
  mkdirSync(outside)
  const restoring = place.snapshots.restore(plan, signal)
  await Promise.resolve()
  renameSync(place.at("src"), place.join("src-before"))
  mkdirSync(place.at("src"))
  symlinkSync(outside, place.at("src/part1"))
  const result = await restoring
  expect(readdirSync(outside)).toEqual([])
  expect(result.ok ? [...result.value.written].filter((path) => path.includes("/part1/")) : []).toEqual([])
})

test("a link at the place of a file is replaced, not followed", async () => {
  using place = openPlace()
  const first = await place.keep()
  const before = treeState(place.root)
  const target = place.join("target.txt")
  writeFileSync(target, "mine")
  const file = place.at("src/part1/deep1/file1.ts")
  rmSync(file)
  symlinkSync(target, file)
  await place.keep()
  valueOf(await place.snapshots.restore(place.plan(first), signal))
  expect(readFileSync(target, "utf8")).toBe("mine")
  expect(treeState(place.root)).toEqual(before)
})

test("what changes between the plan and its turn is kept", async () => {
  using place = openPlace()
  const first = await place.keep()
  const file = place.at("src/part1/deep1/file1.ts")
  writeFileSync(file, "agent")
  rmSync(place.at("src/part2"), { recursive: true })
  await place.keep()
  const plan = place.plan(first)
  writeFileSync(file, "person")
  const { kept } = valueOf(await place.snapshots.restore(plan, signal))
  expect([...kept]).toEqual([[file, "it changed meanwhile"]])
  expect(readFileSync(file, "utf8")).toBe("person")
  expect(existsSync(place.at("src/part2"))).toBe(true)
})

test("what changes while contents are made ready is kept, at the very last look", async () => {
  using place = openPlace(400)
  const first = await place.keep()
  const files = readdirSync(place.at("src"), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => `${one.parentPath}/${one.name}`)
  for (const file of files) writeFileSync(file, "agent")
  const made = ["made-a.ts", "made-b.ts"].map((name) => place.at(`src/${name}`))
  for (const file of made) writeFileSync(file, "agent")
  await place.keep()
  const plan = place.plan(first)
  const restoring = place.snapshots.restore(plan, signal)
  const isMakingReady = (): boolean =>
    readdirSync(place.at("src"), { recursive: true }).some((name) => String(name).endsWith(".tmp"))
  while (!isMakingReady()) await new Promise((resolve) => setImmediate(resolve))
  // All were looked at by now, and none is in its place.
  expect(files.every((file) => readFileSync(file, "utf8") === "agent")).toBe(true)
  const rewritten = [files[0], files.at(-1)].flatMap((file) => file ?? [])
  const mine = [...rewritten, ...made.slice(0, 1)]
  for (const file of mine) writeFileSync(file, "person")
  const { written, removed, kept } = valueOf(await restoring)
  expect(new Map(kept)).toEqual(new Map(mine.map((file) => [file, "it changed meanwhile"])))
  expect(mine.map((file) => readFileSync(file, "utf8"))).toEqual(["person", "person", "person"])
  expect(written).toHaveLength(files.length - rewritten.length)
  expect(removed).toEqual(made.slice(1))
})

test("a file comes back to whom it belonged", async () => {
  using place = openPlace()
  const file = place.at("src/part1/deep1/file1.ts")
  // Only root may give files away; others may give them to another of their groups.
  const [uid = 0, gid = 0] =
    process.getuid?.() === 0
      ? [12_345, 23_456]
      : [process.getuid?.(), process.getgroups?.().find((group) => group !== process.getgid?.()) ?? process.getgid?.()]
  chownSync(file, uid, gid)
  const first = await place.keep()
  writeFileSync(file, "agent")
  await place.keep()
  valueOf(await place.snapshots.restore(place.plan(first), signal))
  expect(readFileSync(file, "utf8")).not.toBe("agent")
  const owner = lstatSync(file)
  expect([owner.uid, owner.gid]).toEqual([uid, gid])
})

test("a content that was damaged in the store is not written into the project", async () => {
  using place = openPlace()
  const file = place.at("noise.bin")
  // What cannot be compressed lies in the store as it is, so that nothing but its hash tells of the damage.
  const noise = crypto.getRandomValues(new Uint8Array(20_000))
  writeFileSync(file, noise)
  const first = await place.keep()
  writeFileSync(file, "agent")
  await place.keep()
  const plan = place.plan(first)
  const packs = readdirSync(place.join("store"), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => `${one.parentPath}/${one.name}`)
  const damaged = packs.filter((pack) => {
    const bytes = readFileSync(pack)
    const at = bytes.indexOf(noise)
    if (at < 0) return false
    bytes[at + 10_000] = (bytes[at + 10_000] ?? 0) ^ 1
    writeFileSync(pack, bytes)
    return true
  })
  expect(damaged).toHaveLength(1)
  const before = treeState(place.root)
  expect(await place.snapshots.restore(plan, signal)).toMatchObject({ ok: false, failure: { kind: "damaged" } })
  expect(treeState(place.root)).toEqual(before)
})

test("a content that is missing from the store: nothing is changed at all", async () => {
  using place = openPlace()
  const first = await place.keep()
  for (const name of ["src/part1/deep1/file1.ts", "src/part2/deep2/file2.ts"]) writeFileSync(place.at(name), "agent")
  await place.keep()
  const plan = place.plan(first)
  const before = treeState(place.root)
  const [step] = plan.steps
  const broken = {
    ...plan,
    steps: [
      ...plan.steps,
      { path: place.at("extra"), from: { kind: "absent" as const }, to: { ...step?.to, hash: "none" } as never },
    ],
  }
  expect(await place.snapshots.restore(broken, signal)).toEqual({ ok: false, failure: { kind: "missing", id: "none" } })
  expect(treeState(place.root)).toEqual(before)
})

test("folders and files whose permissions were taken away come back with them", async () => {
  using place = openPlace()
  chmodSync(place.at("src/part3"), 0o555)
  const first = await place.keep()
  const before = treeState(place.root)
  chmodSync(place.at("src/part3"), 0o755)
  rmSync(place.at("src/part3/deep3"), { recursive: true })
  chmodSync(place.at("src/part3"), 0o555)
  chmodSync(place.at("src/part4"), 0o000)
  chmodSync(place.at("src/part5/deep5/file5.ts"), 0o000)
  await place.keep()
  const { kept } = valueOf(await place.snapshots.restore(place.plan(first), signal))
  expect([...kept]).toEqual([])
  expect(treeState(place.root)).toEqual(before)
})

test("files that are as they should be are not touched, and a changed mode leaves the time alone", async () => {
  using place = openPlace()
  const first = await place.keep()
  const file = place.at("src/part1/deep1/file1.ts")
  const { mtimeMs } = lstatSync(file)
  chmodSync(file, 0o600)
  await place.keep()
  valueOf(await place.snapshots.restore(place.plan(first), signal))
  expect({ mode: lstatSync(file).mode & 0o777, mtimeMs: lstatSync(file).mtimeMs }).toEqual({ mode: 0o644, mtimeMs })
})

test("a clean-up keeps what is named, whole, and gives the rest of the room back", async () => {
  using place = openPlace()
  const ids: string[] = []
  const trees: ReturnType<typeof treeState>[] = []
  for (let i = 0; i < 6; i++) {
    writeFileSync(place.at("noise.bin"), crypto.getRandomValues(new Uint8Array(40_000)))
    if (i === 3) rmSync(place.at("src/part1"), { recursive: true })
    ids.push(await place.keep())
    trees.push(treeState(place.root))
  }
  const { bytes } = place.snapshots.numbers()
  valueOf(await place.snapshots.clean(new Set([ids[1] ?? "", ids[4] ?? ""])))
  // The last one stays as well: the next is the difference to it.
  expect(place.snapshots.numbers().snapshots).toBe(3)
  expect(place.snapshots.numbers().bytes).toBeLessThan(bytes - 100_000)
  for (const i of [1, 5, 4]) {
    await place.keep()
    valueOf(await place.snapshots.restore(place.plan(ids[i] ?? ""), signal))
    expect(treeState(place.root)).toEqual(trees[i] ?? new Map())
  }
  expect(place.snapshots.treeAt(ids[0] ?? "")).toEqual({ ok: false, failure: { kind: "missing", id: ids[0] ?? "" } })
})

test("a content that was cleaned away is kept anew when it comes back", async () => {
  using place = openPlace()
  const file = place.at("back.txt")
  writeFileSync(file, "comes back")
  await place.keep()
  writeFileSync(file, "something else")
  await place.keep()
  valueOf(await place.snapshots.clean(new Set()))
  writeFileSync(file, "comes back")
  const id = await place.keep()
  writeFileSync(file, "again something else")
  await place.keep()
  valueOf(await place.snapshots.restore(place.plan(id), signal))
  expect(readFileSync(file, "utf8")).toBe("comes back")
})

test("nothing is cleaned up while another session has the store open", async () => {
  using place = openPlace()
  await place.keep()
  writeFileSync(place.at("more"), "x")
  await place.keep()
  const other = open(place)
  valueOf(await other.clean(new Set()))
  expect(other.numbers().snapshots).toBe(2)
  await place.snapshots.close()
  valueOf(await other.clean(new Set()))
  expect(other.numbers().snapshots).toBe(0)
  await other.close()
})

test("beyond its cap the store gives up its oldest snapshots", async () => {
  using place = openPlace()
  await place.snapshots.close()
  const small = open(place, { storeBytes: 150_000 })
  const ids: string[] = []
  for (let i = 0; i < 40; i++) {
    writeFileSync(place.at("noise.bin"), crypto.getRandomValues(new Uint8Array(10_000)))
    ids.push(valueOf(await small.saveAll("agent", signal)).id)
  }
  // It is asked of the disk only now and then, so there may be a little more.
  expect(small.numbers().bytes).toBeLessThan(400_000)
  expect([small.treeAt(ids[0] ?? "").ok, small.treeAt(ids[39] ?? "").ok]).toEqual([false, true])
  await small.close()
})
