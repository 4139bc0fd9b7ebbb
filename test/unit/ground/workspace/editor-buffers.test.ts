/** Files as an editor has them: what is unsaved is read, and nothing else is different. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { type EditorBuffers, withBuffers } from "#ground/workspace/editor-buffers.ts"
import { openFiles } from "#ground/workspace/files.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const { signal } = new AbortController()
const page = { offset: 1, limit: 100, lineLimit: 1_000, countBytes: 1_000 }

function open(folder: TemporaryFolder, buffers: EditorBuffers) {
  const files = openFiles({ cwd: () => folder.path, clock: systemClock, ids: systemIds })
  const isInside = (real: string): boolean => !real.includes("outside")
  return withBuffers(files, { buffers, isInside, scratch: folder.path, clock: systemClock, ids: systemIds })
}

const textOf = async (files: ReturnType<typeof open>, path: string): Promise<string | undefined> => {
  const read = await files.read(path, 1_000_000, signal)
  return read.ok ? read.value.bytes.toString() : read.failure.kind
}

test.each([
  ["unsaved text", "one\n", "one\ntwo\n", "one\ntwo\n"],
  ["lines without their last end are the same", "one\ntwo\n", "one\ntwo", "one\ntwo\n"],
  ["line ends are those of the file", "one\r\ntwo\r\n", "one\ntwo\n", "one\r\ntwo\r\n"],
  ["and stay so in unsaved text", "one\r\n", "one\nthree", "one\r\nthree\r\n"],
  ["everything was deleted", "one\n", "", ""],
  ["a mark at the beginning stays on disk", "\ufeffone\n", "two\n", "\ufeffone\n"],
])("%s", async (_, disk, buffer, read) => {
  using folder = temporaryFolder()
  const path = folder.join("a.txt")
  writeFileSync(path, disk)
  const files = open(folder, { read: async () => buffer })
  expect(await textOf(files, path)).toBe(read)
  const lines = await files.readLines(path, page, signal)
  expect(lines.ok && lines.value.lines.length).toBe(read === "" ? 0 : read.trimEnd().split("\n").length)
  expect(readdirSync(folder.path)).toEqual(["a.txt"])
})

test("an editor that cannot tell, and files outside of the workspace: as on disk", async () => {
  using folder = temporaryFolder()
  for (const name of ["a.txt", "outside.txt"]) writeFileSync(folder.join(name), "disk\n")
  expect(await textOf(open(folder, { read: async () => undefined }), folder.join("a.txt"))).toBe("disk\n")
  expect(await textOf(open(folder, { read: async () => "buffer\n" }), folder.join("outside.txt"))).toBe("disk\n")
  expect(await textOf(open(folder, { read: async () => "buffer\n" }), folder.join("none.txt"))).toBe("not_found")
})

test("a write goes through the editor; one that it refuses goes to the disk; a file that changed is left alone", async () => {
  using folder = temporaryFolder()
  const path = folder.join("a.txt")
  writeFileSync(path, "old\n")
  const taken: string[] = []
  let isWilling = true
  const files = open(folder, {
    read: async () => undefined,
    write: async (name, text) => {
      taken.push(text)
      if (isWilling) writeFileSync(name, text)
      return isWilling
    },
  })
  const write = async (text: string) => {
    const state = files.stat(path)
    if (!state.ok) throw new Error(state.failure.kind)
    return files.write(path, Buffer.from(text), state.value.identity, signal)
  }
  expect((await write("through\n")).ok).toBe(true)
  isWilling = false
  expect((await write("to the disk\n")).ok).toBe(true)
  expect(taken).toEqual(["through\n", "to the disk\n"])
  expect(readFileSync(path, "utf8")).toBe("to the disk\n")
  const before = files.stat(path)
  writeFileSync(path, "changed by somebody else\n")
  const late = await files.write(path, Buffer.from("x"), before.ok ? before.value.identity : "nothing", signal)
  expect(late).toMatchObject({ ok: false, failure: { kind: "changed" } })
  expect(taken).toHaveLength(2)
  expect(readdirSync(folder.path)).toEqual(["a.txt"])
})

test("unsaved text is saved before a change, and only then", async () => {
  using folder = temporaryFolder()
  const path = folder.join("a.txt")
  writeFileSync(path, "disk\n")
  let buffer = "unsaved\n"
  const saved: string[] = []
  const files = open(folder, {
    read: async () => buffer,
    write: async (_, text) => {
      saved.push(text)
      return true
    },
  })
  await files.save(path, signal)
  buffer = "disk\n"
  await files.save(path, signal)
  await files.save(folder.join("none.txt"), signal)
  expect(saved).toEqual(["unsaved\n"])
})
