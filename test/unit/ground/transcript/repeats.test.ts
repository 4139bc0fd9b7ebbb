/** A result's text is in its line once, and comes back whole for everybody. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { isObject, type JsonObject, objectIn } from "#lib/json.ts"
import { decodeEntry, encodeEntry } from "#ground/transcript/line.ts"
import { restoreRepeats, shortenRepeats } from "#ground/transcript/repeats.ts"
import { unsealed } from "#ground/transcript/seal.ts"

type ResultEntry = Entry & { readonly kind: "result" }

const origin = { sessionId: "s", cwd: "/w", version: "0", gitBranch: "main", entrypoint: "cli" }
const entryOf = (body: Partial<EntryBody & { kind: "result" }>): ResultEntry => ({
  kind: "result",
  callId: "c",
  tool: "Bash",
  content: "",
  isError: false,
  durationMs: 1,
  uuid: "u",
  parentUuid: null,
  at: Date.parse("2026-01-01T00:00:00.000Z"),
  ...body,
})
const lineOf = (entry: Entry): string => encodeEntry(entry, origin)
const readBack = (entry: Entry): Entry | undefined => {
  const line = unsealed(lineOf(entry))
  return line && decodeEntry(line)
}
const output = Array.from({ length: 1000 }, (_, n) => `line ${n} of "the output"`).join("\n")

describe("a command's output", () => {
  const entry = entryOf({
    content: `Exit code 1\n${output}\n[a note]`,
    isError: true,
    data: { stdout: output, stderr: "", interrupted: false },
    display: { kind: "terminal", command: "make", output: `${output}\n(refused: x)`, exitCode: 1 },
  })

  test("is in its line once, and read back whole", () => {
    expect(Buffer.byteLength(lineOf(entry))).toBeLessThan(JSON.stringify(entry.content).length + 2000)
    expect(readBack(entry)).toEqual(entry)
  })

  test("the fields that programs know are where they were, and say where the rest is", () => {
    const line = objectIn(lineOf(entry))
    const { stdout, ...rest } = isObject(line?.toolUseResult) ? line.toolUseResult : {}
    expect(rest).toEqual({ stderr: "", interrupted: false })
    expect(stdout).toStartWith('line 0 of "the output"\n')
    expect(stdout).toEndWith("… [shortened here: all of it is in message]")
  })

  test("a short one is whole in every field", () => {
    const short = entryOf({ content: "done", data: { stdout: "done" }, display: { kind: "text", text: "done" } })
    expect(objectIn(lineOf(short))).toMatchObject({
      message: { content: [{ content: "done" }] },
      toolUseResult: { stdout: "done" },
      codewright: { display: { text: "done" } },
    })
    expect(lineOf(short)).not.toContain("repeats")
  })
})

test("lists of lines, texts that are cut in the middle, and results in blocks", () => {
  const items = output.split("\n")
  const cut = `${output.slice(0, 5000)}\n[cut]\n${output.slice(-5000)}`
  const otherCut = `${output.slice(0, 5000)}\n[cut, with other words]\n${output.slice(-5000)}`
  const entries = [
    entryOf({ content: `${output}\n[more]`, display: { kind: "list", items }, data: { filenames: items } }),
    entryOf({ content: cut, data: { content: otherCut, deep: [{ text: cut }] } }),
    entryOf({
      content: [
        { type: "text", text: output },
        { type: "text", text: "and" },
      ],
      data: { text: output },
    }),
  ]
  for (const entry of entries) {
    expect(readBack(entry)).toEqual(entry)
    const told = typeof entry.content === "string" ? entry.content : output
    expect(Buffer.byteLength(lineOf(entry))).toBeLessThan(JSON.stringify(told).length + 2500)
  }
})

test("whatever is repeated in whatever way, it comes back as it was", () => {
  const piece = fc.constantFrom("a", "\n", "é", "😀", '"', "\\", "\u0000", "word ", "x".repeat(150), "y\n".repeat(120))
  const text = fc.array(piece, { maxLength: 12 }).map((all) => all.join(""))
  const story = fc.record({
    told: fc.array(text, { minLength: 1, maxLength: 4 }),
    ends: fc.tuple(text, text),
    more: fc.dictionary(fc.string({ maxLength: 4 }), fc.oneof(text, fc.array(text, { maxLength: 4 }))),
  })
  fc.assert(
    fc.property(story, ({ told, ends: [before, after], more }) => {
      const whole = told.join("")
      const data: JsonObject = {
        ...more,
        same: whole,
        around: `${before}${whole}${after}`,
        part: whole.slice(3, -3),
        lines: whole.split("\n"),
        mixed: [whole, 1, null, { inner: `${whole}${after}` }],
      }
      const entry = entryOf({ content: whole, data })
      expect(readBack(entry)).toEqual(entry)
    }),
    { numRuns: 200 },
  )
})

test("damaged references change nothing, and reach nowhere else", () => {
  const told = "x".repeat(1000)
  const { value } = shortenRepeats({ data: { stdout: told } }, told)
  const odd: unknown[] = [
    undefined,
    null,
    {},
    [null],
    [{ at: ["data", "stdout"] }],
    [{ at: ["data", "stdout"], parts: [[0, 2000]] }],
    [{ at: ["data", "stdout"], parts: [[-1, 5]] }],
    [{ at: ["data", "stdout"], parts: [["0", 5]] }],
    [{ at: ["data", "nowhere"], parts: ["x"] }],
    [{ at: ["__proto__", "polluted"], parts: ["x"] }],
    [{ at: ["data", "stdout", "length"], parts: ["x"] }],
    [{ at: [], parts: ["x"] }],
  ]
  for (const repeats of odd) expect(restoreRepeats(value, repeats as never, told)).toEqual(value)
  expect("polluted" in {}).toBe(false)
})
