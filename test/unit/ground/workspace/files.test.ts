import { expect, test } from "bun:test"
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { type FileFailure, say } from "#ground/workspace/failure.ts"
import { openFiles } from "#ground/workspace/files.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { runs } from "../../../kit/runs.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const { signal } = new AbortController()
const limit = 1_000_000
const openIn = (path: string) => openFiles({ cwd: () => path, clock: systemClock, ids: systemIds })

test("reads what is there, also where files say they are empty", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder.path)
  writeFileSync(join(folder.path, "a"), "hello")
  const read = await files.read(join(folder.path, "a"), limit, signal)
  expect(read.ok && read.value.bytes.toString()).toBe("hello")
  if (process.platform !== "linux") return
  const status = await files.read("/proc/version", limit, signal)
  expect(status.ok && status.value.bytes.toString()).toContain("Linux")
})

test("each way a file cannot be read is its own failure", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder.path)
  const at = (name: string) => join(folder.path, name)
  mkdirSync(at("folder"))
  writeFileSync(at("settings.json"), "{}")
  Bun.spawnSync(["mkfifo", at("fifo")])
  symlinkSync("settings.json", at("link"))
  const kinds = async (path: string, most = limit) => {
    const read = await files.read(path, most, signal)
    return read.ok ? "ok" : read.failure
  }
  expect(await kinds(at("folder"))).toMatchObject({ kind: "is_folder" })
  expect(await kinds(at("fifo"))).toMatchObject({ kind: "not_file", what: "a pipe" })
  expect(await kinds("/dev/zero")).toMatchObject({ kind: "not_file", what: "a device" })
  expect(await kinds(at("setings.json"))).toEqual({
    kind: "not_found",
    path: at("setings.json"),
    near: [at("settings.json")],
  })
  expect(await kinds("/settings.json")).toMatchObject({ kind: "not_found", near: [at("settings.json")] })
  expect(await kinds(at("settings.json/x"))).toMatchObject({ kind: "not_folder" })
  expect(await kinds(at("settings.json"), 1)).toMatchObject({ kind: "too_large", bytes: 2, limit: 1 })
  // A link in a path that was said to be real means that someone put it there meanwhile.
  expect(await kinds(at("link"))).toMatchObject({ kind: "moved" })
})

test("a folder on the way that became a link is noticed", async () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, "real"))
  writeFileSync(join(folder.path, "real", "a"), "secret")
  symlinkSync("real", join(folder.path, "way"))
  const files = openIn(folder.path)
  expect(await files.read(join(folder.path, "way", "a"), limit, signal)).toMatchObject({ failure: { kind: "moved" } })
  const written = await files.write(join(folder.path, "way", "b"), Buffer.from("x"), "nothing", signal)
  expect(written).toMatchObject({ failure: { kind: "moved" } })
  expect(readdirSync(join(folder.path, "real"))).toEqual(["a"])
})

test("pages of a large file are read without holding it", async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, "large")
  const lines = Array.from({ length: 100_000 }, (_, i) => `line ${i + 1} ${"é".repeat(i % 50)}`)
  writeFileSync(path, `${lines.join("\r\n")}\r\n`)
  const query = { offset: 50_000, limit: 3, lineLimit: 20, countBytes: Number.POSITIVE_INFINITY }
  const page = await openIn(folder.path).readLines(path, query, signal)
  expect(page).toMatchObject({
    ok: true,
    value: {
      lines: lines.slice(49_999, 50_002).map((line) => line.slice(0, 21)),
      totalLines: 100_000,
      isCounted: true,
    },
  })
  const near = await openIn(folder.path).readLines(path, { ...query, offset: 1, countBytes: 10 }, signal)
  expect(near).toMatchObject({ ok: true, value: { isCounted: false } })
})

test("a page is the same lines whatever is skipped before, in and behind it", async () => {
  using folder = temporaryFolder()
  const line = fc.oneof(
    fc.stringMatching(/^[aé日\u{1F600}\ufeff]{0,8}$/u),
    fc.constantFrom("é".repeat(200_001), "a".repeat(300_000), "日".repeat(100_000)),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      async (lines, offset, count) => {
        const path = folder.join("any.txt")
        // A mark at the very beginning of a file belongs to its encoding.
        writeFileSync(path, `-\n${lines.join("\n")}\n`)
        const page = await openIn(folder.path).readLines(
          path,
          { offset, limit: count, lineLimit: 10, countBytes: 1e9 },
          new AbortController().signal,
        )
        const all = ["-", ...lines]
        const shown = all.slice(offset - 1, offset - 1 + count)
        expect(page.ok && page.value.totalLines).toBe(all.length)
        expect(page.ok && page.value.lines.map((one) => one.slice(0, 10))).toEqual(shown.map((one) => one.slice(0, 10)))
      },
    ),
    { ...runs(25) },
  )
})

test("pages come out of UTF-16 as well, and never out of binaries", async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, "wide")
  writeFileSync(path, Buffer.from("\ufeffone\r\ntwo\r\nthree", "utf16le"))
  const query = { offset: 2, limit: 5, lineLimit: 100, countBytes: 1e9 }
  const page = await openIn(folder.path).readLines(path, query, signal)
  expect(page).toMatchObject({ value: { lines: ["two", "three"], totalLines: 3 } })
  writeFileSync(path, Buffer.from([1, 2, 0, 3, 0, 0, 0, 4]))
  expect(await openIn(folder.path).readLines(path, query, signal)).toMatchObject({ failure: { kind: "binary" } })
})

