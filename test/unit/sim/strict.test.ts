import { expect, test } from "bun:test"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { hello, jsonOf, keyed, open, post, withCall } from "./open.ts"

const user = (content: JsonValue): JsonObject => ({ role: "user", content })
const assistant = (content: JsonValue): JsonObject => ({ role: "assistant", content })
const call = (id: string): JsonObject => ({ type: "tool_use", id, name: "Read", input: {} })
const result = (id: string, content: JsonValue = "ok"): JsonObject => ({
  type: "tool_result",
  tool_use_id: id,
  content,
})
const text = (value: string): JsonObject => ({ type: "text", text: value })
const talk = (...messages: JsonObject[]): JsonObject => ({ ...hello, messages })
const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, input_schema: { type: "object" }, ...more })
const mark = { cache_control: { type: "ephemeral" } }
const png = (width: number): string => {
  const bytes = Buffer.alloc(64)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(10, 20)
  return bytes.subarray(0, 63).toString("base64")
}
const image = (data: string, media_type = "image/png"): JsonObject => ({
  type: "image",
  source: { type: "base64", media_type, data },
})
const without = (field: string): JsonObject =>
  Object.fromEntries(Object.entries(hello).filter(([name]) => name !== field))

const searching = (more: JsonObject): JsonObject => ({
  ...hello,
  tools: [{ type: "web_search_20250305", name: "web_search", ...more }],
})

