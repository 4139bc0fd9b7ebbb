/** Whatever got into a log, and whatever the provider refuses: the next prompt succeeds after at most two repairs. */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { sealed } from "#ground/transcript/seal.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, write } from "../../kit/script.ts"

type Line = { [field: string]: JsonValue }

const linesOf = (path: string): Line[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Line)

function rewrite(path: string, change: (lines: Line[]) => Line[]): void {
  const without = ({ sum: _sum, ...line }: Line): Line => line
  writeFileSync(
    path,
    change(linesOf(path))
      .map((line) => `${sealed(without(line))}\n`)
      .join(""),
  )
}

const contentOf = (line: Line): JsonValue[] => {
  const content = isObject(line.message) ? line.message.content : undefined
  return Array.isArray(content) ? [...content] : []
}
const withContent = (line: Line, content: JsonValue): Line => ({
  ...line,
  message: { ...(isObject(line.message) ? line.message : {}), content },
})
const isResult = (line: Line): boolean => {
  const block = contentOf(line)[0]
  return isObject(block) && block.type === "tool_result"
}
const isAnswer = (line: Line): boolean => line.type === "assistant"
const isPrompt = (line: Line): boolean => line.type === "user" && !isResult(line)

const image = (data: string, media_type = "image/png"): JsonObject => ({
  type: "image",
  source: { type: "base64", media_type, data },
})
/** A PNG that says it is 20,000 pixels wide. */
const widePng = (): string => {
  const bytes = Buffer.alloc(60)
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes)
  bytes.writeUInt32BE(20_000, 16)
  return bytes.toString("base64")
}
const ask: JsonObject = { type: "text", text: "look" }
const inFirstPrompt =
  (...blocks: JsonValue[]) =>
  (lines: Line[]): Line[] =>
    lines.map((line) => (isPrompt(line) ? withContent(line, [ask, ...blocks]) : line))
const inAnswers =
  (change: (block: JsonObject) => JsonValue) =>
  (lines: Line[]): Line[] =>
    lines.map((line) =>
      isAnswer(line)
        ? withContent(
            line,
            contentOf(line).map((block) => (isObject(block) ? change(block) : block)),
          )
        : line,
    )

const damages: { readonly [name: string]: (lines: Line[]) => Line[] } = {
  "results are missing": (lines) => lines.filter((line) => !isResult(line)),
  "answers are missing, their results are not": (lines) => lines.filter((line) => !isAnswer(line)),
  "every line is there twice": (lines) => lines.flatMap((line) => [line, line]),
  "every call has the same id": inAnswers((block) =>
    block.type === "tool_use" ? { ...block, id: "toolu_same" } : block,
  ),
  "a call has an id the API does not take": inAnswers((block) =>
    block.type === "tool_use" ? { ...block, id: "no spaces allowed!" } : block,
  ),
  "an answer holds a block nobody knows": inAnswers(() => ({ type: "hologram", beam: 1 })),
  "a prompt holds a block nobody knows": inFirstPrompt({ type: "hologram", beam: 1 }),
  "a prompt is empty": inFirstPrompt({ type: "text", text: "   " }),
  "a result is of the wrong shape": (lines) =>
    lines.map((line) =>
      isResult(line) ? withContent(line, [{ type: "tool_result", tool_use_id: 7, content: 3 }]) : line,
    ),
  "an image is larger than the API takes": inFirstPrompt(image(Buffer.alloc(6_000_000, 1).toString("base64"))),
  "an image is wider than the API takes": inFirstPrompt(image(widePng())),
  "an image is no image": inFirstPrompt(image(Buffer.from("hello").toString("base64"))),
  "an image is of a kind the API does not take": inFirstPrompt(image("AAAA", "image/bmp")),
  "an image is not base64": inFirstPrompt(image("#####")),
  "a document is no document": inFirstPrompt({
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
  }),
  "there are more images than the API takes": inFirstPrompt(
    ...Array.from({ length: 150 }, () => image(Buffer.from("GIF89a............").toString("base64"), "image/gif")),
  ),
  "times run backwards": (lines) => lines.map((line) => ({ ...line, timestamp: "1970-01-01T00:00:00.000Z" })),
  "no line knows its parent": (lines) => lines.map((line) => ({ ...line, parentUuid: "nobody" })),
  "the order is turned around": (lines) => [...lines.slice(0, 1), ...lines.slice(1).toReversed()],
  "thinking has lost its signature": inAnswers((block) =>
    block.type === "text" ? { type: "thinking", thinking: "hm", signature: "" } : block,
  ),
}

const script = [calls(read("a.txt"), read("b.txt")), calls(write("c.txt", "c")), says("Done.")]
const files = { "a.txt": "a\n", "b.txt": "b\n" }

for (const [name, damage] of Object.entries(damages))
  test(`${name}: the next prompt succeeds`, async () => {
    await using t = await openTestSession({
      script: [...script, ...Array.from({ length: 4 }, () => says("Yes."))],
      files,
    })
    await t.prompt("work")
    await t.session.close()
    const before = t.simulator.stats().refusals
    rewrite(t.logPath, damage)
    await using again = await t.reopen()
    expect(await again.prompt("go on")).toEqual({ reason: "completed" })
    expect(again.entries().filter(({ kind }) => kind === "shrink").length).toBeLessThanOrEqual(2)
    expect(t.simulator.stats().refusals - before).toBeLessThanOrEqual(2)
    // What was mended once stays mended.
    const mended = t.simulator.stats().refusals
    expect(await again.prompt("and again")).toEqual({ reason: "completed" })
    expect(t.simulator.stats().refusals).toBe(mended)
  })

for (const storm of [
  ["too_long", "too_large"],
  ["too_large", "too_large"],
  ["too_long", "too_long"],
] as const)
  test(`${storm.join(" and ")} from the provider: the prompt succeeds`, async () => {
    await using t = await openTestSession({ script: [...script, says("Yes."), says("Again.")], files })
    await t.prompt("work")
    t.simulator.setFaults(storm)
    expect(await t.prompt("go on")).toEqual({ reason: "completed" })
    expect(t.story().filter((line) => line.startsWith("shrink")).length).toBeLessThanOrEqual(2)
  })

test("a conversation that cannot be sent at all is left with clear, without a model", async () => {
  await using t = await openTestSession({ script: [...script, says("Fresh.")], files })
  await t.prompt("work")
  t.simulator.setFaults([{ name: "unauthorized", times: 1 }])
  expect(await t.prompt("go on")).toMatchObject({ reason: "error", cause: "unauthorized" })
  expect((await t.session.submit({ type: "clear" })).ok).toBe(true)
  await t.settled()
  expect(await t.prompt("anew")).toEqual({ reason: "completed" })
  expect(t.requests().at(-1)).toHaveLength(1)
})
