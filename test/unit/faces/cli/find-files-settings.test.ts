import { expect, test } from "bun:test"
import { join } from "node:path"
import { openFileFinder, suggestionCommand } from "#faces/cli/terminal/find-files.ts"
import { spinnerVerbs } from "#faces/cli/terminal/spinner-verbs.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const never = new AbortController().signal

test("ignored files are found only where the settings say so", async () => {
  using folder = temporaryFolder()
  for (const [name, text] of [
    ["kept.log", "a"],
    ["plain.ts", "b"],
    [".gitignore", "*.log\n"],
    [".git/HEAD", "x"],
  ] as const)
    await Bun.write(folder.join(name), text)
  const parts = {
    folder: folder.path,
    cacheFolder: join(folder.path, "../cache-of-finder"),
    home: "/",
    added: [],
    env: () => ({}),
  }
  expect(await openFileFinder({ ...parts, ignored: "hidden" })("kept", never)).toEqual([])
  expect(await openFileFinder({ ...parts, ignored: "all" })("kept", never)).toEqual(["kept.log"])
})

test("a command of the person's own suggests files, and one that fails suggests none", async () => {
  using folder = temporaryFolder()
  const parts = {
    folder: folder.path,
    cacheFolder: folder.path,
    home: "/",
    added: [],
    ignored: "hidden",
    env: () => ({ PATH: "/usr/bin:/bin" }),
  } as const
  const echo = openFileFinder({ ...parts, command: "cat; echo; echo b/c.ts" })
  expect(await echo("src", never)).toEqual(['{"query":"src"}', "b/c.ts"])
  expect(await openFileFinder({ ...parts, command: "exit 3" })("src", never)).toEqual([])
})

test("settings of other shapes suggest nothing and say nothing", () => {
  expect(suggestionCommand({ type: "command", command: "find" })).toBe("find")
  expect(suggestionCommand({ type: "other", command: "find" })).toBeUndefined()
  expect(suggestionCommand(undefined)).toBeUndefined()
  expect(spinnerVerbs(["Pondering", "", 3])).toEqual(["Pondering"])
  expect(spinnerVerbs({ mode: "replace", verbs: ["Brewing"] })).toEqual(["Brewing"])
  expect(spinnerVerbs("Brewing")).toEqual([])
})