const refused: readonly (readonly [what: string, body: JsonObject, message: RegExp])[] = [
  ["no model", without("model"), /^model: /],
  ["a model that is no text", { ...hello, model: 3 }, /^model: /],
  ["no max_tokens", without("max_tokens"), /^max_tokens: /],
  ["max_tokens of 0", { ...hello, max_tokens: 0 }, /^max_tokens: /],
  ["max_tokens of 1.5", { ...hello, max_tokens: 1.5 }, /^max_tokens: /],
  ["max_tokens beyond the model", { ...hello, model: "claude-sonnet-4-5", max_tokens: 64_001 }, /64001 > 64000/],
  ["an unknown field", { ...hello, maxTokens: 3 }, /^maxTokens: /],
  ["no messages", without("messages"), /^messages: /],
  ["empty messages", talk(), /^messages: at least one/],
  ["an assistant first", talk(assistant("hi")), /^messages\.0\.role/],
  ["an unknown role", talk(user("hi"), { role: "tool", content: "x" }), /^messages\.1\.role/],
  ["two users in a row", talk(user("a"), user("b")), /^messages\.1\.role.*alternate/],
  ["a message with more fields", talk({ ...user("a"), id: "1" }), /^messages\.0\.id/],
  ["empty content", talk(user([])), /^messages\.0: content/],
  ["an empty text block", talk(user([text("")])), /^messages\.0\.content\.0: .*empty/],
  ["a blank text block", talk(user([text(" \n")])), /^messages\.0\.content\.0: .*white space/],
  ["empty plain text", talk(user("")), /^messages\.0/],
  ["a last reply ending in blanks", talk(user("a"), assistant("so ")), /final assistant/],
  ["an unknown block", talk(user([{ type: "video" }])), /^messages\.0\.content\.0\.type/],
  ["a block with more fields", talk(user([{ ...text("a"), uuid: "1" }])), /^messages\.0\.content\.0\.text\.uuid/],
  ["a call by the user", talk(user([call("a")])), /^messages\.0\.content\.0\.type|without a tool_result/],
  ["a call without a result", talk(user("a"), assistant([call("a")]), user("b")), /^messages\.1: .*without.*: a\./],
  ["a call at the end", talk(user("a"), assistant([call("a")])), /^messages\.1: .*without/],
  ["a result without a call", talk(user("a"), assistant("b"), user([result("z")])), /^messages\.2: tool_result z/],
  [
    "two results for a call",
    talk(user("a"), assistant([call("a")]), user([result("a"), result("a")])),
    /more than one/,
  ],
  [
    "a result after text",
    talk(user("a"), assistant([call("a")]), user([text("x"), result("a")])),
    /^messages\.2\.content\.1: .*before/,
  ],
  [
    "a call id used again",
    talk(user("a"), assistant([call("a")]), user([result("a")]), assistant([call("a")]), user([result("a")])),
    /^messages\.3: .*unique/,
  ],
  [
    "a malformed call id",
    talk(user("a"), assistant([call("a b")]), user([result("a b")])),
    /^messages\.1\.content\.0\.tool_use\.id/,
  ],
  [
    "an image in a failed result",
    talk(user("a"), assistant([call("a")]), user([{ ...result("a", [image(png(10))]), is_error: true }])),
    /is_error/,
  ],
  ["an empty text in a result", talk(user("a"), assistant([call("a")]), user([result("a", [text("")])])), /empty/],
  [
    "thinking without a signature",
    talk(user("a"), assistant([{ type: "thinking", thinking: "x" }, text("b")]), user("c")),
    /signature/,
  ],
  [
    "thinking that was changed",
    talk(user("a"), assistant([{ type: "thinking", thinking: "x", signature: "sim.1" }, text("b")]), user("c")),
    /signature: does not fit/,
  ],
  [
    "five cache marks",
    talk(user(["a", "b", "c", "d", "e"].map((letter) => ({ ...text(letter), ...mark })))),
    /At most 4 .*found 5/,
  ],
  [
    "five cache marks, some inside a result",
    talk(
      user([{ ...text("a"), ...mark }]),
      assistant([call("a")]),
      user([
        result(
          "a",
          ["b", "c", "d", "e"].map((letter) => ({ ...text(letter), ...mark })),
        ),
      ]),
    ),
    /found 5/,
  ],
  ["an image of another kind", talk(user([image(png(10), "image/bmp")])), /media_type/],
  ["bad base64", talk(user([image("abc$")])), /base64/],
  ["bytes that are something else", talk(user([image(png(10), "image/jpeg")])), /not image\/jpeg/],
  ["an image too wide", talk(user([image(png(8_001))])), /8001/],
  ["an image too big", talk(user([image(png(10) + "A".repeat(7_000_000))])), /bytes maximum/],
  ["101 images", talk(user(Array.from({ length: 101 }, () => image(png(10))))), /101 images/],
  ["a tool with a bad name", { ...hello, tools: [tool("a b")] }, /^tools\.0\.name/],
  ["two tools of one name", { ...hello, tools: [tool("a"), tool("a")] }, /^tools\.1\.name/],
  ["a tool without a schema", { ...hello, tools: [{ name: "a" }] }, /^tools\.0\.custom\.input_schema/],
  [
    "a tool whose input is no object",
    { ...hello, tools: [tool("a", { input_schema: { type: "string" } })] },
    /input_schema\.type/,
  ],
  ["a tool with more fields", { ...hello, tools: [tool("a", { title: "A" })] }, /^tools\.0\.custom\.title/],
  [
    "a tool of a type that nobody knows",
    searching({ type: "web_surf_20250305" }),
    /^tools\.0\.type: unknown tool type/,
  ],
  ["a search by another name", searching({ name: "search" }), /^tools\.0\.web_search_20250305\.name/],
  ["no searches at all", searching({ max_uses: 0 }), /max_uses/],
  ["half a search", searching({ max_uses: 1.5 }), /max_uses/],
  [
    "both lists of domains",
    searching({ allowed_domains: ["a.example"], blocked_domains: ["b.example"] }),
    /cannot both be given/,
  ],
  ["an empty list of domains", searching({ allowed_domains: [] }), /allowed_domains: must hold/],
  ["domains that are no list", searching({ blocked_domains: "a.example" }), /blocked_domains: must be a list/],
  ["a domain that is no text", searching({ blocked_domains: [3] }), /blocked_domains\.0/],
  ["a domain with a scheme", searching({ allowed_domains: ["https://a.example"] }), /allowed_domains\.0.*plain domain/],
  ["a domain with a star", searching({ allowed_domains: ["*.a.example"] }), /allowed_domains\.0/],
  ["a place of another sort", searching({ user_location: { type: "exact" } }), /user_location\.type/],
  ["a search with more fields", searching({ maxUses: 3 }), /maxUses: unknown field/],
  ["a choice of no tool", { ...hello, tools: [tool("a")], tool_choice: { type: "tool", name: "b" } }, /^tool_choice/],
  ["an empty system block", { ...hello, system: [text("")] }, /^system\.0/],
  [
    "a small thinking budget",
    { ...hello, max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 1_000 } },
    /budget_tokens/,
  ],
  [
    "a thinking budget over max_tokens",
    { ...hello, max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 2_000 } },
    /less than max_tokens/,
  ],
  ["an unknown effort", { ...hello, output_config: { effort: "huge" } }, /^output_config\.effort: must be one of/],
  ["an unknown part of the output", { ...hello, output_config: { efort: "low" } }, /^output_config\.efort/],
  [
    "an effort that the model is too old for",
    { ...hello, model: "claude-sonnet-4-5", output_config: { effort: "high" } },
    /^output_config\.effort: high is not taken by claude-sonnet-4-5/,
  ],
  [
    "a level that the model does not have",
    { ...hello, model: "claude-opus-4-6", output_config: { effort: "xhigh" } },
    /^output_config\.effort: xhigh/,
  ],
  [
    "the most effort without thinking",
    { ...hello, model: "claude-opus-5", thinking: { type: "disabled" }, output_config: { effort: "max" } },
    /^output_config\.effort: max is not taken while thinking is disabled/,
  ],
  [
    "a budget for a model that takes none",
    { ...hello, model: "claude-opus-5-5", max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } },
    /^thinking\.type: enabled is not taken/,
  ],
  [
    "no thinking for a model that always thinks",
    { ...hello, model: "claude-opus-5-5", thinking: { type: "disabled" } },
    /^thinking\.type: disabled is not taken/,
  ],
  [
    "a budget beside adaptive thinking",
    { ...hello, thinking: { type: "adaptive", budget_tokens: 2_000 } },
    /^thinking\.budget_tokens: unknown field/,
  ],
  ["an unknown thinking", { ...hello, thinking: { type: "hard" } }, /^thinking\.type/],
  [
    "a prompt over the window",
    talk(user("x".repeat(800_100))),
    /^prompt is too long: 2000\d\d tokens > 200000 maximum$/,
  ],
]

