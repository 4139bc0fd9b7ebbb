/** The official client library of OpenAI, unmodified, against the simulator: Responses and Chat Completions. */

import { describe, expect, test } from "bun:test"
import OpenAI from "openai"
import type { ResponseInputItem } from "openai/resources/responses/responses"
import type { Simulator } from "#sim/server.ts"
import { open } from "./open.ts"

const clientOf = (sim: Simulator): OpenAI => new OpenAI({ baseURL: `${sim.url}/v1`, apiKey: "any", maxRetries: 0 })
const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)
const parameters = { type: "object", properties: { file_path: { type: "string" } } }
const text = "One moment, «please»: 日本語 and an emoji 🙂 and\n\n  some  spaces.\n"
const input = { file_path: 'a "quoted" path.ts', limit: 3, deep: { list: [1, null, true] } }
const speech = [{ thinking: "Let me see." }, text, { tool: "Read", input }, { tool: "Read", input: {} }]

describe("Responses", () => {
  const ask = { model: "gpt-5", input: "hello", store: false, max_output_tokens: 1_000 } as const
  const thinking = { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] } as const
  const tools = [{ type: "function", name: "Read", description: "Reads.", parameters, strict: false }] as const
  const asked = { ...ask, ...thinking, include: [...thinking.include], tools: [...tools] }

  test("an answer that does not stream", async () => {
    await using sim = await open({ scenario: { replies: [{ content: "Good day." }] } })
    const response = await clientOf(sim).responses.create(ask)
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model: "gpt-5",
      output_text: "Good day.",
      usage: { output_tokens: 3, input_tokens_details: { cached_tokens: 0 } },
    })
    expect(response.id).toStartWith("resp_")
    // oxlint-disable-next-line no-underscore-dangle -- the library's own name for it.
    expect(response._request_id).toStartWith("req_")
  })

  test("a stream with thinking, text and calls folds into the answer it was; its events are numbered", async () => {
    await using sim = await open({ scenario: { replies: [{ content: speech }, { content: speech }] } })
    const stream = clientOf(sim).responses.stream(asked)
    const numbers: number[] = []
    const kinds = new Set<string>()
    for await (const event of stream) {
      numbers.push(event.sequence_number)
      kinds.add(event.type)
    }
    const folded = await stream.finalResponse()
    expect(folded).toMatchObject({
      output: [
        { type: "reasoning", summary: [{ text: "Let me see." }], encrypted_content: expect.stringMatching(/./) },
        { type: "message", content: [{ type: "output_text", text }] },
        { type: "function_call", name: "Read", arguments: JSON.stringify(input) },
        { type: "function_call", name: "Read", arguments: "{}" },
      ],
    })
    expect(numbers).toEqual(numbers.map((_, index) => index))
    expect([...kinds]).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.completed",
    ])
    const whole = await clientOf(sim).responses.create(asked)
    expect(whole.output.map(({ type }) => type)).toEqual(folded.output.map(({ type }) => type))
  })

  test("a whole round: what was answered goes back as it came, and is taken", async () => {
    await using sim = await open({ scenario: { replies: [{ content: speech.slice(0, 3) }, { content: "Done." }] } })
    const client = clientOf(sim)
    const first = await client.responses.create(asked)
    const call = first.output.find((item) => item.type === "function_call")
    const history: ResponseInputItem[] = [{ role: "user", content: "hello" }, ...(first.output as ResponseInputItem[])]
    const result = { type: "function_call_output", call_id: call?.call_id ?? "", output: "text" } as const
    expect((await client.responses.create({ ...asked, input: [...history, result] })).output_text).toBe("Done.")
    const unanswered = await caught(client.responses.create({ ...asked, input: history }))
    expect(unanswered).toBeInstanceOf(OpenAI.BadRequestError)
    expect(unanswered).toMatchObject({ message: expect.stringContaining("No tool output found"), param: "input" })
  })

  test("an answer that ends early says why", async () => {
    await using sim = await open({
      scenario: {
        replies: [
          { content: "and then", stopReason: "max_tokens" },
          { content: "no", stopReason: "refusal" },
        ],
      },
    })
    for (const reason of ["max_output_tokens", "content_filter"])
      expect(await clientOf(sim).responses.create(ask)).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason },
      })
  })

  const failures: readonly (readonly [
    string,
    Parameters<Simulator["setFaults"]>[0],
    new (...given: never[]) => Error,
    string,
  ])[] = [
    ["429", ["rate_limit"], OpenAI.RateLimitError, "rate_limit_exceeded"],
    ["overloaded", ["overloaded"], OpenAI.InternalServerError, "server_is_overloaded"],
    ["500", ["server_error"], OpenAI.InternalServerError, "server_error"],
    ["400", ["too_long"], OpenAI.BadRequestError, "context_length_exceeded"],
    ["401", ["unauthorized"], OpenAI.AuthenticationError, "invalid_api_key"],
    ["a reset", ["reset_before_headers"], OpenAI.APIConnectionError, ""],
    ["an error in the stream", ["error_event"], OpenAI.APIError, "server_is_overloaded"],
  ]
  test.each(failures)("%s becomes the library's own error", async (_what, faults, kind, code) => {
    await using sim = await open({ scenario: { replies: [{ content: "a long enough answer" }] } })
    sim.setFaults(faults)
    const error = await caught(clientOf(sim).responses.stream(ask).finalResponse())
    expect(error).toBeInstanceOf(kind)
    if (code !== "") expect(error).toMatchObject({ code })
  })
})

