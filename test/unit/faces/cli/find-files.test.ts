/** Files and folders for a mention: of the project, of folders added to it, and anywhere by a path. */

import { expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
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

test("in a large repository git's list is there at once, and what it lacks and what is ignored follow", async () => {
  using folder = temporaryFolder()
  const git = (input: string, ...argv: readonly string[]): string =>
    execFileSync("git", argv, { cwd: folder.path, input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }).trim()
  git("", "init", "-q")
  for (const name of ["kept.ts", "ignored.log", "src/here.ts"]) {
    mkdirSync(folder.join("src"), { recursive: true })
    writeFileSync(folder.join(name), "")
  }
  git("", "add", ".")
  const blob = git("", "hash-object", "-w", "kept.ts")
  const entries = Array.from({ length: 6_000 }, (_, i) => `100644 ${blob}\tgone/${"long-name-".repeat(20)}${i}\n`)
  git(entries.join(""), "update-index", "--index-info")
  writeFileSync(folder.join(".gitignore"), "*.log\n")
  writeFileSync(folder.join("untracked.ts"), "")
  const find = openFileFinder({
    folder: folder.path,
    ignored: "hidden",
    env: () => ({}),
    cacheFolder: folder.join(".git/cache"),
    home: folder.path,
    added: [],
  })
  expect((await find("", never)).slice(0, 4)).toEqual(["gone/", "src/", "ignored.log", "kept.ts"])
  await until(async () => (await find("untracked", never)).length !== 0)
  expect(await find("", never)).toEqual(["src/", ".gitignore", "kept.ts", "untracked.ts", "src/here.ts"])
  expect(await find("ignored.log", never)).toEqual([])
})