const accepted: readonly (readonly [what: string, body: JsonObject, headers?: Record<string, string>])[] = [
  ["plain text", hello],
  ["a call and its result", withCall()],
  [
    "results, then text",
    talk(user("a"), assistant([call("a"), call("b")]), user([result("a"), result("b"), text("and?")])),
  ],
  [
    "a result with an image",
    talk(user("a"), assistant([call("a")]), user([result("a", [text("see"), image(png(10))])])),
  ],
  ["an empty result", talk(user("a"), assistant([call("a")]), user([result("a", "")]))],
  ["a reply to go on with", talk(user("a"), assistant("Once upon a time"))],
  [
    "four cache marks",
    {
      ...talk(
        user([
          { ...text("a"), ...mark },
          { ...text("b"), ...mark },
        ]),
      ),
      system: [{ ...text("s"), ...mark }],
      tools: [tool("a", mark)],
    },
  ],
  [
    "thinking, enabled and adaptive",
    { ...hello, max_tokens: 3_000, thinking: { type: "enabled", budget_tokens: 1_024 } },
  ],
  ["a tool of the provider", searching({})],
  ["another tool of the provider", { ...hello, tools: [{ type: "code_execution_20250825", name: "code_execution" }] }],
  ["a search with domains", searching({ max_uses: 8, allowed_domains: ["a.example", "b.example/docs"] })],
  [
    "a search with everything",
    searching({
      max_uses: 1,
      blocked_domains: ["a.example"],
      user_location: { type: "approximate", city: "Bern", country: "CH" },
    }),
  ],
  [
    "what an earlier search found",
    {
      ...searching({}),
      messages: [
        { role: "user", content: "search" },
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "a" } },
            { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
            { type: "text", text: "Nothing." },
          ],
        },
        { role: "user", content: "go on" },
      ],
    },
  ],
  ["a long prompt with [1m]", { ...talk(user("x".repeat(900_000))), model: "claude-sonnet-5-5[1m]" }],
  [
    "a long prompt with the beta header",
    talk(user("x".repeat(900_000))),
    { ...keyed, "anthropic-beta": "context-1m-2025-08-07" },
  ],
  ["a bearer token", hello, { authorization: "Bearer x", "anthropic-version": "2023-06-01" }],
]

