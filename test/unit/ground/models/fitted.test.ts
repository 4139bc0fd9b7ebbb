/** Requests fitted to what a model can do: what is changed, what stays the identical object, and what is said about it. */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import { fitted, requestNotes } from "#ground/models/fitted.ts"
import { requestOf } from "./port.ts"

const facts: ModelFacts = { id: "local/m", provider: "local", window: 100_000, maxOutput: 8_000 }
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } } as const
const words = (text: string): { type: "text"; text: string } => ({ type: "text", text })
const look = (id: string): Message["content"][number] & { type: "tool_use" } => ({
  type: "tool_use",
  id,
  name: "Look",
  input: { id },
})
const looked: readonly Message[] = [
  { role: "user", content: [words("look")] },
  { role: "assistant", content: [words("I look."), look("a"), look("b")] },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "b", content: "two" },
      { type: "tool_result", tool_use_id: "a", content: [words("one"), picture] },
      words("and?"),
    ],
  },
]
const tools = [{ name: "Look", description: "Looks.", input_schema: { type: "object" } }]

test("a model that takes everything gets the identical messages", () => {
  const { messages } = fitted(requestOf({ messages: looked }), facts)
  expect(messages).toBe(looked)
})

test("one call at a time: each with its result, and what else was said once", () => {
  const { messages } = fitted(requestOf({ messages: looked }), { ...facts, parallelCalls: "never" })
  expect(messages).toEqual([
    { role: "user", content: [words("look")] },
    { role: "assistant", content: [words("I look."), look("a")] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [words("one"), picture] }] },
    { role: "assistant", content: [look("b")] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "b", content: "two" }, words("and?")] },
  ])
})

test("without tools, earlier calls and results are told in words", () => {
  const { messages, tools: left } = fitted(requestOf({ messages: looked, tools }), {
    ...facts,
    tools: "never",
    images: false,
  })
  expect(left).toEqual([])
  expect(messages.slice(1)).toEqual([
    {
      role: "assistant",
      content: [
        words("I look."),
        words('[Called the tool Look with {"id":"a"}]'),
        words('[Called the tool Look with {"id":"b"}]'),
      ],
    },
    {
      role: "user",
      content: [
        words("[The tool's result:]"),
        words("two"),
        words("[The tool's result:]"),
        words("one"),
        words("[A picture, which this model cannot see.]"),
        words("and?"),
      ],
    },
  ])
})

test("length, effort, thinking and search as the model has them", () => {
  const search = [{ type: "web_search", maxUses: 1 }] as const
  const asked = requestOf({ maxTokens: 50_000, thinking: { type: "off", effort: "max" }, serverTools: search })
  expect(fitted(asked, facts)).toMatchObject({ maxTokens: 8_000, thinking: asked.thinking })
  expect(fitted(asked, facts)).not.toHaveProperty("serverTools")
  expect(fitted(asked, { ...facts, searchesWeb: true }).serverTools).toEqual(search)
  const thinks = { efforts: ["low", "high"], byDefault: true } as const
  expect(fitted(asked, { ...facts, thinks }).thinking).toEqual({ type: "off", effort: "high" })
})

test("the user is told once for each kind, and only of what is there", () => {
  const blind: ModelFacts = { ...facts, images: false, documents: false, tools: "never" }
  const asked = requestOf({ model: "local/m", messages: looked, tools })
  expect(requestNotes(asked, blind)).toEqual([
    "local/m cannot see pictures: it is told that there was one.",
    "local/m takes no tools: it can only answer in words.",
  ])
  expect(requestNotes(asked, facts)).toEqual([])
  expect(requestNotes(requestOf(), blind)).toEqual([])
})
