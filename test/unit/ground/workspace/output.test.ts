import { expect, test } from "bun:test"
import { existsSync, statSync } from "node:fs"
import fc from "fast-check"
import { collectOutput } from "#ground/workspace/processes/output.ts"
import { mebibyte, openOutputRoom, type OutputRoom } from "#ground/workspace/processes/output-room.ts"
import { readableOutput } from "#lib/readable-output.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { textOf } from "./open-test-shell.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test("output taken in parts is the output, wherever it was parted", () => {
  using folder = temporaryFolder()
  const piece = fc.constantFrom(
    "a",
    "line\n",
    "é",
    "日本",
    "😀",
    "\u001b[1;31m",
    "\u001b[0m",
    "\r\n",
    "\rx",
    "\t",
    "\u001b]0;t\u0007",
  )
  const story = fc.tuple(fc.array(piece, { maxLength: 30 }), fc.array(fc.tuple(fc.nat({ max: 8 }), fc.boolean())))
  let count = 0
  fc.assert(
    fc.property(story, ([pieces, steps]) => {
      const all = bytes(pieces.join(""))
      const file = folder.join(`out-${count++}`)
      const output = collectOutput({ limits: { characters: 1000, fileBytes: 1e6 }, file })
      const texts: string[] = []
      let at = 0
      for (const [length, isTaken] of steps) {
        output.add(all.subarray(at, at + length))
        at = Math.min(all.length, at + length)
        if (isTaken) texts.push(output.finish().text)
      }
      output.add(all.subarray(at))
      output.close()
      const last = output.finish()
      expect(texts.join("") + last.text).toBe(readableOutput(pieces.join("")))
      expect(last.from + last.bytes).toBe(all.length)
      if (texts.length > 0) expect(textOf(file)).toBe(pieces.join(""))
    }),
    { numRuns: 200 },
  )
})

test("a short output makes no file unless it is to be kept", () => {
  using folder = temporaryFolder()
  const limits = { characters: 100, fileBytes: 1000 }
  const short = collectOutput({ limits, file: folder.join("short") })
  short.add(bytes("x"))
  short.close()
  expect(short.finish()).toEqual({ text: "x", bytes: 1, from: 0 })
  expect(existsSync(folder.join("short"))).toBe(false)
  const kept = collectOutput({ limits, file: folder.join("kept") })
  kept.keepAll()
  expect(textOf(folder.join("kept"))).toBe("")
  kept.add(bytes("x"))
  expect(textOf(folder.join("kept"))).toBe("x")
})

test("what is new is bounded each time, and says where all of it is", () => {
  using folder = temporaryFolder()
  const file = folder.join("out")
  const output = collectOutput({ limits: { characters: 100, fileBytes: 1e6 }, file })
  output.add(bytes("first\n"))
  expect(output.finish().text).toBe("first\n")
  for (let i = 0; i < 1000; i++) output.add(bytes(`line ${i}\n`))
  const { text, from } = output.finish()
  expect(from).toBe(6)
  expect(text).toStartWith("line 0\n")
  expect(text).toEndWith("line 999\n")
  expect(text).toContain(`[Cut here: 8,890 bytes since the last time. All of it is in ${file}; Read or Grep it there.]`)
  expect(text.length).toBeLessThan(300)
  expect(textOf(file)).toStartWith("first\nline 0\n")
  expect(output.finish()).toMatchObject({ text: "", bytes: 0 })
})

test("a file that cannot be made ends nothing", () => {
  const output = collectOutput({ limits: { characters: 10, fileBytes: 100 }, file: "/dev/null/no/such" })
  output.keepAll()
  output.add(bytes("x".repeat(100)))
  expect(output.finish()).toMatchObject({ bytes: 100 })
  expect(output.whole()).toBeUndefined()
})

test("of a long output the file has the beginning and the end, however it came", () => {
  using folder = temporaryFolder()
  let count = 0
  const story = fc.record({
    most: fc.integer({ min: 2, max: 300 }),
    sizes: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 30 }),
  })
  fc.assert(
    fc.property(story, ({ most, sizes }) => {
      const total = sizes.reduce((sum, size) => sum + size, 0)
      const all = Uint8Array.from({ length: total }, (_, n) => 97 + (n % 23))
      const file = folder.join(`long-${count++}`)
      const output = collectOutput({ limits: { characters: 20, fileBytes: most }, file })
      output.keepAll()
      let at = 0
      for (const size of sizes) {
        output.add(all.subarray(at, at + size))
        at += size
        const ending = Buffer.from(output.ending(50) ?? [])
        expect(ending).toEqual(Buffer.from(all.subarray(at - ending.length, at)))
      }
      output.close()
      const kept = textOf(file)
      const text = new TextDecoder().decode(all)
      const half = Math.floor(most / 2)
      if (total <= most) expect(kept).toBe(text)
      else {
        const leftOut = (total - 2 * half).toLocaleString("en-US")
        expect(kept).toStartWith(`${text.slice(0, half)}\n[${leftOut} bytes are left out here:`)
        expect(kept).toEndWith(`]\n${text.slice(-half)}`)
      }
      expect(output.whole()).toBe(total <= most ? file : undefined)
      expect(existsSync(`${file}.end`) || existsSync(`${file}.new`)).toBe(false)
    }),
    { numRuns: 200 },
  )
})

test("a session has room for so much, counts what it has from before, and says when there is no more", () => {
  using folder = temporaryFolder()
  const limits = { commandBytes: 2 * mebibyte, sessionBytes: 3 * mebibyte }
  const print = (room: OutputRoom, name: string): string => {
    const output = collectOutput({ limits: { characters: 100 }, file: folder.join("outputs", name), room })
    for (let n = 0; n < 40; n++) output.add(bytes(`${"x".repeat(99_999)}\n`))
    output.close()
    return output.finish().text
  }
  const room = openOutputRoom(folder.join("outputs"), limits)
  expect(print(room, "first")).toContain("Its beginning and its end are in")
  const used = statSync(folder.join("outputs", "first")).size
  expect(used).toBeGreaterThanOrEqual(2 * mebibyte)
  const none =
    "[Cut here: 4,000,000 bytes in all. The rest is not kept: this session has as much output in files as it may have (setting storage.sessionOutputMb).]"
  expect(print(room, "second")).toContain(none)
  expect(existsSync(folder.join("outputs", "second"))).toBe(false)
  expect(print(openOutputRoom(folder.join("outputs"), limits), "resumed")).toContain(none)
  const roomier = openOutputRoom(folder.join("outputs"), { ...limits, sessionBytes: 6 * mebibyte })
  expect(print(roomier, "third")).toContain("Its beginning and its end are in")
})

test("what a command did not use of its room is there for the next", () => {
  using folder = temporaryFolder()
  const room = openOutputRoom(folder.path, { commandBytes: 2 * mebibyte, sessionBytes: 3 * mebibyte })
  for (let n = 0; n < 5; n++) {
    const output = collectOutput({ limits: { characters: 100 }, file: folder.join(String(n)), room })
    output.add(bytes("x".repeat(10_000)))
    output.close()
    expect(output.finish().text).toContain("All of it is in")
  }
})