describe("Chat Completions", () => {
  const ask = { model: "gpt-5", messages: [{ role: "user" as const, content: "hello" }] }
  const tools = [{ type: "function" as const, function: { name: "Read", description: "Reads.", parameters } }]

  test("an answer that does not stream", async () => {
    await using sim = await open({ scenario: { replies: [{ content: "Good day." }] } })
    expect(await clientOf(sim).chat.completions.create(ask)).toMatchObject({
      choices: [{ message: { role: "assistant", content: "Good day." }, finish_reason: "stop" }],
      usage: { completion_tokens: 3 },
    })
  })

  test("a stream with text and calls folds into the answer it was", async () => {
    await using sim = await open({ scenario: { replies: [{ content: speech.slice(1) }] } })
    const stream = clientOf(sim).chat.completions.stream({ ...ask, tools, stream_options: { include_usage: true } })
    const completion = await stream.finalChatCompletion()
    expect(completion).toMatchObject({
      choices: [
        {
          message: {
            content: text,
            tool_calls: [
              { function: { name: "Read", arguments: JSON.stringify(input) } },
              { function: { name: "Read", arguments: "{}" } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
    })
    expect(completion.usage?.completion_tokens).toBeGreaterThan(1)
  })

  test("a whole round: the call's result goes back, and is taken", async () => {
    await using sim = await open({ scenario: { replies: [{ content: speech.slice(1, 3) }, { content: "Done." }] } })
    const client = clientOf(sim)
    const first = await client.chat.completions.create({ ...ask, tools })
    const message = first.choices[0]?.message
    if (!message) throw new Error("no answer")
    const id = message.tool_calls?.[0]?.id ?? ""
    const second = await client.chat.completions.create({
      ...ask,
      tools,
      messages: [...ask.messages, message, { role: "tool", tool_call_id: id, content: "text" }],
    })
    expect(second.choices[0]?.message.content).toBe("Done.")
  })

  const failures: readonly (readonly [
    string,
    Parameters<Simulator["setFaults"]>[0],
    new (...given: never[]) => Error,
  ])[] = [
    ["429", ["rate_limit"], OpenAI.RateLimitError],
    ["500", ["server_error"], OpenAI.InternalServerError],
    ["400", ["too_long"], OpenAI.BadRequestError],
    ["401", ["unauthorized"], OpenAI.AuthenticationError],
    ["a reset", ["reset_before_headers"], OpenAI.APIConnectionError],
    ["an error in the stream", ["error_event"], OpenAI.APIError],
  ]
  test.each(failures)("%s becomes the library's own error", async (_what, faults, kind) => {
    await using sim = await open({ scenario: { replies: [{ content: "a long enough answer" }] } })
    sim.setFaults(faults)
    const error = await caught(clientOf(sim).chat.completions.stream(ask).finalChatCompletion())
    expect(error).toBeInstanceOf(kind)
  })
})
