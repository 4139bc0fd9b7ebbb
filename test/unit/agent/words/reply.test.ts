import { describe, expect, test } from "bun:test"
import { type FinishedBlock, openReply } from "#agent/words/reply.ts"
import { type ModelEvent, noUsage } from "#agent/words/model.ts"

const start: ModelEvent = { type: "message_start", id: "m", model: "x", usage: { ...noUsage, input_tokens: 7 } }
const textStart = (index = 0): ModelEvent => ({ type: "block_start", index, block: { type: "text", text: "" } })
const use = (index: number, json: string): ModelEvent[] => [
  { type: "block_start", index, block: { type: "tool_use", id: "c", name: "Read", input: {} } },
  ...json.split("").map((part): ModelEvent => ({ type: "input_delta", index, json: part })),
  { type: "block_stop", index },
]

function fold(events: readonly ModelEvent[]) {
  const reply = openReply()
  const blocks = events.map(reply.onEvent).filter((block): block is FinishedBlock => block !== undefined)
  return { reply, blocks }
}

describe("folding an answer", () => {
  test("blocks come as they are finished, with the pieces joined", () => {
    const { blocks, reply } = fold([
      start,
      { type: "block_start", index: 0, block: { type: "thinking", thinking: "" } },
      { type: "thinking_delta", index: 0, thinking: "let " },
      { type: "thinking_delta", index: 0, thinking: "me see" },
      { type: "proof_delta", index: 0, proof: { by: "anthropic", value: "si" } },
      { type: "proof_delta", index: 0, proof: { by: "anthropic", value: "g" } },
      { type: "block_stop", index: 0 },
      textStart(1),
      { type: "text_delta", index: 1, text: "Hello " },
      { type: "text_delta", index: 1, text: "you" },
      { type: "block_stop", index: 1 },
      ...use(2, '{"file_path":"a"}'),
      { type: "message_delta", stopReason: "tool_use", usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ])
    expect(blocks).toEqual([
      { block: { type: "thinking", thinking: "let me see", proof: { by: "anthropic", value: "sig" } } },
      { block: { type: "text", text: "Hello you" } },
      { block: { type: "tool_use", id: "c", name: "Read", input: { file_path: "a" } } },
    ])
    expect([reply.id(), reply.stopReason()]).toEqual(["m", "tool_use"])
    expect(reply.usage()).toEqual({ ...noUsage, input_tokens: 7, output_tokens: 9 })
  })

  test("text keeps the proof that came with it", () => {
    const proof = { by: "gemini", value: { parts: [] } }
    const { blocks } = fold([
      start,
      textStart(0),
      { type: "text_delta", index: 0, text: "So." },
      { type: "proof_delta", index: 0, proof },
      { type: "block_stop", index: 0 },
    ])
    expect(blocks).toEqual([{ block: { type: "text", text: "So.", proof } }])
  })

  test("blocks may be open at the same time", () => {
    const { blocks } = fold([
      start,
      textStart(0),
      textStart(1),
      { type: "text_delta", index: 1, text: "b" },
      { type: "text_delta", index: 0, text: "a" },
      { type: "block_stop", index: 0 },
      { type: "block_stop", index: 1 },
    ])
    expect(blocks.map(({ block }) => block)).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ])
  })

  test("text that is empty is no block; a call without input is one", () => {
    const { blocks } = fold([
      start,
      textStart(0),
      { type: "text_delta", index: 0, text: " \n" },
      { type: "block_stop", index: 0 },
      ...use(1, ""),
    ])
    expect(blocks).toEqual([{ block: { type: "tool_use", id: "c", name: "Read", input: {} } }])
  })

  test("input that is no whole object says so, and is empty", () => {
    for (const json of ['{"file_path":"a', "[1]", "7", "null", '"text"']) {
      const [found] = fold([start, ...use(0, json)]).blocks
      expect(found?.block).toMatchObject({ input: {} })
      expect(found?.unreadable).toContain("was not a whole JSON object")
    }
  })

  test("what was still open when it was cut off is there as text, and counted", () => {
    const { reply } = fold([start, textStart(0), { type: "text_delta", index: 0, text: "half a sen" }])
    expect(reply.unfinishedText()).toBe("half a sen")
    expect(reply.received()).toBe(10)
    expect(reply.begun()).toBe(true)
    expect(openReply().begun()).toBe(false)
  })

  test("a block that comes again, by its index or by the id of its call, counts once", () => {
    const call = use(0, '{"file_path":"a"}')
    const { blocks, reply } = fold([start, ...call, ...call, ...use(1, '{"file_path":"a"}')])
    expect(blocks).toHaveLength(1)
    expect(reply.blocks()).toEqual(blocks.map(({ block }) => block))
  })

  test("it is whole when it says so; until then, and after an error, it says why not", () => {
    expect(fold([start]).reply.failure()).toMatchObject({ kind: "broken" })
    expect(fold([start, { type: "message_stop" }]).reply.failure()).toBeUndefined()
    const failure = { kind: "overloaded", message: "Too much." } as const
    expect(fold([start, { type: "error", failure }]).reply.failure()).toEqual(failure)
  })

  test("text with the pages it rests on, and searches, as far as they came", () => {
    const page = { title: "Bun", url: "https://bun.sh/" }
    const { reply } = fold([
      start,
      { type: "search_result", pages: [page] },
      { type: "search_result", pages: [], error: "unavailable" },
      textStart(0),
      { type: "text_delta", index: 0, text: "Bun is" },
      { type: "citation_delta", index: 0, page },
      { type: "block_stop", index: 0 },
      textStart(1),
      { type: "text_delta", index: 1, text: "half" },
    ])
    expect(reply.passages()).toEqual([
      { text: "Bun is", pages: [page] },
      { text: "half", pages: [] },
    ])
    expect(reply.searches()).toEqual([{ pages: [page] }, { pages: [], error: "unavailable" }])
  })

  test("pieces and ends without a beginning are nothing", () => {
    const { blocks, reply } = fold([
      start,
      { type: "text_delta", index: 3, text: "x" },
      { type: "block_stop", index: 3 },
    ])
    expect(blocks).toEqual([])
    expect(reply.unfinishedText()).toBe("")
  })
})