test("a write keeps the mode, makes folders, and leaves no temporary file", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder.path)
  const made = join(folder.path, "deep", "er", "new.txt")
  expect((await files.write(made, Buffer.from("x"), "nothing", signal)).ok).toBe(true)
  chmodSync(made, 0o751)
  const state = files.stat(made)
  if (!state.ok) throw new Error("missing")
  const written = await files.write(made, Buffer.from("y"), state.value.identity, signal)
  expect(written.ok).toBe(true)
  expect(statSync(made).mode & 0o7777).toBe(0o751)
  expect(readFileSync(made, "utf8")).toBe("y")
  expect(readdirSync(join(folder.path, "deep", "er"))).toEqual(["new.txt"])
})

test("a write is whole: whoever has the file open keeps the old content", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder.path)
  const path = join(folder.path, "a")
  writeFileSync(path, "old")
  linkSync(path, join(folder.path, "hard"))
  const state = files.stat(path)
  if (!state.ok) throw new Error("missing")
  const before = lstatSync(path).ino
  await files.write(path, Buffer.from("new"), state.value.identity, signal)
  expect(readFileSync(join(folder.path, "hard"), "utf8")).toBe("old")
  expect(lstatSync(path).ino).not.toBe(before)
})

test("a write that comes upon another state fails and changes nothing", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder.path)
  const path = join(folder.path, "a")
  writeFileSync(path, "one")
  const state = files.stat(path)
  if (!state.ok) throw new Error("missing")
  writeFileSync(path, "two!")
  expect(await files.write(path, Buffer.from("x"), state.value.identity, signal)).toMatchObject({
    failure: { kind: "changed" },
  })
  expect(await files.write(path, Buffer.from("x"), "nothing", signal)).toMatchObject({ failure: { kind: "changed" } })
  expect(readFileSync(path, "utf8")).toBe("two!")
  expect(readdirSync(folder.path)).toEqual(["a"])
})

test("read-only files, folders and pipes are not written over", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder.path)
  const at = (name: string) => join(folder.path, name)
  writeFileSync(at("locked"), "x")
  chmodSync(at("locked"), 0o444)
  mkdirSync(at("folder"))
  Bun.spawnSync(["mkfifo", at("fifo")])
  const write = async (path: string) => {
    const written = await files.write(path, Buffer.from("y"), "nothing", signal)
    return written.ok ? "ok" : written.failure.kind
  }
  expect(await write(at("locked"))).toBe("read_only_file")
  expect(await write(at("folder"))).toBe("is_folder")
  expect(await write(at("fifo"))).toBe("not_file")
  expect(await write(at("locked/below"))).toBe("not_folder")
  expect(readFileSync(at("locked"), "utf8")).toBe("x")
})

test("an aborted write changes nothing", async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, "a")
  const written = await openIn(folder.path).write(path, Buffer.from("x"), "nothing", AbortSignal.abort())
  expect(written).toMatchObject({ failure: { kind: "aborted" } })
  expect(readdirSync(folder.path)).toEqual([])
})

test("every failure is a sentence with its path", () => {
  const path = "/a/b"
  const failures: readonly FileFailure[] = [
    { kind: "bad_path", path, why: "it is empty" },
    { kind: "not_found", path, near: [] },
    { kind: "not_found", path, near: ["/a/c"] },
    { kind: "is_folder", path },
    { kind: "not_folder", path },
    { kind: "not_file", path, what: "a device" },
    { kind: "no_permission", path, access: "read" },
    { kind: "read_only_file", path },
    { kind: "read_only_disk", path },
    { kind: "too_large", path, bytes: 5_000_000, limit: 1 },
    { kind: "binary", path },
    { kind: "not_encodable", path, encoding: "Latin-1", character: "€" },
    { kind: "not_read", path },
    { kind: "changed", path },
    { kind: "moved", path },
    { kind: "no_space", path },
    { kind: "aborted", path },
    { kind: "other", path, message: "EIO" },
  ]
  for (const failure of failures) expect(say(failure)).toContain(path)
})

test("a file is in its state until it is changed, touched, replaced or gone", () => {
  using folder = temporaryFolder()
  const files = openIn(folder.path)
  const path = folder.join("a")
  const again = () => {
    writeFileSync(path, "hello")
    const seen = files.stat(path)
    if (!seen.ok) throw new Error("it is there")
    return seen.value.identity
  }
  const isAfter = (change: () => void): boolean => {
    const identity = again()
    expect(files.isInState(path, identity)).toBe(true)
    change()
    return files.isInState(path, identity)
  }
  const { modifiedNs } = again()
  const seconds = Number(modifiedNs / 1_000_000_000n)
  expect(isAfter(() => readFileSync(path))).toBe(true)
  expect(isAfter(() => writeFileSync(path, "hello, you"))).toBe(false)
  // The times that a program can set are set; what it cannot set tells.
  expect(isAfter(() => utimesSync(path, seconds, seconds))).toBe(false)
  expect(isAfter(() => rmSync(path))).toBe(false)
  expect(isAfter(() => [writeFileSync(folder.join("b"), "hello"), renameSync(folder.join("b"), path)])).toBe(false)
  const identity = again()
  for (const other of [
    { inode: identity.inode + 1n },
    { device: identity.device + 1n },
    { bytes: identity.bytes + 1 },
    { modifiedNs: identity.modifiedNs + 2_000n },
    { changedNs: identity.changedNs - 2_000n },
  ])
    expect(files.isInState(path, { ...identity, ...other })).toBe(false)
})
