import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { shrinkRungs } from "#agent/words/entry.ts"
import type { Message, ResultContent } from "#agent/words/message.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { complaints } from "../../../kit/valid-messages.ts"

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } } as const
const text = (value: string) => ({ type: "text", text: value }) as const
const says = (words: string): Message => ({ role: "user", content: [text(words)] })
const answers = (words: string): Message => ({ role: "assistant", content: [text(words)] })
const step = (id: string, content: ResultContent, ...more: Message["content"]): Message[] => [
  { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: { file_path: id } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }, ...(more as never[])] },
]
const long = "x".repeat(1000)
const textsOf = (messages: readonly Message[]): string => JSON.stringify(messages)

describe("media", () => {
  test("a result that loads tools loads them still", () => {
    const reference = { type: "tool_reference", tool_name: "mcp__a__b" } as const
    const [, result] = shrink(step("a", [reference, image]), "media")
    expect(result?.content[0]).toMatchObject({ content: [reference, { type: "text" }] })
  })

  test("pictures and documents become a sentence, wherever they are; the rest keeps its identity", () => {
    const plain = says("hello")
    const [call, result] = step("a", [text("seen"), image])
    const messages = [plain, answers("hi"), { role: "user", content: [image, text("look")] }, call, result] as Message[]
    const smaller = shrink(messages, "media")
    expect(textsOf(smaller)).not.toContain("base64")
    expect(textsOf(smaller)).toContain("[image left out to keep the request within the provider's limits.")
    expect(smaller[0]).toBe(plain)
    expect(smaller[3]).toBe(call as Message)
    expect(complaints(smaller)).toEqual([])
  })
})

describe("results", () => {
  const messages = [says("go"), ...["a", "b", "c", "d", "e"].flatMap((id) => step(id, `${id}${long}`))]

  test("old results are cut, the three newest stay", () => {
    const smaller = shrink(messages, "results")
    const lengths = smaller.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" ? [String(block.content).length] : [])),
    )
    expect(lengths.map((length) => (length > 1000 ? "whole" : "cut"))).toEqual([
      "cut",
      "cut",
      "whole",
      "whole",
      "whole",
    ])
    expect(textsOf(smaller)).toContain(
      "[cut: 1001 characters in all, to make room. Call the tool again if it is needed.]",
    )
  })

  test("when only new ones are left to cut, they are cut too", () => {
    const smaller = shrink(shrink(messages, "results"), "results")
    expect(textsOf(smaller)).not.toContain(long)
  })

  test("short results are not touched", () => {
    const short = [says("go"), ...step("a", "short")]
    expect(shrink(short, "results")).toEqual(short)
  })
})

describe("turns and summary", () => {
  const messages = [
    says("first wish"),
    ...step("a", long, text("a word in between"), text("<system-reminder>\nnot a person\n</system-reminder>")),
    ...step("b", long),
    answers("half way"),
    says("second wish"),
    ...step("c", long),
  ]

  test("the older half goes, but what the person wrote in it stays", () => {
    const smaller = shrink(messages, "turns")
    expect(smaller.length).toBeLessThan(messages.length)
    expect(smaller.slice(1)).toEqual(messages.slice(messages.length - smaller.length + 1))
    expect(textsOf(smaller.slice(0, 1))).toContain("first wish")
    expect(textsOf(smaller.slice(0, 1))).toContain("a word in between")
    expect(textsOf(smaller)).not.toContain("not a person")
    expect(complaints(smaller)).toEqual([])
  })

  test("the extract has what was asked, what was called and what was said last", () => {
    const [only, ...rest] = shrink(messages, "summary")
    expect(rest).toEqual([])
    for (const words of [
      "first wish",
      "a word in between",
      "second wish",
      'Read {\\"file_path\\":\\"b\\"}',
      "half way",
    ])
      expect(textsOf([only as Message])).toContain(words)
    expect(textsOf([only as Message])).not.toContain("not a person")
  })

  test("of very much that a person wrote, the newest stays", () => {
    const many = Array.from({ length: 20 }, (_, i) => [says(`wish ${i} ${"w".repeat(10_000)}`), answers("yes")]).flat()
    const extract = textsOf(shrink(many, "summary"))
    expect(extract.length).toBeLessThan(100_000)
    expect(extract).toContain("wish 19 ")
    expect(extract).not.toContain("wish 2 ")
  })
})

const anyTurn = fc
  .tuple(
    fc.constantFrom("hello", "x".repeat(2000)),
    fc.array(fc.tuple(fc.uuid(), fc.constantFrom<ResultContent>("short", long, [text(long), image])), { maxLength: 4 }),
  )
  .map(([words, steps]) => [says(words), ...steps.flatMap(([id, content]) => step(id, content)), answers("done")])

test("each rung gives valid messages, no larger than before by more than its note", () => {
  fc.assert(
    fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 6 }), fc.constantFrom(...shrinkRungs), (turns, rung) => {
      const messages = turns.flat()
      expect(complaints(messages)).toEqual([])
      const smaller = shrink(messages, rung)
      expect(complaints(smaller)).toEqual([])
      expect(textsOf(smaller).length).toBeLessThan(textsOf(messages).length + 600)
    }),
    { numRuns: 300 },
  )
})
