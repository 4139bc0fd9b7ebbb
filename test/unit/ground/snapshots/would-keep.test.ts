/** What is said before something is removed is what a snapshot then holds: on a real disk. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { defaultLimits } from "#ground/snapshots/limits.ts"
import { wouldKeep } from "#ground/snapshots/would-keep.ts"
import { systemClock } from "#lib/clock.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

function openPlace() {
  const folder = temporaryFolder()
  const root = folder.join("project")
  mkdirSync(root)
  return {
    put(name: string, text = "x\n") {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), text)
    },
    pipe: (name: string) => expect(Bun.spawnSync(["mkfifo", join(root, name)]).exitCode).toBe(0),
    link: (to: string, name: string) => symlinkSync(to, join(root, name)),
    keeps: (...names: readonly string[]) =>
      wouldKeep(
        names.map((name) => join(root, name)),
        {
          roots: [root],
          clock: systemClock,
          exclusions: [join(root, "kit/excluded")],
          signal: new AbortController().signal,
          limits: { ...defaultLimits, paths: 50, fileBytes: 1_000, toolFiles: 3 },
        },
      ),
    recordingKeeps: (name: string, stateFolder = root) =>
      wouldKeep([join(root, name)], {
        roots: [root],
        clock: systemClock,
        signal: new AbortController().signal,
        limits: { ...defaultLimits, paths: 1, fileBytes: 1_000, copiedBytes: 3_000 },
        recorded: { stateFolder },
      }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test("files and folders of the project are kept, also what is not there", async () => {
  using place = openPlace()
  for (const name of ["src/a.ts", "src/deep/b.ts", "dist/c.js"]) place.put(name)
  expect(await place.keeps("src", "dist/c.js", "gone")).toBe("kept")
})

test("what is in an excluded folder, or holds one, is not kept", async () => {
  using place = openPlace()
  for (const name of ["kit/excluded/a", "kit/b"]) place.put(name)
  expect(await Promise.all(["kit/excluded/a", "kit", "kit/b"].map((name) => place.keeps(name)))).toEqual([
    "lost",
    "lost",
    "kept",
  ])
})

test("a file that is too large is not kept", async () => {
  using place = openPlace()
  place.put("data/large.bin", "x".repeat(2_000))
  expect(await place.keeps("data")).toBe("lost")
})

test("where commands are recorded, any size is kept that can be linked, or else copied", async () => {
  using place = openPlace()
  place.put("data/large.bin", "x".repeat(2_000))
  place.put("huge/one.bin", "x".repeat(4_000))
  expect(await place.recordingKeeps("data")).toBe("kept")
  expect(await place.recordingKeeps("huge")).toBe("kept")
  expect(await place.recordingKeeps("huge/one.bin", "/proc")).toBe("lost")
  expect(await place.recordingKeeps("data/large.bin", "/proc")).toBe("kept")
})

test("where commands are recorded, pipes, sockets, data of git and other folders are not kept", async () => {
  using place = openPlace()
  place.put("data/a")
  place.put("vendor/.git/HEAD")
  expect(await place.recordingKeeps("data")).toBe("kept")
  place.pipe("data/pipe")
  expect(await place.recordingKeeps("data")).toBe("lost")
  expect(await place.recordingKeeps("data/pipe")).toBe("lost")
  expect(await place.recordingKeeps("vendor")).toBe("lost")
  expect(await place.recordingKeeps("../elsewhere")).toBe("lost")
})

test("folders that tools fill are kept while they are small", async () => {
  using place = openPlace()
  for (const name of ["a", "b"]) place.put(`.cache/${name}`)
  for (const name of ["a", "b", "c", "d", "e"]) place.put(`node_modules/${name}`)
  expect(await place.keeps(".cache")).toBe("kept")
  expect(await place.keeps("node_modules")).toBe("lost")
  expect(await place.keeps("node_modules/a")).toBe("lost")
})

test("what git keeps for itself is in no snapshot, nor is what lies elsewhere", async () => {
  using place = openPlace()
  place.put(".git/HEAD")
  place.put("vendor/lib/.git/HEAD")
  expect(await place.keeps(".git")).toBe("lost")
  expect(await place.keeps("vendor")).toBe("lost")
  expect(await place.keeps("../elsewhere")).toBe("lost")
})

test("of a link the link itself is meant", async () => {
  using place = openPlace()
  place.link("/etc", "conf")
  expect(await place.keeps("conf")).toBe("kept")
  expect(await place.keeps("conf/hosts")).toBe("lost")
})

test("where there is too much to look at, nobody knows", async () => {
  using place = openPlace()
  for (let i = 0; i < 60; i++) place.put(`src/${i}.ts`)
  expect(await place.keeps("src/1.ts")).toBe("unknown")
})
