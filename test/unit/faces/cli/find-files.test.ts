/** Files and folders for a mention: of the project, of folders added to it, and anywhere by a path. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { openFileFinder } from "#faces/cli/terminal/find-files.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

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
