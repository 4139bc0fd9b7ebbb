/** A block that is delivered twice counts once; what only looks like one that came before does not vanish. */

import { describe, expect, test } from "bun:test"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { openAdmittedIds } from "#ground/models/admitted-ids.ts"
import { openDecoder } from "#ground/models/anthropic/decode.ts"
import { seededIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { blockStart, blockStop, delta, messageDelta, start, stop, textBlock, toolBlock } from "../wire-events.ts"

function decode(...events: readonly JsonObject[]) {
  const ids = seededIds(1)
  const known = { toolIds: openAdmittedIds(ids, "toolu"), messageIds: openAdmittedIds(ids, "msg") }
  const decoder = openDecoder({ by: "anthropic", searching: "plain", ...known })
  const out: AnswerEvent[] = []
  const taken = events
    .map((event) => decoder.decodeEvent(null, JSON.stringify(event), out))
    .find(({ kind }) => kind !== "more")
  return { out, kind: taken?.kind ?? "more", calls: callsIn(out) }
}

/** Ids of calls, and their input. */
function callsIn(events: readonly AnswerEvent[]): readonly (readonly string[])[] {
  return events.flatMap((event) =>
    event.type === "block_start" && event.block.type === "tool_use"
      ? [
          [
            event.block.id,
            ...events.flatMap((one) => (one.type === "input_delta" && one.index === event.index ? one.json : [])),
          ],
        ]
      : [],
  )
}

const call = toolBlock(1, "toolu_1", "Bash", '{"command":', '"echo x"}')
const text = textBlock(0, "Hello")
const end = [messageDelta("tool_use"), stop]

describe("delivered twice", () => {
  const whole = decode(start(), ...text, ...call, ...end)

  test("the same block, right away or later, in whole or in part", () => {
    for (const events of [
      [start(), ...text, ...text, ...call, ...call, ...end],
      [start(), ...text, ...call, ...text, ...call, ...end],
      [start(), ...text, ...call, start(), ...text, ...call, ...end],
      [start(), ...text, ...call, ...call.slice(1), ...end],
      [start(), ...text, ...call, ...call.slice(-1), ...end],
    ])
      expect(decode(...events)).toEqual(whole)
  })

  test("the same call under the same id at another place, however its input is spaced", () => {
    const again = toolBlock(2, "toolu_1", "Bash", '{ "command": "echo x" }')
    expect(decode(start(), ...text, ...call, ...again, ...end)).toEqual(whole)
  })
})

describe("not delivered twice", () => {
  test("another call under an id that was used gets an id of its own", () => {
    const other = toolBlock(2, "toolu_1", "Bash", '{"command":"echo y"}')
    const { kind, calls } = decode(start(), ...text, ...call, ...other, ...end)
    expect(kind).toBe("end")
    expect(calls.map(([, ...json]) => json.join(""))).toEqual(['{"command":"echo x"}', '{"command":"echo y"}'])
    expect(new Set(calls.map(([id]) => id)).size).toBe(2)
  })

  test("the same call twice under ids of their own, or without any", () => {
    const twin = toolBlock(2, "toolu_2", "Bash", '{"command":"echo x"}')
    expect(decode(start(), ...text, ...call, ...twin, ...end).calls).toHaveLength(2)
    const nameless = [1, 2].flatMap((index) => [
      blockStart(index, { type: "tool_use", name: "Bash", input: {} }),
      delta(index, { type: "input_json_delta", partial_json: "{}" }),
      blockStop(index),
    ])
    expect(decode(start(), ...text, ...nameless, ...end).calls).toHaveLength(2)
  })

  test("another block in the place of one that is complete breaks the answer off, and nothing of it is run", () => {
    for (const other of [toolBlock(1, "toolu_2", "Bash", "{}"), textBlock(1, "no")]) {
      const { kind, calls } = decode(start(), ...text, ...call, ...other, ...end)
      expect(kind).toBe("garbled")
      expect(calls).toHaveLength(1)
    }
  })

  test("an answer that ends within a repeated block, or begins as another message, is broken off", () => {
    expect(decode(start(), ...text, ...call, ...call.slice(0, 2), ...end).kind).toBe("garbled")
    const held = toolBlock(2, "toolu_1", "Bash", "{}").slice(0, 2)
    expect(decode(start(), ...text, ...call, ...held, ...end).kind).toBe("garbled")
    expect(decode(start(), ...text, start("msg_2")).kind).toBe("garbled")
  })
})
