import { expect, test } from "bun:test"
import { symlinkSync, utimesSync } from "node:fs"
import { openTools } from "./open-tools.ts"

test("files are found newest first, relative to the working folder", async () => {
  await using t = openTools()
  for (const [i, name] of ["old.ts", "src/new.ts", "src/mid.ts"].entries())
    utimesSync(t.put(name, ""), 1000, [1000, 3000, 2000][i] ?? 0)
  t.put("src/other.js", "")
  expect(await t.say("Glob", { pattern: "**/*.ts" })).toBe("src/new.ts\nsrc/mid.ts\nold.ts")
  expect(await t.say("Glob", { pattern: "*.ts" })).toBe("old.ts")
  expect(await t.say("Glob", { pattern: "*.{ts,js}", path: "src" })).toBe("src/other.js\nsrc/new.ts\nsrc/mid.ts")
  expect(await t.say("Glob", { pattern: `${t.root}/src/m*.ts` })).toBe("src/mid.ts")
  expect(await t.say("Glob", { pattern: "src/new.ts" })).toBe("src/new.ts")
  expect(await t.say("Glob", { pattern: "../project/old*" })).toBe("old.ts")
})

test(".gitignore counts without a repository, also where the pattern matches what it leaves out", async () => {
  await using t = openTools()
  t.put(".gitignore", "dist/\n*.log\n!keep.log\n")
  for (const name of ["a.log", "keep.log", "dist/b.ts", "c.ts", "sub/d.log", "sub/e.ts"]) t.put(name, "")
  t.put("sub/.gitignore", "e.ts\n")
  expect(await t.say("Glob", { pattern: "**/*.log" })).toBe("keep.log")
  expect(await t.say("Glob", { pattern: "**/*.ts" })).toBe("c.ts")
  // A folder that is named is looked into.
  expect(await t.say("Glob", { pattern: "dist/*.ts" })).toBe("dist/b.ts")
})

test("dotfiles are found when the pattern names them, and .git never", async () => {
  await using t = openTools()
  for (const name of [".env", ".github/ci.yml", ".git/config", ".git/hooks/x", "a/.env.local", "b.yml"]) t.put(name, "")
  expect(await t.say("Glob", { pattern: "**/*.yml" })).toBe("b.yml")
  expect((await t.say("Glob", { pattern: "**/.env*" })).split("\n").sort()).toEqual([".env", "a/.env.local"])
  expect(await t.say("Glob", { pattern: ".github/**" })).toBe(".github/ci.yml")
  expect(await t.say("Glob", { pattern: ".git/**" })).toStartWith("No files match")
  expect(await t.say("Glob", { pattern: ".*/**" })).toBe(".github/ci.yml")
})

test("a hundred at most, with a note", async () => {
  await using t = openTools()
  for (let i = 0; i < 105; i++) t.put(`f${i}.txt`, "")
  const outcome = await t.call("Glob", { pattern: "*.txt" })
  expect(String(outcome.content).split("\n")).toHaveLength(101)
  expect(outcome.content).toEndWith("[The newest 100 of 105 files; narrow the pattern to see others.]")
  expect(outcome.data).toMatchObject({ numFiles: 100, truncated: true })
})

test("nothing found says how to look further; a missing folder is an error", async () => {
  await using t = openTools()
  t.put("src/a.ts", "")
  expect(await t.say("Glob", { pattern: "*.ts" })).toBe(
    "No files match *.ts. To look in all folders below, use **/*.ts.",
  )
  const missing = await t.call("Glob", { pattern: "*.ts", path: "scr" })
  expect(missing).toMatchObject({
    isError: true,
    content: `${t.path("scr")} does not exist. Did you mean ${t.path("src")}?`,
  })
  expect(await t.call("Glob", { pattern: "*", path: "src/a.ts" })).toMatchObject({ isError: true })
  expect(await t.call("Glob", { pattern: "a\0b/*" })).toMatchObject({ isError: true })
})

test("hidden files are never told of, and links are not followed", async () => {
  await using t = openTools({ hiddenIn: () => (path) => path.endsWith(".secret") })
  t.put("a.secret", "find me")
  t.put("b.txt", "find me")
  symlinkSync("/etc", t.path("link"))
  expect(await t.say("Glob", { pattern: "**" })).toBe("b.txt")
  expect(await t.say("Grep", { pattern: "find" })).toBe("b.txt")
  expect(await t.say("Grep", { pattern: "find", output_mode: "content" })).toBe("b.txt:1:find me")
})
