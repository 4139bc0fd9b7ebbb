import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { openTools } from "./open-tools.ts"

test("a tree, folders first, without what .gitignore leaves out", async () => {
  await using t = openTools()
  t.put(".gitignore", "node_modules\n*.log\n")
  t.put("node_modules/x/index.js", "")
  t.put("debug.log", "")
  t.put("src/b.ts", "")
  t.put("src/a.ts", "")
  t.put("src/deep/er/z.ts", "")
  t.put("README.md", "")
  t.put(".github/ci.yml", "")
  t.put(".git/HEAD", "")
  mkdirSync(t.path("void"))
  symlinkSync("src", t.path("link"))
  const outcome = await t.call("LS", { path: "." })
  expect(outcome.content).toBe(
    `${t.root}/
  .github/
    ci.yml
  src/
    deep/
      er/
        z.ts
    a.ts
    b.ts
  void/ (empty)
  link (link)
  .gitignore
  README.md`,
  )
  expect(outcome.data).toEqual({ path: t.root, numEntries: 12, totalEntries: 12, truncated: false })
  expect(await t.say("LS", { path: "src/deep" })).toBe(`${t.path("src/deep")}/\n  er/\n    z.ts`)
  expect(await t.say("LS", {})).toBe(String(outcome.content))
})

test("globs of what to leave out, of names and of paths", async () => {
  await using t = openTools()
  for (const name of ["a/gen/x", "a/y.snap", "b/gen/z", "c/d/e", "c/keep"]) t.put(name, "")
  symlinkSync("a", t.path("gen"))
  mkdirSync(t.path("hollow"))
  const say = (...ignore: string[]) => t.say("LS", { path: ".", ignore })
  expect(await say("gen", "*.snap", "hollow")).toBe(`${t.root}/\n  c/\n    d/\n      e\n    keep`)
  expect(await say("a/gen", "./c/d", t.path("hollow"))).toBe(
    `${t.root}/\n  a/\n    y.snap\n  b/\n    gen/\n      z\n  c/\n    keep\n  gen (link)`,
  )
  expect(await say("!gen", "", "a", "b", "c", "hollow")).toBe(
    `${t.root} is empty, but for what .gitignore or ignore leaves out.`,
  )
  expect(await say("{")).toContain("glob")
})

test("a folder of many files is cut, and it is said how to see others", async () => {
  await using t = openTools()
  for (let i = 0; i < 1001; i++) t.put(`data/${String(i).padStart(4, "0")}`, "")
  t.put("src/a.ts", "")
  const outcome = await t.call("LS", { path: "." })
  const lines = String(outcome.content).split("\n")
  expect(lines.slice(-5)).toEqual([
    "    0099",
    "    … 901 more",
    "  src/",
    "    a.ts",
    "[103 of 1004 entries; LS a folder, or use Glob, to see others.]",
  ])
  expect(outcome.data).toMatchObject({ numEntries: 103, totalEntries: 1004, truncated: true })
})

test("names cannot forge lines, files and missing folders are told of, hidden files are not", async () => {
  await using t = openTools({ hiddenIn: () => (path) => path.endsWith("secret") })
  t.put("a\nb", "")
  t.put("secret", "")
  symlinkSync("/etc/passwd", t.path("link-secret"))
  expect(await t.say("LS", { path: "." })).toBe(`${t.root}/\n  "a\\nb"`)
  expect(await t.say("LS", { path: "a\nb" })).toContain("is a file; Read shows it")
  expect(await t.say("LS", { path: "nowhere" })).toContain("does not exist")
  expect(await t.say("LS", { path: "a\0" })).toContain("NUL byte")
})
