import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import fc from "fast-check"
import { collectOutput } from "#ground/workspace/processes/output.ts"
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
