/** How old files are, and which are the newest: the quick way gives what the plain way gives. */

import { expect, test } from "bun:test"
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { rgPath } from "@vscode/ripgrep"
import fc from "fast-check"
import { openAges } from "#ground/workspace/search/ages.ts"
import { collectByAge } from "#ground/workspace/search/by-age.ts"
import { openWorkspace, type Workspace } from "#ground/workspace/workspace.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"
import { runs } from "../../../kit/runs.ts"

/** Puts a file there that was changed so many seconds after 1970. */
function put(folder: TemporaryFolder, name: string, seconds: number): string {
  const path = folder.join(name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, "")
  utimesSync(path, seconds, seconds)
  return path
}

const recordsOf = (paths: readonly string[]): Buffer => Buffer.from(paths.map((path) => `${path}\0`).join(""))

test.each(["linux", "darwin"])(
  "on %s, files of every age and kind have the time that the system gives them",
  async (platform) => {
    using folder = temporaryFolder()
    const real = [
      put(folder, "now", 1_794_735_585.031_558),
      put(folder, "before 1970", -86_400.25),
      put(folder, "deep/er/and/deeper/file", 1),
      put(folder, "far ahead", 4_294_967_296 + 7),
      put(folder, " odd\nname\\*", 12_345.678),
    ]
    symlinkSync(real[0] ?? "", folder.join("link"))
    symlinkSync(folder.join("nowhere"), folder.join("dangling"))
    const paths = [...real, folder.join("link"), folder.join("dangling"), folder.join("missing"), "/etc/hosts"]
    const records = recordsOf(paths)
    using below = (await openAges(platform)).below(folder.path)
    const look = below.over(records)
    let at = 0
    for (const path of paths) {
      expect([path, look(at, path)]).toEqual([path, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0])
      at += path.length + 1
    }
  },
)

test("records in the middle of a larger buffer are read from their own place", async () => {
  using folder = temporaryFolder()
  const [a, b] = [put(folder, "a", 100), put(folder, "b", 200)]
  const whole = recordsOf(["/somewhere/else", a, b])
  const records = whole.subarray("/somewhere/else\0".length)
  using below = (await openAges()).below(folder.path)
  const look = below.over(records)
  expect([look(0, a), look(a.length + 1, b)]).toEqual([100_000, 200_000])
})

test("a folder that is gone, a file instead of one, and a slash at its end are no trouble; nothing stays open", async () => {
  using folder = temporaryFolder()
  const path = put(folder, "a", 100)
  const ages = await openAges()
  const descriptors = (): number => readdirSync("/proc/self/fd").length
  const before = descriptors()
  for (const place of [folder.join("gone"), path, folder.path, `${folder.path}/`]) {
    using below = ages.below(place)
    expect(below.over(recordsOf([path]))(0, path)).toBe(100_000)
  }
  expect(descriptors()).toBe(before)
  using below = ages.below(folder.path)
  rmSync(path)
  expect(below.over(recordsOf([path]))(0, path)).toBe(0)
})

test("the newest come first and those of one age by path, however they arrive and however many are wanted", async () => {
  using folder = temporaryFolder()
  const names = ["a", "b", "é", "日本/語", "c d", "e/f", "g", "h", "i", "j"]
  const ages = await openAges()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: names.length, maxLength: names.length }),
      fc.shuffledSubarray(names),
      fc.integer({ min: 1, max: names.length }),
      fc.oneof(fc.nat(12), fc.constant(Number.POSITIVE_INFINITY)),
      async (seconds, chosen, size, most) => {
        const paths = names.map((name, index) => put(folder, name, seconds[index] ?? 0))
        const found = chosen.map((name) => paths[names.indexOf(name)] ?? "")
        using below = ages.below(folder.path)
        const collected = collectByAge(
          (path) => !path.endsWith("/g"),
          () => below,
          most,
        )
        for (let at = 0; at < found.length; at += size) collected.push(recordsOf(found.slice(at, at + size)))
        const wanted = found.filter((path) => !path.endsWith("/g"))
        const time = (path: string): number => statSync(path).mtimeMs
        const sorted = wanted.toSorted((a, b) => time(b) - time(a) || (a < b ? -1 : 1))
        expect(collected.newest()).toEqual(sorted.slice(0, most))
        expect(collected.count()).toBe(wanted.length)
      },
    ),
    { ...runs(25) },
  )
})

test("a name that is no text counts as the oldest, and the others keep their ages", async () => {
  using folder = temporaryFolder()
  const [a, b] = [put(folder, "a", 100), put(folder, "b", 200)]
  const odd = Buffer.concat([Buffer.from(`${folder.path}/`), Buffer.from([0xff, 0xfe, 0])])
  using below = (await openAges()).below(folder.path)
  const collected = collectByAge(
    () => true,
    () => below,
    10,
  )
  collected.push(Buffer.concat([recordsOf([a]), odd, recordsOf([b])]))
  expect(collected.newest()).toEqual([b, a, `${folder.path}/\ufffd\ufffd`])
})

test("of thousands of files, a search shows the newest, and says how many there are", async () => {
  using folder = temporaryFolder()
  const paths = Array.from({ length: 4_000 }, (_, index) =>
    put(
      folder,
      `folder-with-a-long-name-${index % 7}/${index % 9 === 0 ? "é" : "e"}-${index}.ts`,
      (index * 7_919) % 4_001,
    ),
  )
  await using workspace = openAt(folder)
  const found = await workspace.search.files({
    folder: folder.path,
    pattern: "**/*.ts",
    most: 300,
    signal: new AbortController().signal,
  })
  const times = new Map(paths.map((path) => [path, statSync(path).mtimeMs]))
  const sorted = paths.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || (a < b ? -1 : 1))
  expect(found).toEqual({ ok: true, value: { paths: sorted.slice(0, 300), count: 4_000, cut: "no" } })
})

function openAt(folder: TemporaryFolder): Workspace & AsyncDisposable {
  const workspace = openWorkspace({
    root: folder.path,
    home: folder.path,
    ripgrep: async () => rgPath,
    sessionFolder: folder.join(".session"),
    env: () => ({}),
    clock: systemClock,
    ids: systemIds,
    isAllowedFolder: () => true,
  })
  return { ...workspace, [Symbol.asyncDispose]: () => workspace.close() }
}
