/** Prompts to try, by what is in the folder. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { examplePrompts } from "#faces/cli/terminal/example-prompts.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const tests = "Run the tests and fix what fails"

test("tests are spoken of only where there are some", async () => {
  using tmp = temporaryFolder()
  writeFileSync(tmp.join("package.json"), JSON.stringify({ scripts: { test: 'echo "Error: no test specified"' } }))
  expect(await examplePrompts(tmp.path)).not.toContain(tests)
  writeFileSync(tmp.join("package.json"), JSON.stringify({ scripts: { test: "vitest" } }))
  expect(await examplePrompts(tmp.path)).toContain(tests)
  writeFileSync(tmp.join("package.json"), "not json")
  expect(await examplePrompts(tmp.path)).not.toContain(tests)
  writeFileSync(tmp.join("go.mod"), "module x")
  expect(await examplePrompts(tmp.path)).toContain(tests)
})

test("commits only in a repository; in an empty folder, something new", async () => {
  using tmp = temporaryFolder()
  mkdirSync(tmp.join(".git"))
  expect(await examplePrompts(tmp.path)).toEqual(["Start a new project here: ask me what it is for"])
  writeFileSync(tmp.join("main.c"), "")
  expect(await examplePrompts(tmp.path)).toContain("Summarize the last ten commits")
  expect(await examplePrompts(tmp.join("none"))).toEqual(["Start a new project here: ask me what it is for"])
})
