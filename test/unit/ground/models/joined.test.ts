/** Pieces that arrive together are told as one where only the whole is shown. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { joined } from "#ground/models/joined.ts"
import { openReply } from "#agent/words/reply.ts"
import { ask, openPort } from "./port.ts"
import { rawServer } from "./raw-server.ts"
import { messageDelta, start, stop, streams, textBlock, toolBlock } from "./wire-events.ts"

const anyText = fc.string({ maxLength: 3 })
const anyEvent: fc.Arbitrary<AnswerEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("text_delta" as const), index: fc.nat(2), text: anyText }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("thinking_delta" as const), index: fc.nat(2), thinking: anyText }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("input_delta" as const), index: fc.nat(2), json: anyText }) },
  fc.record({
    type: fc.constant("block_start" as const),
    index: fc.nat(2),
    block: fc.constant({ type: "text" as const, text: "" }),
  }),
  fc.record({ type: fc.constant("block_stop" as const), index: fc.nat(2) }),
  fc.constant({ type: "message_stop" as const }),
)

test("what is joined folds to the same answer, and no two that could be joined are left", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      const fold = (all: readonly AnswerEvent[]) => {
        const reply = openReply()
        const finished = all.map(reply.onEvent).filter((done) => done !== undefined)
        return { finished, passages: reply.passages(), received: reply.received(), failure: reply.failure() }
      }
      const together = joined(events)
      expect(fold(together)).toEqual(fold(events))
      const kinds = together.map((event) => `${event.type} ${"index" in event ? event.index : ""}`)
      expect(kinds.some((kind, at) => kind.includes("_delta ") && kind === kinds[at + 1])).toBe(false)
    }),
  )
})

test("a port tells pieces as they were sent, or joined if that is wanted", async () => {
  const answer = streams(
    start(),
    ...textBlock(0, "a", "b", "c"),
    ...toolBlock(1, "toolu_a", "Read", `{"path":`, `"x"}`),
    messageDelta(),
    stop,
  )
  for (const [pieces, texts, jsons] of [
    ["as sent", ["a", "b", "c"], [`{"path":`, `"x"}`]],
    ["joined", ["abc"], [`{"path":"x"}`]],
  ] as const) {
    await using server = await rawServer(answer)
    const events = await ask(openPort(server.url, { pieces }))
    expect(events.flatMap((event) => (event.type === "text_delta" ? [event.text] : []))).toEqual([...texts])
    expect(events.flatMap((event) => (event.type === "input_delta" ? [event.json] : []))).toEqual([...jsons])
  }
})
