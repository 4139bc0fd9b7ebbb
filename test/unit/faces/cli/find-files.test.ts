/** Files and folders for a mention: of the project, of folders added to it, and anywhere by a path. */

import { expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { openFileFinder } from "#faces/cli/terminal/find-files.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { until } from "../../../kit/until.ts"

const never = new AbortController().signal

test("folders, absolute and home paths, and added folders are found", async () => {
  using folder = temporaryFolder()
  for (const path of ["project/src/deep", "other/lib", "home/notes", "home/.hidden"])
    mkdirSync(folder.join(path), { recursive: true })
  for (const path of ["project/src/deep/app.ts", "project/readme.md", "other/lib/tool.ts", "home/notes/a.md"])
    writeFileSync(folder.join(path), "")
  const find = openFileFinder({
    folder: folder.join("project"),
    ignored: "hidden",
    env: () => ({}),
    cacheFolder: folder.join("cache"),
    home: folder.join("home"),
    added: [folder.join("other")],
  })
  expect((await find("", never)).slice(0, 2)).toEqual(["src/", "readme.md"])
  expect(await find("deep", never)).toContain("src/deep/")
  expect((await find("tool.ts", never)).slice(0, 1)).toEqual([folder.join("other/lib/tool.ts")])
  expect(await find("~", never)).toEqual(["~/notes/"])
  expect(await find("~/no", never)).toEqual(["~/notes/"])
  expect(await find("~/notes/", never)).toEqual(["~/notes/a.md"])
  expect(await find("~/.h", never)).toEqual(["~/.hidden/"])
  expect(await find("../o", never)).toEqual(["../other/"])
  expect(await find(`${folder.path}/pro`, never)).toEqual([`${folder.path}/project/`])
  expect(await find("/no/such/folder/", never)).toEqual([])
})

test("a file that was made since the last mention is found by the next", async () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("first.ts"), "")
  const find = openFileFinder({
    folder: folder.path,
    ignored: "hidden",
    env: () => ({}),
    cacheFolder: folder.join(".cache"),
    home: folder.path,
    added: [],
  })
  expect(await find("", never)).toEqual(["first.ts"])
  writeFileSync(folder.join("second.ts"), "")
  await find("", never)
  expect(await find("s", never)).toContain("second.ts")
  expect(await find("sec", never)).toEqual(["second.ts"])
})

test("what nothing has is looked for once more in each mention, and some seconds later", async () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("first.ts"), "")
  let now = 0
  const find = openFileFinder(
    {
      folder: folder.path,
      ignored: "hidden",
      env: () => ({}),
      cacheFolder: folder.join(".cache"),
      home: folder.path,
      added: [],
    },
    { now: () => now },
  )
  expect(await find("first", never)).toEqual(["first.ts"])
  writeFileSync(folder.join("second.ts"), "")
  expect(await find("second", never)).toEqual(["second.ts"])
  writeFileSync(folder.join("third.ts"), "")
  expect(await find("third", never)).toEqual([])
  expect(await find("", never)).toContain("first.ts")
  expect(await find("third", never)).toEqual(["third.ts"])
  writeFileSync(folder.join("late.ts"), "")
  await find("nothing", never)
  now = 6_000
  await until(async () => (await find("late", never)).includes("late.ts"))
})

/** A repository whose list of files has more than a megabyte, with a file of each kind. */
function largeRepository() {
  const folder = temporaryFolder()
  const git = (...argv: readonly string[]): string =>
    execFileSync("git", argv, { cwd: folder.path, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  const deep = `deep/${`${"long-name-".repeat(20)}/`.repeat(18)}`
  const write = (name: string, text = ""): void => {
    mkdirSync(dirname(folder.join(name)), { recursive: true })
    writeFileSync(folder.join(name), text)
  }
  git("init", "-q")
  for (let i = 0; i < 300; i++) write(`${deep}${i}`)
  for (const name of ["kept.ts", "tracked.log", "src/here.ts", "old/moved.ts"]) write(name)
  git("add", ".")
  write(".gitignore", "*.log\n")
  for (const name of ["untracked.ts", "ignored.log", "new/inner.ts"]) write(name)
  symlinkSync("kept.ts", folder.join("link.ts"))
  git("init", "-q", "vendored")
  write("vendored/lib/used.ts")
  const find = openFileFinder({
    folder: folder.path,
    ignored: "hidden",
    env: () => ({}),
    cacheFolder: folder.join(".git/cache"),
    home: folder.path,
    added: [],
  })
  const whenListed = async (words: string): Promise<readonly string[]> => {
    await until(async () => (await find("untracked", never)).length !== 0)
    return find(words, never)
  }
  return { write, find, whenListed, folder, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test("in a large repository git's list is there at once, and what it lacks follows", async () => {
  using repository = largeRepository()
  const { find, whenListed } = repository
  expect((await find("", never)).slice(0, 5)).toEqual(["deep/", "old/", "src/", "kept.ts", "tracked.log"])
  expect((await whenListed("")).slice(0, 9)).toEqual([
    "deep/",
    "new/",
    "old/",
    "src/",
    "vendored/",
    ".gitignore",
    "kept.ts",
    "tracked.log",
    "untracked.ts",
  ])
  expect(await find("new/", never)).toEqual(["new/", "new/inner.ts"])
  expect(await find("used.ts", never)).toEqual(["vendored/lib/used.ts"])
  for (const name of ["ignored.log", "link.ts"]) expect(await find(name, never)).toEqual([])
})

test("what git tracks and somebody moved away is not suggested, and where it went is", async () => {
  using repository = largeRepository()
  const { find, folder } = repository
  renameSync(folder.join("old"), folder.join("kept"))
  expect(await find("", never)).not.toContain("old/")
  await until(async () => (await find("moved", never)).includes("kept/moved.ts"))
  expect(await find("moved", never)).toEqual(["kept/moved.ts"])
})

test("if all that git has for the letters is gone, the folders are looked into at once", async () => {
  using repository = largeRepository()
  const { find, folder } = repository
  renameSync(folder.join("old"), folder.join("kept"))
  await find("", never)
  expect(await find("oved", never)).toEqual(["kept/moved.ts"])
})

test("in a large repository with a .ignore file, new or tracked, it counts", async () => {
  using repository = largeRepository()
  repository.write("src/.ignore", "here.ts\n")
  expect(await repository.whenListed("here.ts")).toEqual([])
})
