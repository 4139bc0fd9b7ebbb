import { expect, test } from "bun:test"
import { chmodSync, utimesSync } from "node:fs"
import { openTools } from "./open-tools.ts"

test("files with matches come newest first", async () => {
  await using t = openTools()
  utimesSync(t.put("old.ts", "needle"), 1, 1)
  utimesSync(t.put("new.ts", "needle"), 2, 2)
  t.put("other.ts", "hay")
  const outcome = await t.call("Grep", { pattern: "needle" })
  expect(outcome.content).toBe("new.ts\nold.ts")
  expect(outcome.data).toEqual({ mode: "files_with_matches", numFiles: 2, filenames: ["new.ts", "old.ts"] })
})

test("lines are shown with path and number, by path, in the order of the file", async () => {
  await using t = openTools()
  t.put("b.txt", "one\r\ntwo needle\r\nthree\r\n")
  t.put("a.txt", "needle: a-1\nx\nneedle\n")
  expect(await t.say("Grep", { pattern: "needle", output_mode: "content" })).toBe(
    "a.txt:1:needle: a-1\na.txt:3:needle\nb.txt:2:two needle",
  )
  expect(await t.say("Grep", { pattern: "needle$", output_mode: "content", "-n": false })).toBe(
    "a.txt:needle\nb.txt:two needle",
  )
})

test("context before, after and around", async () => {
  await using t = openTools()
  t.put("a.txt", Array.from({ length: 12 }, (_, i) => (i % 8 === 2 ? `hit ${i + 1}` : `line ${i + 1}`)).join("\n"))
  t.put("b.txt", "hit\n")
  const grep = (more: { [flag: string]: number }) => t.say("Grep", { pattern: "hit", output_mode: "content", ...more })
  expect(await grep({ "-C": 1 })).toBe(
    "a.txt-2-line 2\na.txt:3:hit 3\na.txt-4-line 4\n--\na.txt-10-line 10\na.txt:11:hit 11\na.txt-12-line 12\n--\nb.txt:1:hit",
  )
  expect(await grep({ "-A": 1 })).toStartWith("a.txt:3:hit 3\na.txt-4-line 4\n--")
  expect(await grep({ "-B": 1 })).toStartWith("a.txt-2-line 2\na.txt:3:hit 3\n--")
})

test("counts", async () => {
  await using t = openTools()
  t.put("a.txt", "x\nx\n")
  t.put("b.txt", "x\n")
  expect(await t.say("Grep", { pattern: "x", output_mode: "count" })).toBe(
    "a.txt:2\nb.txt:1\n[3 matching lines in 2 files]",
  )
})

test("case, multiline, glob and type", async () => {
  await using t = openTools()
  t.put("a.ts", "Needle {\n  here }")
  t.put("src/b.js", "needle")
  t.put("src/c.test.js", "needle")
  t.put("d.py", "needle")
  const grep = async (input: { [field: string]: string | boolean }) =>
    (await t.say("Grep", { pattern: "needle", ...input })).split("\n").sort()
  expect(await grep({ "-i": true })).toEqual(["a.ts", "d.py", "src/b.js", "src/c.test.js"])
  expect(await grep({ glob: "*.{js,ts}", "-i": "true" })).toEqual(["a.ts", "src/b.js", "src/c.test.js"])
  expect(await grep({ glob: "*.js !*.test.js" })).toEqual(["src/b.js"])
  expect(await grep({ glob: "src/**/*.js,*.py" })).toEqual(["d.py", "src/b.js", "src/c.test.js"])
  expect(await grep({ glob: "*.js", path: "src" })).toEqual(["src/b.js", "src/c.test.js"])
  expect(await grep({ type: "py" })).toEqual(["d.py"])
  expect(await grep({ type: "js", glob: "*.test.*" })).toEqual(["src/c.test.js"])
  expect(await grep({ path: "d.py" })).toEqual(["d.py"])
  expect(await t.say("Grep", { pattern: "Needle \\{.*here", multiline: true })).toBe("a.ts")
  expect(await t.say("Grep", { pattern: "Needle \\{.*here" })).toBe("No matches.")
})

test(".gitignore counts even for globs that match what it leaves out; dotfiles only when named", async () => {
  await using t = openTools()
  t.put(".gitignore", "*.log\nnode_modules/\n")
  t.put("a.log", "needle")
  t.put("node_modules/x.js", "needle")
  t.put(".env", "needle")
  t.put(".git/x", "needle")
  t.put("b.txt", "needle")
  expect(await t.say("Grep", { pattern: "needle" })).toBe("b.txt")
  expect(await t.say("Grep", { pattern: "needle", glob: "*.log" })).toBe("No matches.")
  expect(await t.say("Grep", { pattern: "needle", glob: "**" })).toBe("b.txt")
  expect(await t.say("Grep", { pattern: "needle", glob: ".*" })).toBe(".env")
  expect(await t.say("Grep", { pattern: "needle", path: "node_modules" })).toBe("node_modules/x.js")
  expect(await t.say("Grep", { pattern: "needle", path: "a.log" })).toBe("a.log")
})

test("a page of the results, and how to see the rest", async () => {
  await using t = openTools()
  t.put("a.txt", Array.from({ length: 300 }, (_, i) => `x${i + 1}`).join("\n"))
  const first = (await t.say("Grep", { pattern: "x", output_mode: "content" })).split("\n")
  expect(first).toHaveLength(251)
  expect(first.at(-1)).toBe("[lines 1 to 250 of 300; continue with offset 250]")
  const second = await t.say("Grep", { pattern: "x", output_mode: "content", offset: 298, head_limit: "10" })
  expect(second).toBe("a.txt:299:x299\na.txt:300:x300")
  expect((await t.say("Grep", { pattern: "x", output_mode: "content", head_limit: 0 })).split("\n")).toHaveLength(300)
  expect(await t.say("Grep", { pattern: "x", output_mode: "content", offset: 900 })).toBe(
    "Nothing from offset 900 on; there are 300 lines.",
  )
})

test("long lines are cut", async () => {
  await using t = openTools()
  t.put("min.js", `var needle=${"x".repeat(5000)}`)
  const shown = await t.say("Grep", { pattern: "needle", output_mode: "content" })
  expect(shown).toStartWith("min.js:1:var needle=xxx")
  expect(shown.length).toBeLessThan(600)
})

test("an invalid pattern or type comes back with ripgrep's own words", async () => {
  await using t = openTools()
  expect(await t.call("Grep", { pattern: "a(" })).toMatchObject({
    isError: true,
    content: expect.stringContaining("unclosed group"),
  })
  expect(await t.call("Grep", { pattern: "a", type: "klingon" })).toMatchObject({
    isError: true,
    content: expect.stringContaining("unrecognized file type: klingon"),
  })
})

test("patterns that look like flags, and files that cannot be read, do no harm", async () => {
  await using t = openTools()
  t.put("a.txt", "--files -x")
  chmodSync(t.put("locked.txt", "--files"), 0)
  expect(await t.say("Grep", { pattern: "--files", path: "a.txt" })).toBe("a.txt")
  expect(await t.say("Grep", { pattern: "-x" })).toBe("a.txt")
})

test("an aborted search ends", async () => {
  await using t = openTools()
  expect(await t.call("Grep", { pattern: "x" }, AbortSignal.abort())).toMatchObject({ isError: true })
})

test("a missing path is an error with near names", async () => {
  await using t = openTools()
  t.put("source/a.ts", "")
  expect(await t.say("Grep", { pattern: "x", path: "sources" })).toBe(
    `${t.path("sources")} does not exist. Did you mean ${t.path("source")}?`,
  )
})