test("what the API refuses is refused, with the place named", async () => {
  await using sim = await open({ scenario: { replies: [{ content: "no", times: "always" }] } })
  for (const [what, body, message] of refused) {
    const response = await post(sim.url, body)
    const answer = await jsonOf(response)
    expect({ what, status: response.status, answer }).toEqual({
      what,
      status: 400,
      answer: {
        type: "error",
        error: { type: "invalid_request_error", message: expect.stringMatching(message) },
        request_id: response.headers.get("request-id"),
      },
    })
  }
  expect(sim.stats()).toMatchObject({ requests: refused.length, refusals: refused.length, replies: 0 })
  expect(sim.requests[0]).toMatchObject({ answered: { kind: "refusal", status: 400 }, body: without("model") })
})

test("what the API takes is taken", async () => {
  await using sim = await open({ scenario: { replies: [{ content: "yes", times: "always" }] } })
  for (const [what, body, headers] of accepted) {
    const response = await post(sim.url, body, headers)
    expect({ what, answer: await jsonOf(response) }).toMatchObject({ what, answer: { type: "message" } })
  }
})

test("what is no request at all is refused by its own status", async () => {
  await using sim = await open({ scenario: { replies: [] } })
  const refusal = async (response: Response): Promise<unknown> => {
    const { error } = await jsonOf(response)
    return [response.status, (error as JsonObject).type]
  }
  expect(await refusal(await post(sim.url, hello, { "anthropic-version": "1" }))).toEqual([401, "authentication_error"])
  expect(await refusal(await post(sim.url, hello, { "x-api-key": "a" }))).toEqual([400, "invalid_request_error"])
  expect(await refusal(await post(sim.url, { ...hello, model: "" }))).toEqual([404, "not_found_error"])
  expect(await refusal(await post(sim.url, hello, keyed, "/v2/messages"))).toEqual([404, "not_found_error"])
  expect(await refusal(await fetch(`${sim.url}/v1/messages`, { headers: keyed }))).toEqual([404, "not_found_error"])
  const broken = await fetch(`${sim.url}/v1/messages`, { method: "POST", headers: keyed, body: "{" })
  expect(await refusal(broken)).toEqual([400, "invalid_request_error"])
  const huge = await fetch(`${sim.url}/v1/messages`, {
    method: "POST",
    headers: keyed,
    body: "x".repeat(33 * 1024 * 1024),
  })
  expect(await refusal(huge)).toEqual([413, "request_too_large"])
})

test("without strict, anything that parses is answered", async () => {
  await using sim = await open({ strict: false, scenario: { replies: [{ content: "fine" }] } })
  const response = await post(sim.url, { messages: [] }, {})
  expect(await jsonOf(response)).toMatchObject({ content: [{ type: "text", text: "fine" }] })
})
