import { expect, test } from "bun:test"
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import fc from "fast-check"
import { isBelow } from "#lib/lies-in.ts"
import { openPaths, openRealPaths, realPath } from "#ground/workspace/paths.ts"
import { openPlaces } from "#ground/workspace/places.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { runs } from "../../../kit/runs.ts"

const paths = openPaths({ cwd: () => "/project/src", home: "/home/me" })

test("paths are absolute, relative to the working folder, or start at home", () => {
  expect(paths.resolve("a/../b.ts")).toEqual({ ok: true, value: "/project/src/b.ts" })
  expect(paths.resolve("../x")).toEqual({ ok: true, value: "/project/x" })
  expect(paths.resolve("/etc/./hosts")).toEqual({ ok: true, value: "/etc/hosts" })
  expect(paths.resolve("~")).toEqual({ ok: true, value: "/home/me" })
  expect(paths.resolve("~/a")).toEqual({ ok: true, value: "/home/me/a" })
  expect(paths.resolve("~a")).toEqual({ ok: true, value: "/project/src/~a" })
})

test("empty paths and NUL bytes are refused", () => {
  expect(paths.resolve("").ok).toBe(false)
  expect(paths.resolve("a\0b").ok).toBe(false)
})

test("paths are shown short only below the working folder, by components", () => {
  expect(paths.show("/project/src/a/b")).toBe("a/b")
  expect(paths.show("/project/srcs/a")).toBe("/project/srcs/a")
  expect(paths.show("/project/src")).toBe(".")
  expect(isBelow("/a", "/")).toBe(true)
})

test("real paths follow links, also dangling ones and those on the way to nothing", () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, "real"))
  symlinkSync("real", join(folder.path, "link"))
  symlinkSync("../away/new.txt", join(folder.path, "real", "dangling"))
  symlinkSync("loop", join(folder.path, "loop"))
  const real = (name: string) => realPath(join(folder.path, name)).slice(folder.path.length)
  expect(real("link")).toBe("/real")
  expect(real("link/new/deep.txt")).toBe("/real/new/deep.txt")
  expect(real("link/dangling")).toBe("/away/new.txt")
  expect(real("loop")).toBe("/loop")
})

test("a call stays at the place it was declared for, even when the working folder changes", () => {
  let cwd = "/project"
  const places = openPlaces(openPaths({ cwd: () => cwd, home: "/" }))
  const call = {}
  expect(places.declare(call, "a.ts")).toBe("/project/a.ts")
  cwd = "/elsewhere"
  expect(places.of(call, "a.ts")).toEqual({ ok: true, value: { path: "/project/a.ts", real: "/project/a.ts" } })
  expect(places.of({}, "a.ts")).toMatchObject({ value: { path: "/elsewhere/a.ts" } })
})

test("a link that changes after the call was judged makes the call fail", () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, "mine"))
  mkdirSync(join(folder.path, "theirs"))
  const places = openPlaces(openPaths({ cwd: () => folder.path, home: "/" }))
  const call = {}
  places.declare(call, "link/a.ts")
  symlinkSync("theirs", join(folder.path, "link"))
  expect(places.of(call, "link/a.ts")).toMatchObject({ ok: false, failure: { kind: "moved" } })
})

test("whoever judges a call sees the place that was declared, whatever a link does meanwhile", () => {
  using folder = temporaryFolder()
  const link = join(folder.path, "link")
  const lead = (target: string): void => {
    rmSync(link, { force: true })
    symlinkSync(target, link)
  }
  lead("one")
  const places = openPlaces(openPaths({ cwd: () => folder.path, home: "/" }))
  const [call, other] = [{}, {}]
  places.declare(call, "link")
  lead("two")
  places.declare(other, "link")
  // The same path under another name is the same place.
  places.declare(call, "./link")
  const seenBy = (input: unknown) => openRealPaths((path) => places.declared(input, path))(link)
  expect([call, other, {}, undefined].map((input) => basename(seenBy(input)))).toEqual(["one", "two", "two", "two"])
  for (const path of ["link", "./link"])
    expect(places.of(call, path)).toMatchObject({ ok: false, failure: { kind: "moved" } })
})

test("a call that has declared a path touches no other, even if its input is changed", () => {
  const places = openPlaces(openPaths({ cwd: () => "/project", home: "/" }))
  const call = {}
  places.declare(call, "a.ts")
  for (const find of [places.of, places.toOpen]) {
    expect(find(call, "a.ts")).toMatchObject({ ok: true })
    expect(find(call, "b.ts")).toMatchObject({ ok: false, failure: { kind: "moved", path: "/project/b.ts" } })
    expect(find(call, "")).toMatchObject({ ok: false, failure: { kind: "bad_path" } })
    expect(find({}, "b.ts")).toMatchObject({ ok: true, value: { path: "/project/b.ts" } })
  }
})

test("only a path with links is followed again before its file is opened", () => {
  using folder = temporaryFolder()
  const at = (name: string): string => join(folder.path, name)
  writeFileSync(at("a"), "")
  writeFileSync(at("b"), "")
  symlinkSync("a", at("link"))
  const places = openPlaces(openPaths({ cwd: () => folder.path, home: "/" }))
  const call = {}
  for (const name of ["a", "link"]) places.declare(call, name)
  for (const name of ["a", "link"]) rmSync(at(name))
  for (const name of ["a", "link"]) symlinkSync("b", at(name))
  // It is `Files` that refuses it.
  expect(places.toOpen(call, "a")).toEqual({ ok: true, value: { path: at("a"), real: at("a") } })
  expect(places.of(call, "a")).toMatchObject({ ok: false, failure: { kind: "moved" } })
  expect(places.toOpen(call, "link")).toMatchObject({ ok: false, failure: { kind: "moved" } })
})

test("real paths are those the system knows, whatever links there are", () => {
  using folder = temporaryFolder()
  const names = ["a", "b", "C", "d.txt"]
  const place = fc
    .array(fc.constantFrom(...names, "..", "."), { minLength: 1, maxLength: 4 })
    .map((all) => all.join("/"))
  const thing = fc.record({ at: place, what: fc.oneof(fc.constant("folder"), fc.constant("file"), place) })
  let run = 0
  fc.assert(
    fc.property(
      fc.array(thing, { maxLength: 8 }),
      fc.array(place, { minLength: 1, maxLength: 16 }),
      (things, asked) => {
        // So deep that no row of links leads out of the folder: nothing may be made elsewhere.
        const root = join(folder.path, `${++run}`, ...Array.from({ length: 40 }, () => "x"))
        mkdirSync(root, { recursive: true })
        for (const { at, what } of things)
          quietly(() => {
            if (what === "folder") mkdirSync(join(root, at), { recursive: true })
            else if (what === "file") writeFileSync(join(root, at), "", { flag: "wx" })
            else symlinkSync(what, join(root, at))
          })
        const together = openRealPaths()
        for (const path of asked) {
          const whole = `${root}/${path}`
          const known = quietly(() => realpathSync.native(whole))
          if (known !== undefined) expect(realPath(whole)).toBe(known)
          expect(together(whole)).toBe(realPath(whole))
        }
      },
    ),
    { ...runs(100) },
  )
})

function quietly<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
