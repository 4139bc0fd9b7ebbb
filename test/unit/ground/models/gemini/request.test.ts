/** Conversations as requests of the Gemini API: whatever was said, and by whom, the strict simulator takes them. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { AssistantBlock, Message, UserBlock } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import type { Thinking } from "#agent/words/thinking.ts"
import type { Capabilities, ServerDialect } from "#ground/models/dialect.ts"
import { openGeminiEncoder } from "#ground/models/gemini/request.ts"
import { onceEach } from "#lib/once-each.ts"
import type { JsonObject } from "#lib/json.ts"
import { decodeGemini } from "#sim/gemini/request.ts"
import { signPart } from "#sim/gemini/signature.ts"
import { checkGemini } from "#sim/gemini/strict.ts"
import { measure } from "#sim/measure.ts"
import { requestOf } from "../port.ts"

const factsOf = onceEach((model: string): Capabilities => ({
  id: model,
  provider: "gemini",
  window: 1_000_000,
  maxOutput: 65_536,
  images: true,
  documents: true,
}))
const dialectOf = (more: Partial<ServerDialect> = {}): ServerDialect => ({
  name: "gemini",
  idOf: (model) => model.replace(/^gemini\//, ""),
  factsOf,
  ...more,
})
const decoded = (body: Uint8Array): JsonObject => JSON.parse(new TextDecoder().decode(body)) as JsonObject
const model = "gemini/gemini-4-argon"

function sent(request: Partial<Request>, encoder = openGeminiEncoder(dialectOf(), () => {})): JsonObject {
  const { body, path } = encoder.encode(requestOf({ model, ...request }))
  const read = decodeGemini(decoded(body), `/v1beta${path.replace(/\?.*/, "")}`)
  expect(checkGemini(read, measure(read))).toBeUndefined()
  return decoded(body)
}

const says = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] })
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } } as const
const moving = { type: "image", source: { type: "base64", media_type: "image/gif", data: "AAAA" } } as const
const paper = {
  type: "document",
  title: "a.pdf",
  source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
} as const
const called = (id: string, proof?: { by: string; signature: string }): AssistantBlock => ({
  type: "tool_use",
  id,
  name: "Look",
  input: { id },
  ...(proof && { proof: { by: proof.by, value: { signature: proof.signature } } }),
})
const answered = (id: string, content: Extract<UserBlock, { type: "tool_result" }>["content"]): UserBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
})
const signatureOf = (id: string): string => signPart({ functionCall: { name: "Look", args: { id } } })

test("system, tools and settings", () => {
  const tools = [
    { name: "Look", description: "Looks.", input_schema: { type: "object" } },
    { name: "Late", description: "Later.", input_schema: { type: "object" }, deferred: true as const },
  ]
  expect(sent({ system: [{ text: "One." }, { text: "" }, { text: "Two." }], tools })).toEqual({
    generationConfig: { maxOutputTokens: 1_000, thinkingConfig: { thinkingLevel: "LOW", includeThoughts: true } },
    tools: [
      {
        functionDeclarations: [{ name: "Look", description: "Looks.", parametersJsonSchema: { type: "object" } }],
      },
    ],
    systemInstruction: { parts: [{ text: "One." }, { text: "Two." }] },
    contents: [{ role: "user", parts: [{ text: "hello" }] }],
  })
})

test("the path says which model, and whether it streams", () => {
  const { encode } = openGeminiEncoder(dialectOf(), () => {})
  const pathOf = (more: Partial<Request>): string => encode(requestOf({ model, ...more })).path
  expect(pathOf({})).toBe("/models/gemini-4-argon:streamGenerateContent?alt=sse")
  expect(pathOf({ delivery: "whole" })).toBe("/models/gemini-4-argon:generateContent")
  expect(pathOf({ delivery: "whole", model: "gemini/tunedModels/mine" })).toBe("/tunedModels/mine:generateContent")
  expect(pathOf({ delivery: "whole", model: "gemini/a?b" })).toBe("/models/a%3Fb:generateContent")
})

describe("results", () => {
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: "look" }, picture, paper, moving] },
    { role: "assistant", content: [called("a"), called("b")] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "gone", is_error: true },
        answered("b", [{ type: "text", text: "and" }, picture, moving]),
        { type: "text", text: "go on" },
      ],
    },
  ]
  const image = { inlineData: { mimeType: "image/png", data: "AAAA" } }
  const unseen = { text: "[A file of the type image/gif, which this model cannot read.]" }

  test("name the tool, carry pictures, and come before what the user says", () => {
    expect(sent({ messages }).contents).toEqual([
      {
        role: "user",
        parts: [{ text: "look" }, image, { inlineData: { mimeType: "application/pdf", data: "AAAA" } }, unseen],
      },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "a", name: "Look", args: { id: "a" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
          { functionCall: { id: "b", name: "Look", args: { id: "b" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "Look", response: { error: "gone" } } },
          { functionResponse: { id: "b", name: "Look", response: { output: "and" }, parts: [image] } },
          unseen,
          { text: "go on" },
        ],
      },
    ])
  })

  test("of a model before the third generation have their pictures beside them, and its calls no signature", () => {
    const { contents } = sent({ messages, model: "gemini/gemini-2.5-flash" })
    const [, calls, results] = contents as unknown as readonly { parts: readonly JsonObject[] }[]
    expect(calls?.parts[0]).toEqual({ functionCall: { id: "a", name: "Look", args: { id: "a" } } })
    expect(results?.parts.slice(1)).toEqual([
      { functionResponse: { id: "b", name: "Look", response: { output: "and" } } },
      image,
      unseen,
      { text: "go on" },
    ])
  })

  test("a lone surrogate in the input of a call, in a name or a value, is replaced", () => {
    const input = { "n\ud800": "v\udc00", list: ["\ud83d\ude00", "\ud83d"] }
    const call: Message = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Look", input }] }
    const result: Message = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] }
    const { contents } = sent({ messages: [{ role: "user", content: [{ type: "text", text: "look" }] }, call, result] })
    const args = { "n\ufffd": "v\ufffd", list: ["\ud83d\ude00", "\ufffd"] }
    const functionCall = { id: "a", name: "Look", args }
    const [, said] = contents as unknown as readonly JsonObject[]
    expect(said?.parts).toEqual([{ functionCall, thoughtSignature: "skip_thought_signature_validator" }])
  })

  test("a conversation that goes to a second model is written for that model", () => {
    const encoder = openGeminiEncoder(dialectOf(), () => {})
    const one = sent({ messages }, encoder)
    const other = sent({ messages, model: "gemini/gemini-2.5-flash" }, encoder)
    expect(other.contents).toEqual(sent({ messages, model: "gemini/gemini-2.5-flash" }).contents as never)
    expect(sent({ messages }, encoder)).toEqual(one)
  })
})

describe("signatures", () => {
  const back = (...content: AssistantBlock[]): readonly JsonObject[] => {
    const { contents } = sent({ messages: [says("?"), { role: "assistant", content }, says("!")] })
    return (contents as unknown as readonly { parts: readonly JsonObject[] }[])[1]?.parts ?? []
  }
  const signedText = (text: string, start: number, end: number, by = "gemini"): AssistantBlock => {
    const signature = signPart({ text: text.slice(start, end) })
    return { type: "text", text, proof: { by, value: { parts: [{ start, end, signature }] } } }
  }

  test("go back on the part they came with", () => {
    expect(back(signedText("So it is.", 6, 9))).toEqual([
      { text: "So it " },
      { text: "is.", thoughtSignature: signPart({ text: "is." }) },
    ])
    expect(back(signedText("So.", 3, 3))).toEqual([
      { text: "So." },
      { text: "", thoughtSignature: signPart({ text: "" }) },
    ])
    expect(back(signedText("So.", 0, 3))).toEqual([{ text: "So.", thoughtSignature: signPart({ text: "So." }) }])
  })

  test("of calls stay with their calls, and a call of another maker has the stand-in", () => {
    const steps = (by: string): unknown => {
      const messages: Message[] = [
        says("look"),
        { role: "assistant", content: [called("a", { by, signature: signatureOf("a") }), called("b")] },
        { role: "user", content: [answered("a", "1"), answered("b", "2")] },
      ]
      const { contents } = sent({ messages })
      return (contents as unknown as readonly { parts: readonly JsonObject[] }[])[1]?.parts.map(
        ({ thoughtSignature }) => thoughtSignature,
      )
    }
    expect(steps("gemini")).toEqual([signatureOf("a"), undefined])
    expect(steps("anthropic")).toEqual(["skip_thought_signature_validator", undefined])
  })

  test("of another provider are not sent, nor are its thoughts", () => {
    expect(
      back(
        { type: "thinking", thinking: "hm", proof: { by: "anthropic", value: "s" } },
        signedText("So.", 0, 3, "other"),
      ),
    ).toEqual([{ text: "So." }])
  })
})

describe("thinking", () => {
  const config = (name: string, thinking: Thinking, maxTokens = 8_000): unknown =>
    (sent({ model: `gemini/${name}`, thinking, maxTokens }).generationConfig as JsonObject).thinkingConfig

  test("by level, as each model has them", () => {
    const levels = (name: string): unknown[] =>
      (["low", "medium", "high", "xhigh", "max"] as const).map(
        (effort) => (config(name, { type: "auto", effort }) as JsonObject).thinkingLevel,
      )
    expect(levels("gemini-4-argon")).toEqual(["LOW", "MEDIUM", "HIGH", "HIGH", "HIGH"])
    expect(levels("gemini-3-pro-preview")).toEqual(["LOW", "LOW", "HIGH", "HIGH", "HIGH"])
    expect(config("gemini-3-flash-preview", { type: "off" })).toMatchObject({ thinkingLevel: "MINIMAL" })
    expect(config("gemini-3.8-flash", { type: "off" })).toMatchObject({ thinkingLevel: "LOW" })
    expect(config("gemini-flash-latest", { type: "auto" })).toEqual({ includeThoughts: true })
    expect(config("gemini-4-argon", { type: "on", tokens: 9_000 })).toMatchObject({ thinkingLevel: "MEDIUM" })
    expect(config("gemini-4-argon", { type: "auto", summaries: "hidden" })).toEqual({})
  })

  test("by budget before that, which leaves room for the answer", () => {
    expect(config("gemini-2.5-flash", { type: "off" })).toEqual({ thinkingBudget: 0 })
    expect(config("gemini-2.5-pro", { type: "off" })).toEqual({ thinkingBudget: 128, includeThoughts: true })
    expect(config("gemini-2.5-flash", { type: "auto", effort: "max" })).toMatchObject({ thinkingBudget: 4_000 })
    expect(config("gemini-2.5-flash-lite", { type: "on" })).toMatchObject({ thinkingBudget: -1 })
    expect(config("gemini-2.5-flash-lite", { type: "on", tokens: 1 })).toMatchObject({ thinkingBudget: 512 })
  })

  test("not at all where it is not known", () => {
    expect(config("gemini-2.0-flash", { type: "on", effort: "high" })).toBeUndefined()
    expect(config("gemma-4-27b", { type: "on" })).toBeUndefined()
  })
})

/** Conversations of any provider: signatures of ours and of others, thoughts, pictures in results, and more. */
const conversation: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.record({
      text: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
      by: fc.constantFrom("gemini", "anthropic", "local"),
      thinks: fc.boolean(),
      cut: fc.nat(100),
      calls: fc.array(fc.record({ media: fc.boolean(), signed: fc.boolean(), text: fc.string() }), { maxLength: 3 }),
      then: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((turns) => {
    const messages: Message[] = [says("begin")]
    for (const [i, { text, by, thinks, cut, calls, then }] of turns.entries()) {
      const idOf = (k: number): string => `toolu_${i}_${k}`
      const start = Math.min(cut, text?.length ?? 0)
      const signature = signPart({ text: text?.slice(start) ?? "" })
      const content: AssistantBlock[] = [
        ...(thinks ? [{ type: "thinking" as const, thinking: "hm", proof: { by, value: "x" } }] : []),
        ...(text === undefined
          ? []
          : [
              {
                type: "text" as const,
                text,
                proof: { by, value: { parts: [{ start, end: text.length, signature }] } },
              },
            ]),
        ...calls.map(({ signed }, k) => called(idOf(k), signed ? { by, signature: signatureOf(idOf(k)) } : undefined)),
      ]
      const results = calls.map(({ media, text: told }, k) =>
        answered(idOf(k), media ? [{ type: "text", text: told }, picture] : told),
      )
      messages.push({ role: "assistant", content })
      const after: UserBlock[] =
        then === undefined && results.length > 0 ? [] : [{ type: "text", text: then ?? "go on" }]
      messages.push({ role: "user", content: [...results, ...after] })
    }
    return messages
  })

test("whatever was said, a request is valid, extends the one before, and is encoded as if it were the first", () => {
  fc.assert(
    fc.property(conversation, fc.constantFrom("gemini-4-argon", "gemini-2.5-flash"), (messages, name) => {
      const encoder = openGeminiEncoder(dialectOf(), () => {})
      const system = [{ text: "Be brief." }]
      let before: readonly unknown[] = []
      for (let end = 1; end <= messages.length; end += 2) {
        const request = { model: `gemini/${name}`, system, messages: messages.slice(0, end) }
        const known = sent(request, encoder)
        expect(known).toEqual(sent(request))
        const contents = known.contents as readonly unknown[]
        expect(contents.slice(0, before.length)).toEqual(before as unknown[])
        before = contents
      }
    }),
    { numRuns: 80 },
  )
})
