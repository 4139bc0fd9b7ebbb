/** How large the next request is taken to be. */

import { expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { refold, notifyFollowers } from "#agent/words/follower.ts"
import { noUsage } from "#agent/words/model.ts"
import { weightless } from "#agent/words/weight.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { openMeter } from "#session/request/meter.ts"

function openBench({
  isAwake = () => true,
  fixed = () => 100,
}: { readonly isAwake?: () => boolean; readonly fixed?: () => number } = {}) {
  const conversation = openConversation({ shrink })
  const meter = openMeter({
    messages: conversation.messages,
    fixed() {
      const tokens = fixed()
      return { ...weightless, tokens, most: tokens + 30 }
    },
    isAwake,
  })
  const entries: Entry[] = []
  const followers = [{ conversation }, meter]
  const take = (body: EntryBody): void => {
    const entry: Entry = { ...body, uuid: String(entries.length), parentUuid: null, at: 0 }
    entries.push(entry)
    notifyFollowers(followers, entry)
  }
  return { meter, entries, followers, take }
}

const said = (text: string): EntryBody => ({ kind: "prompt", promptId: "p", content: [{ type: "text", text }] })
const result = (callId: string, content: string): EntryBody => ({
  kind: "result",
  callId,
  tool: "Read",
  content,
  isError: false,
  durationMs: 1,
})
const call = (messageId: string, id: string): EntryBody => ({
  kind: "reply",
  messageId,
  model: "m",
  block: { type: "tool_use", id, name: "Read", input: {} },
  usage: noUsage,
})
const ended = (messageId: string, input_tokens: number): EntryBody => ({
  kind: "reply_end",
  messageId,
  model: "m",
  stopReason: "tool_use",
  usage: { ...noUsage, input_tokens, cache_read_input_tokens: 1_000, output_tokens: 7 },
  durationMs: 1,
})

test("before the first answer everything is weighed: by estimate, and by what it can be at most", () => {
  const { meter, take } = openBench()
  take(said("x".repeat(300)))
  expect(meter.next()).toEqual({ tokens: 100 + 75, most: 130 + 100, chars: 300, media: 0 })
  take(said("日".repeat(30)))
  expect(meter.next()).toEqual({ tokens: 100 + 75 + 8, most: 130 + 100 + 30, chars: 330, media: 0 })
})

test("an answer says what it was; results that came while it was spoken count on top, and so does all that follows", () => {
  const { meter, take } = openBench()
  take(said("x".repeat(300)))
  take(call("m1", "a"))
  take(result("a", "y".repeat(60)))
  take(call("m1", "b"))
  take(ended("m1", 400))
  expect(meter.next()).toMatchObject({ tokens: 1_407 + 15, most: 1_407 + 20 })
  take(result("b", "z".repeat(120)))
  expect(meter.next()).toMatchObject({ tokens: 1_407 + 15 + 30, most: 1_407 + 20 + 40 })
  // The next answer has counted both.
  take(call("m2", "c"))
  take(ended("m2", 500))
  expect(meter.next()).toMatchObject({ tokens: 1_507, most: 1_507 })
})

test("a conversation that was changed is weighed again, and one that is read again has the same size", () => {
  const { meter, entries, followers, take } = openBench()
  take(said("x".repeat(300)))
  take(call("m1", "a"))
  take(result("a", "y".repeat(6_000)))
  take(ended("m1", 400))
  const before = meter.next()
  refold(followers, entries)
  expect(meter.next()).toEqual(before)
  take({ kind: "stub", stubs: [{ callId: "a", text: "gone" }], wonTokens: 1 })
  expect(meter.next().tokens).toBeLessThan(250)
  expect(meter.next().chars).toBeLessThan(500)
  refold(followers, entries.slice(0, 1))
  expect(meter.next()).toEqual({ tokens: 175, most: 230, chars: 300, media: 0 })
})

test("a log that is read asks what requests begin with once, at its end; a model chosen since may begin with other tools", () => {
  let asked = 0
  let isAwake = false
  let tokens = 100
  const model: EntryBody = { kind: "model", model: "small", why: "chosen" }
  const read = (...bodies: readonly EntryBody[]) => {
    isAwake = false
    const { meter, take } = openBench({ isAwake: () => isAwake, fixed: () => (asked++, tokens) })
    take(said("x".repeat(300)))
    for (const body of bodies) take(body)
    asked = 0
    meter.onRead()
    isAwake = true
    return { meter, take }
  }
  const { meter, take } = read(ended("m1", 400), ended("m2", 500))
  expect(asked).toBe(1)
  tokens = 40
  take(model)
  expect(meter.next().tokens).toBe(1_507 - 60)
  // Nobody knows what it began with, so all is weighed.
  expect(read(ended("m1", 400), model).meter.next().tokens).toBe(40 + 75)
})
