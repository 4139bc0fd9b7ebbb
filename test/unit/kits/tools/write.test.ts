import { expect, test } from "bun:test"
import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { openTools } from "./open-tools.ts"

test("a new file is made with its folders", async () => {
  await using t = openTools()
  const outcome = await t.call("Write", { file_path: "a/b/c.txt", content: "one\ntwo\n" })
  expect(outcome).toEqual({
    content: `Created ${t.path("a/b/c.txt")} (2 lines).`,
    isError: false,
    display: {
      kind: "diff",
      path: t.path("a/b/c.txt"),
      created: true,
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ["+one", "+two"] }],
    },
    data: {
      type: "create",
      filePath: t.path("a/b/c.txt"),
      content: "one\ntwo\n",
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    },
  })
  expect(readFileSync(t.path("a/b/c.txt"), "utf8")).toBe("one\ntwo\n")
})

test("a file that exists must have been read, and not have changed since", async () => {
  await using t = openTools()
  const path = t.put("a.txt", "one\n")
  const write = () => t.call("Write", { file_path: "a.txt", content: "new\n" })
  expect(await write()).toMatchObject({ isError: true, content: expect.stringContaining("was not read") })
  await t.call("Read", { file_path: "a.txt" })
  const { atime, mtime } = statSync(path)
  writeFileSync(path, "two\n")
  utimesSync(path, atime, mtime)
  expect(await write()).toMatchObject({ isError: true, content: expect.stringContaining("changed on disk") })
  expect(readFileSync(path, "utf8")).toBe("two\n")
  await t.call("Read", { file_path: "a.txt" })
  // A new time on the same content is no change.
  utimesSync(path, 5, 5)
  expect(await write()).toMatchObject({
    isError: false,
    data: {
      type: "update",
      originalFile: "two\n",
      structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-two", "+new"] }],
    },
  })
  // What we wrote we know, so that another change needs no new read.
  expect(await write()).toMatchObject({ isError: false })
})

test("an empty file may be filled unread", async () => {
  await using t = openTools()
  t.put("empty", "")
  expect(await t.call("Write", { file_path: "empty", content: "x" })).toMatchObject({ isError: false })
})

test("mode, encoding and line ends stay", async () => {
  await using t = openTools()
  const path = t.put("run.bat", Buffer.from("\ufeffone\r\ntwo\r\n", "utf16le"))
  chmodSync(path, 0o750)
  await t.call("Read", { file_path: "run.bat" })
  expect(await t.say("Write", { file_path: "run.bat", content: "uno\ndos\n" })).toContain("keeping its CRLF line ends")
  expect(readFileSync(path)).toEqual(Buffer.from("\ufeffuno\r\ndos\r\n", "utf16le"))
  expect(statSync(path).mode & 0o777).toBe(0o750)
})

test("a link stays a link, and its target is written", async () => {
  await using t = openTools()
  t.put("real/a.txt", "old")
  symlinkSync("real/a.txt", t.path("link"))
  symlinkSync("real/new.txt", t.path("dangling"))
  await t.call("Read", { file_path: "link" })
  expect(await t.call("Write", { file_path: "link", content: "new" })).toMatchObject({ isError: false })
  expect(await t.call("Write", { file_path: "dangling", content: "made" })).toMatchObject({ isError: false })
  expect(readlinkSync(t.path("link"))).toBe("real/a.txt")
  expect(lstatSync(t.path("dangling")).isSymbolicLink()).toBe(true)
  expect(readFileSync(t.path("real/a.txt"), "utf8")).toBe("new")
  expect(readFileSync(t.path("real/new.txt"), "utf8")).toBe("made")
})

test("folders, devices, read-only files and impossible paths are refused", async () => {
  await using t = openTools()
  chmodSync(t.put("locked.txt", "x"), 0o444)
  await t.call("Read", { file_path: "locked.txt" })
  const say = (file_path: string) => t.say("Write", { file_path, content: "y" })
  expect(await say("locked.txt")).toContain("read-only")
  expect(await say("locked.txt/below")).toContain("a part of that path is a file")
  expect(await say(".")).toContain("is a folder")
  expect(await say("/dev/null")).toContain("is a device")
  expect(await say("a\0b")).toContain("NUL byte")
  expect(await say(`${"n".repeat(300)}`)).toContain("too long")
})
