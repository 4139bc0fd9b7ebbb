/** Above the limits of snapshots a rewind said that it had succeeded. What it says equals what it did, file by file. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import type { Entry } from "#agent/words/entry.ts"
import type { Answer } from "#agent/words/question.ts"
import type { SnapshotLimits } from "#ground/snapshots/limits.ts"
import { headWords } from "#faces/view/turning-points.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"
import { lastingFolder } from "../kit/tmp.ts"
import { unrecordingHelper } from "../kit/undo/unrecording-helper.ts"
import { openUndoWorld, type UndoWorld } from "../kit/undo/world.ts"

const { signal } = new AbortController()

/** Whoever looks at it makes time pass, as on a slow disk. */
function slowClock(): Clock & { slow: (ms: number) => void } {
  let step = 0
  let passed = 0
  return { ...systemClock, now: () => systemClock.now() + (passed += step), slow: (ms) => void (step = ms) }
}

function put(world: UndoWorld, name: string, text: string): void {
  const path = join(world.root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function fill(world: UndoWorld, folders: number, each: number): void {
  for (let folder = 0; folder < folders; folder++)
    for (let file = 0; file < each; file++) put(world, `d${folder}/f${file}`, `${folder} ${file}\n`)
}

function treeIn(root: string): ReadonlyMap<string, string> {
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }) : []
  return new Map(
    names
      .filter((name) => statSync(join(root, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(root, name), "utf8")]),
  )
}

/** What is said of a rewind before, and what is recorded of it. */
async function rewind(world: UndoWorld, promptId: string) {
  const kit = world.kit()
  const log = world.log()
  const points = await kit.points(log, log)
  const preview = await kit.preview({ log, promptId, signal })
  const done = await kit.rewindFiles({ log: world.log(), promptId, signal })
  if (!points.ok || !preview.ok || !done.ok) throw new Error(JSON.stringify([points, preview, done]))
  const gaps = kit.gaps(log, promptId)
  const point = points.value.find((one) => one.promptId === promptId)
  const head: Entry & { kind: "head" } = {
    kind: "head",
    to: null,
    why: "rewind",
    ...(done.value && { files: done.value }),
    ...(gaps.length > 0 && { gaps }),
    uuid: "",
    parentUuid: null,
    at: 0,
  }
  return { point, preview: preview.value, files: done.value, gaps, words: headWords(head) }
}

const troubles: readonly (readonly [string, Partial<SnapshotLimits>, string])[] = [
  ["too many files", { paths: 50 }, "the project has too many files"],
  ["a store that cannot be opened", {}, ""],
]

for (const [what, limit, why] of troubles)
  test(`${what}: list, preview and result name the command, and nothing is called rewound`, async () => {
    await using world = openUndoWorld({ limits: limit })
    fill(world, 3, 30)
    if (why === "") writeFileSync(world.store, "in the way")
    const promptId = world.prompt()
    await world.shell("rm -rf d1")
    const { point, preview, gaps, words } = await rewind(world, promptId)
    expect(gaps).toEqual([{ call: "rm -rf d1", why: expect.stringContaining(why) }])
    expect(point?.uncovered).toEqual([expect.stringContaining("rm -rf d1 (")])
    expect(preview.uncovered.join()).toContain("rm -rf d1 (")
    expect(words).toContain("Partly rewound")
    expect(words).toContain("rm -rf d1")
    expect(words).not.toContain("No files changed")
    expect(existsSync(join(world.root, "d1"))).toBe(false)
  })

test("however slow the disk and the machine are, everything comes back", async () => {
  const clock = slowClock()
  await using world = openUndoWorld({ clock })
  fill(world, 5, 200)
  const before = treeIn(world.root)
  const promptId = world.prompt()
  clock.slow(1_000_000)
  await world.shell("rm -rf d1 d2; echo x > new")
  const { gaps, words } = await rewind(world, promptId)
  expect(gaps).toEqual([])
  expect(words).toStartWith("Rewound ")
  expect(treeIn(world.root)).toEqual(before)
})

type Act = { readonly command: string; readonly slowMs: number }

const anyAct: fc.Arbitrary<Act> = fc.record({
  command: fc.constantFrom(
    "rm -rf d1",
    "rm -f d0/f1 d2/f2",
    "sed -i s/0/9/ d0/f0 d0/f3",
    "mkdir -p e && echo e > e/e",
    "head -c 3000 /dev/zero > big",
    "rm -f big",
    "rm -rf node_modules",
    "mv d2 d3",
    "true",
  ),
  slowMs: fc.constantFrom(0, 0, 0, 30_000),
})

