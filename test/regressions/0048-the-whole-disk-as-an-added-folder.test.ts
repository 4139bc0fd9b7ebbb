/** `/` as an added folder had undo walk `/proc`, warn about hundreds of files, and lose analyzer of the project. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openSnapshots, type Snapshots } from "#ground/snapshots/snapshots.ts"
import { systemClock } from "#lib/clock.ts"
import { seededIds } from "#lib/ids.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { linesOf, openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, use } from "../kit/script.ts"
import { type TemporaryFolder, temporaryFolder } from "../kit/tmp.ts"

const { signal } = new AbortController()

function open(folder: TemporaryFolder, roots: readonly string[], paths = 200): Snapshots {
  const opened = openSnapshots({
    folder: folder.join("store"),
    roots: () => roots,
    excluded: [],
    clock: systemClock,
    ids: seededIds(1),
    pid: process.pid,
    limits: { paths },
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  return opened.value
}

function laid(): TemporaryFolder {
  const folder = temporaryFolder()
  for (const name of ["work", "home/deep", "store"]) mkdirSync(folder.join(name), { recursive: true })
  writeFileSync(folder.join("work/a.txt"), "one")
  for (let i = 0; i < 300; i++) writeFileSync(folder.join("home/deep", `${i}.txt`), "")
  return folder
}

test.each([["/"], ["/proc"], ["/sys"], ["/dev"]])(
  "%s is in no snapshot, and the project stays covered",
  async (root) => {
    using folder = laid()
    const snapshots = open(folder, [folder.join("work"), root])
    const before = await snapshots.saveAll("agent", signal)
    writeFileSync(folder.join("work/a.txt"), "two")
    const after = await snapshots.saveAll("agent", signal)
    if (!before.ok || !after.ok) throw new Error("no snapshot")
    expect([before.value.scan, before.value.complete, [...before.value.uncovered.keys()]]).toEqual([
      "whole",
      true,
      [root],
    ])
    expect(before.value.id).not.toBe(after.value.id)
    const tree = snapshots.treeAt(after.value.id)
    expect(tree.ok && [...tree.value.states.keys()].filter((path) => /^\/(?:proc|sys|dev)\//.test(path))).toEqual([])
    await snapshots.close()
  },
)

test("an added folder that is too large from the start does not take undo away from the project", async () => {
  using folder = laid()
  for (const large of [folder.join("home"), folder.path]) {
    const snapshots = open(folder, [folder.join("work"), large])
    for (let i = 0; i < 2; i++) {
      writeFileSync(folder.join("work/a.txt"), `again ${i}`)
      const taken = await snapshots.saveAll("agent", signal)
      if (!taken.ok) throw new Error("no snapshot")
      expect([taken.value.scan, taken.value.complete, [...taken.value.uncovered]]).toEqual([
        "whole",
        true,
        [[large, "it has too many files"]],
      ])
      const tree = snapshots.treeAt(taken.value.id)
      expect(tree.ok && tree.value.states.get(folder.join("work/a.txt"))?.kind).toBe("file")
    }
    await snapshots.close()
  }
})

test("an added folder that fits is covered as before, also a mount and the folder around the project", async () => {
  using folder = laid()
  const snapshots = open(folder, [folder.join("work"), folder.path], 5_000)
  const taken = await snapshots.saveAll("agent", signal)
  if (!taken.ok) throw new Error("no snapshot")
  const tree = snapshots.treeAt(taken.value.id)
  expect(tree.ok && tree.value.states.get(folder.join("home/deep/7.txt"))?.kind).toBe("file")
  await snapshots.close()
})

const settings = (...additionalDirectories: readonly string[]): string =>
  JSON.stringify({ permissions: { additionalDirectories } })

test("the whole file system, kernel folders and, for a project, the home folder are not added; others are", async () => {
  using place = openPlace()
  const other = join(place.path, "other")
  mkdirSync(other)
  symlinkSync("/", join(place.path, "root"))
  place.write(".claude/settings.json", settings("/", "/proc", "/sys/kernel", "/dev", "../root", "~", "../other"))
  await runCodewright({ place, argv: ["trust"] })
  const init = async (argv: readonly string[] = []): Promise<unknown> => {
    const run = await runCodewright({
      place,
      argv: ["-p", "hi", "--output-format", "stream-json", "--verbose", ...argv],
      scenario: ["Hello."],
    })
    expect(run.code).toBe(0)
    return linesOf(run.stdout).find(({ subtype }) => subtype === "init")?.["additional_directories"]
  }
  expect(await init()).toEqual([other])
  const { stdout } = await runCodewright({ place, argv: ["doctor"] })
  expect(stdout).toContain("The added folder / is the whole file system. Add the folders that you work with.")
  expect(stdout).toContain("The added folder /proc belongs to the system and has no files of its own.")
  expect(stdout).toContain(
    "The added folder ~ contains your whole home folder, which a project's settings may not add.",
  )
  // The user may.
  expect(await init(["--add-dir", place.home])).toEqual([place.home, other])
  const refused = await runCodewright({ place, argv: ["-p", "hi", "--add-dir", "/"] })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("/ is the whole file system")])
})

test("nor while a session runs", async () => {
  await using t = await openTestSession({ script: [says("Hi.")] })
  for (const path of ["/", "/proc", "/sys/kernel"])
    expect(await t.session.submit({ type: "add_folder", path })).toMatchObject({ ok: false })
})

test("a search from above does not enter kernel folders; one that names such a folder does", async () => {
  await using t = await openTestSession({
    script: [
      calls(use("Glob", { pattern: "{proc,sys,dev}/*", path: "/" })),
      calls(use("Glob", { pattern: "meminfo", path: "/proc" })),
      says("Done."),
    ],
    allow: ["Glob", "Read(//**)"],
  })
  await t.prompt("go")
  const [above, named] = t.results().map(({ content }) => String(content))
  expect(above).not.toMatch(/^\/(?:proc|sys|dev)\//m)
  expect(named).toContain("/proc/meminfo")
})
