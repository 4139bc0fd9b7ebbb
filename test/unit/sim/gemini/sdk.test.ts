/** Google's client library, unmodified, against the simulator: what works there works with the real thing. */

import { ApiError, FunctionCallingConfigMode, GoogleGenAI, ThinkingLevel } from "@google/genai"
import { expect, test } from "bun:test"
import type { Simulator } from "#sim/server.ts"
import { open } from "../open.ts"

const clientOf = (sim: Simulator, apiKey = "any"): GoogleGenAI =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: sim.url, retryOptions: { attempts: 1 } } })
const model = "gemini-4-argon"
const tools = [
  {
    functionDeclarations: [
      { name: "Read", description: "Reads.", parametersJsonSchema: { type: "object", properties: {} } },
    ],
  },
]

test("an answer that does not stream", async () => {
  await using sim = await open({ scenario: { replies: [{ content: "Good day." }] } })
  const answer = await clientOf(sim).models.generateContent({
    model,
    contents: "hello",
    config: {
      systemInstruction: "Be brief.",
      maxOutputTokens: 1_000,
      temperature: 1,
      thinkingConfig: { thinkingLevel: ThinkingLevel.LOW },
    },
  })
  expect(answer.text).toBe("Good day.")
  expect(answer.modelVersion).toBe(model)
  expect(answer.candidates?.[0]).toMatchObject({ finishReason: "STOP", content: { role: "model" } })
  expect(answer.usageMetadata).toMatchObject({ candidatesTokenCount: 3 })
  expect(sim.requests[0]?.headers["x-goog-api-key"]).toBe("(hidden)")
})

test("a stream of thoughts, text and calls, which the library plays back as it came", async () => {
  const input = { file_path: 'a "quoted" path.ts', deep: { list: [1, null, true] } }
  await using sim = await open({
    scenario: {
      replies: [
        {
          content: [
            { thinking: "Let me see." },
            "Looking, «please»: 日本語 🙂",
            { tool: "Read", input },
            { tool: "Read" },
          ],
        },
        { content: "It is short." },
        { content: "You are welcome." },
      ],
    },
  })
  const chat = clientOf(sim).chats.create({
    model,
    config: {
      tools,
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
      thinkingConfig: { includeThoughts: true },
    },
  })
  const chunks = await Array.fromAsync(await chat.sendMessageStream({ message: "read it" }))
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? [])
  expect(parts.flatMap(({ text, thought }) => (thought ? [text] : [])).join("")).toBe("Let me see.")
  expect(parts.flatMap(({ text, thought }) => (thought ? [] : (text ?? []))).join("")).toBe(
    "Looking, «please»: 日本語 🙂",
  )
  const calls = chunks.flatMap((chunk) => chunk.functionCalls ?? [])
  expect(calls).toMatchObject([
    { name: "Read", args: input },
    { name: "Read", args: {} },
  ])
  const results = calls.map(({ id, name }) => ({
    functionResponse: { ...(id && { id }), ...(name && { name }), response: { output: "one line" } },
  }))
  // Its history has a content for each chunk.
  expect((await chat.sendMessage({ message: results })).text).toBe("It is short.")
  expect((await chat.sendMessage({ message: "thank you" })).text).toBe("You are welcome.")
  expect(sim.stats().refusals).toBe(0)
  expect(sim.stats().cacheBreaks).toEqual([])
})

test("its refusals are the library's errors", async () => {
  await using sim = await open({ scenario: { replies: [{ content: "x" }] } })
  const failing = async (contents: string | object, config: object = {}): Promise<ApiError> => {
    try {
      await clientOf(sim).models.generateContent({ model, contents: contents as string, config })
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
    throw new Error("it was taken")
  }
  const unsigned = [
    { role: "user", parts: [{ text: "look" }] },
    { role: "model", parts: [{ functionCall: { name: "Read", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "Read", response: { output: "" } } }] },
  ]
  expect((await failing(unsigned)).message).toContain("missing a thought_signature")
  expect((await failing("x", { thinkingConfig: { thinkingBudget: 100 } })).status).toBe(400)
  sim.setFaults(["unauthorized"])
  expect((await failing("x")).message).toContain("API_KEY_INVALID")
  sim.setFaults(["rate_limit"])
  const limited = await failing("x")
  expect(limited.status).toBe(429)
  expect(limited.message).toContain('"retryDelay":"1s"')
  sim.setFaults(["overloaded"])
  expect((await failing("x")).status).toBe(503)
})

test("the list of models", async () => {
  await using sim = await open()
  const listed = await Array.fromAsync(await clientOf(sim).models.list())
  expect(listed.map(({ name }) => name)).toContain("models/gemini-4-argon")
  expect((await clientOf(sim).models.get({ model })).inputTokenLimit).toBe(1_048_576)
})