test("whatever the limits and the disk: what is said to be rewound is rewound", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        turns: fc.array(fc.array(anyAct, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        to: fc.nat(),
        paths: fc.constantFrom(20, 470, 20_000),
        fileBytes: fc.constantFrom(1_000, 10_000_000),
        totalBytes: fc.constantFrom(1_000, 5_000, 500_000_000),
        toolFiles: fc.constantFrom(3, 500),
        storeBytes: fc.constantFrom(100, 3_000, 2_000_000_000),
      }),
      async ({ turns, to, ...limit }) => {
        const clock = slowClock()
        await using world = openUndoWorld({ clock, limits: limit })
        fill(world, 3, 150)
        for (let file = 0; file < 5; file++) put(world, `node_modules/f${file}`, "made\n")
        const prompts: { readonly promptId: string; readonly tree: ReadonlyMap<string, string> }[] = []
        for (const acts of turns) {
          prompts.push({ tree: treeIn(world.root), promptId: world.prompt() })
          for (const { command, slowMs } of acts) {
            clock.slow(slowMs)
            await world.shell(command)
            clock.slow(0)
          }
        }
        const chosen = prompts[to % prompts.length]
        if (!chosen) return
        const { promptId, tree } = chosen
        const last = treeIn(world.root)
        const { point, preview, files, gaps, words } = await rewind(world, promptId)
        const now = treeIn(world.root)
        const different = [...new Set([...tree.keys(), ...now.keys()])].filter(
          (name) => tree.get(name) !== now.get(name),
        )
        // A folder stands for what is in it.
        const isTold = (name: string): boolean =>
          files?.kept.some((path) => `${join(world.root, name)}/`.startsWith(`${path}/`)) === true
        // What is not as it was is named, by itself or by the call that did it.
        if (gaps.length === 0) expect(different.filter((name) => !isTold(name))).toEqual([])
        if (words.startsWith("Rewound")) expect(different).toEqual([])
        // The list and the preview said so before.
        expect(point?.uncovered.length).toBe(gaps.length)
        expect(preview.uncovered.length).toBeGreaterThanOrEqual(gaps.length)
        // What is said to be restored is what has changed.
        const changed = [...new Set([...last.keys(), ...now.keys()])].filter((name) => last.get(name) !== now.get(name))
        const said = [...(files?.written ?? []), ...(files?.removed ?? [])].map((path) =>
          path.slice(world.root.length + 1),
        )
        expect(changed.filter((name) => !said.includes(name))).toEqual([])
      },
    ),
    { numRuns: Number(process.env.CODEWRIGHT_UNDO_RUNS ?? 4) },
  )
}, 300_000)

const declines = (): Answer => ({ kind: "deny", interrupt: false })

const helpers = lastingFolder()

const crowded = "seq -f 'x/%g' 20100 | xargs touch"

/** A session in a project that is too large to be scanned, where commands cannot be recorded. */
async function inALargeProject(mode: "acceptEdits" | "bypassPermissions", command: string, answers?: () => Answer) {
  const asked: string[] = []
  const t = await openTestSession({
    script: [calls(bash(command)), says("Done.")],
    files: { "a.txt": "one\n", "x/y": "", "dist/out": "made\n" },
    mode,
    allow: [],
    bypassAvailable: true,
    place: { confine: () => unrecordingHelper(helpers) },
    ...(answers && {
      answers(question) {
        if (question.ask.kind === "permission") asked.push(question.ask.why ?? "")
        return answers()
      },
    }),
  })
  Bun.spawnSync(["bash", "-c", crowded], { cwd: t.root })
  await t.prompt("do it")
  return { t, asked }
}

for (const command of ["sed -i s/one/two/ a.txt", "rm -rf dist", "mv a.txt b.txt"])
  test(`accept edits: ${command} is asked about where it cannot be undone`, async () => {
    const { t, asked } = await inALargeProject("acceptEdits", command, declines)
    await using _ = t
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain("Cannot be undone with /rewind: the project has too many files")
    expect([t.read("a.txt"), t.read("dist/out")]).toEqual(["one\n", "made\n"])
  })

test("what only reads, and what runs in bypass mode, is not asked about there", async () => {
  const reading = await inALargeProject("acceptEdits", "cat a.txt", declines)
  await using _ = reading.t
  expect(reading.asked).toEqual([])
  const bypassing = await inALargeProject("bypassPermissions", "rm -rf dist", declines)
  await using other = bypassing.t
  expect(bypassing.asked).toEqual([])
  expect(existsSync(other.path("dist"))).toBe(false)
})

test("where nobody can be asked, edits go on and removals do not", async () => {
  const edited = await inALargeProject("acceptEdits", "sed -i s/one/two/ a.txt")
  await using _ = edited.t
  expect(edited.t.read("a.txt")).toBe("two\n")
  const removed = await inALargeProject("acceptEdits", "rm -rf dist")
  await using other = removed.t
  expect(other.read("dist/out")).toBe("made\n")
})

test("in a project of usual size accept edits asks about none of them", async () => {
  await using t = await openTestSession({
    script: [calls(bash("sed -i s/one/two/ a.txt && rm -rf dist")), says("Done.")],
    files: { "a.txt": "one\n", "dist/out": "made\n" },
    allow: [],
    answers: declines,
  })
  await t.prompt("do it")
  expect([t.read("a.txt"), existsSync(t.path("dist"))]).toEqual(["two\n", false])
})
