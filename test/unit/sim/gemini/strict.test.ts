/** What the simulated Gemini API refuses, because the real one does. */

import { expect, test } from "bun:test"
import type { JsonObject } from "#lib/json.ts"
import { signPart } from "#sim/gemini/signature.ts"
import { jsonOf, open, post } from "../open.ts"

const user = (...parts: JsonObject[]): JsonObject => ({ role: "user", parts })
const said = (...parts: JsonObject[]): JsonObject => ({ role: "model", parts })
const text = (value: string): JsonObject => ({ text: value })
const talk = (...contents: JsonObject[]): JsonObject => ({ contents })
const hello = talk(user(text("hello")))
const bare = (id: string, name = "Read"): JsonObject => ({ functionCall: { id, name, args: {} } })
const call = (id: string, name = "Read"): JsonObject => {
  const part = bare(id, name)
  return { ...part, thoughtSignature: signPart(part) }
}
const result = (id: string, name = "Read", more: JsonObject = {}): JsonObject => ({
  functionResponse: { id, name, response: { output: "ok" }, ...more },
})
const declaring = (declaration: JsonObject): JsonObject => ({
  ...hello,
  tools: [{ functionDeclarations: [{ name: "Read", description: "Reads.", ...declaration }] }],
})
const schema = (of: JsonObject): JsonObject => declaring({ parametersJsonSchema: { type: "object", ...of } })
const config = (generationConfig: JsonObject): JsonObject => ({ ...hello, generationConfig })
const go = user(text("go"))
const picture = { inlineData: { mimeType: "image/png", data: "AAAA" } }

const refused: readonly (readonly [what: string, body: JsonObject, message: RegExp])[] = [
  ["nothing", {}, /contents is not specified/],
  ["an unknown field", { ...hello, model: "x" }, /^model: unknown/],
  ["an unknown role", talk({ role: "assistant", parts: [text("a")] }), /valid role/],
  ["no parts", talk({ role: "user", parts: [] }), /parts must not be empty/],
  ["an empty text", talk(user(text(""))), /empty/],
  ["a part that is nothing", talk(user({ thought: true })), /oneof/],
  ["a part that is two things", talk(user({ ...text("a"), ...picture })), /oneof/],
  ["a model first", talk(said(text("a")), go), /start with a user/],
  ["a model last", talk(go, said(text("a"))), /end with a user/],
  ["a model that said nothing", talk(go, said(text("")), go), /must have a text/],
  ["two users in a row", talk(go, go), /alternate/],
  ["a call by a user", talk(user(call("a"))), /thought signature|only a model/],
  ["a result by a model", talk(go, said(result("a")), go), /only a user/],
  ["a call without a result", talk(go, said(call("a")), go), /number of function response parts/],
  ["a result too few", talk(go, said(call("a"), bare("b")), user(result("a"))), /number of function response parts/],
  ["a result without a call", talk(go, said(text("a")), user(result("a"))), /immediately after a function call/],
  [
    "results in another order",
    talk(go, said(call("a"), bare("b")), user(result("b"), result("a"))),
    /must answer Read/,
  ],
  ["a result of another tool", talk(go, said(call("a")), user(result("a", "Write"))), /must answer Read/],
  ["a result after text", talk(go, said(call("a")), user(text("so"), result("a"))), /before other parts/],
  ["a call that is not signed", talk(go, said(bare("a")), user(result("a"))), /missing a thought_signature/],
  [
    "a signature of another part",
    talk(go, said({ ...bare("a"), thoughtSignature: signPart(text("x")) }), user(result("a"))),
    /Corrupted thought signature/,
  ],
  [
    "a stand-in on a text",
    talk(go, said({ text: "a", thoughtSignature: "skip_thought_signature_validator" }), go),
    /Corrupted/,
  ],
  ["an animation", talk(user({ inlineData: { mimeType: "image/gif", data: "AAAA" } })), /Unsupported MIME/],
  ["no base64", talk(user({ inlineData: { mimeType: "image/png", data: "é" } })), /Base64/],
  ["a level and a budget", config({ thinkingConfig: { thinkingLevel: "LOW", thinkingBudget: 1 } }), /only one/],
  ["a level that the model lacks", config({ thinkingConfig: { thinkingLevel: "MINIMAL" } }), /not supported/],
  ["a budget", config({ thinkingConfig: { thinkingBudget: 100 } }), /not supported/],
  ["too long an answer", config({ maxOutputTokens: 65_537 }), /maxOutputTokens/],
  ["an unknown setting", config({ max_tokens: 1 }), /max_tokens: unknown/],
  ["a bad name", declaring({ name: "1st" }), /Invalid function name/],
  ["no description", declaring({ description: 1 }), /description/],
  ["a tool that takes no object", declaring({ parametersJsonSchema: { type: "string" } }), /"object"/],
  ["$schema", schema({ $schema: "x" }), /Unknown name "\$schema"/],
  ["a keyword it does not know", schema({ properties: { a: { const: 1 } } }), /Unknown name "const"/],
  ["a reference to nothing", schema({ properties: { a: { $ref: "#/$defs/a" } } }), /reference to undefined/],
  ["a reference and more", schema({ properties: { a: { $ref: "#/$defs/a", type: "string" } } }), /alongside/],
  ["a required field that is none", schema({ required: ["a"] }), /not defined/],
  ["a choice that is no text", schema({ properties: { a: { enum: [null] } } }), /enum/],
  ["a system prompt without text", { ...hello, systemInstruction: { parts: [] } }, /systemInstruction/],
  ["an unknown mode", { ...hello, toolConfig: { functionCallingConfig: { mode: "MAYBE" } } }, /mode/],
]

const taken: readonly (readonly [what: string, body: JsonObject])[] = [
  ["a greeting", hello],
  ["calls, the first of them signed", talk(go, said(text("a"), call("a"), bare("b")), user(result("a"), result("b")))],
  ["calls of an earlier turn that are not signed", talk(go, said(bare("a")), user(result("a")), said(text("so")), go)],
  [
    "a call of another model",
    talk(go, said({ ...bare("a"), thoughtSignature: "skip_thought_signature_validator" }), user(result("a"))),
  ],
  ["text that is signed at its end", talk(go, said(text("a"), { text: "", thoughtSignature: signPart(text("")) }), go)],
  [
    "a result with a picture, and a word",
    talk(go, said(call("a")), user(result("a", "Read", { parts: [picture] }), text("so"))),
  ],
  ["definitions", schema({ $defs: { a: { type: "string" } }, properties: { a: { $ref: "#/$defs/a" } } })],
]

const path = "/v1beta/models/gemini-4-argon:generateContent"
const key = { "x-goog-api-key": "any" }

for (const [what, body, message] of refused)
  test(`refused: ${what}`, async () => {
    await using sim = await open({ scenario: { replies: [] } })
    const answer = await jsonOf(await post(sim.url, body, key, path))
    expect(answer).toEqual({
      error: { code: 400, status: "INVALID_ARGUMENT", message: expect.stringMatching(message) },
    })
  })

for (const [what, body] of taken)
  test(`taken: ${what}`, async () => {
    await using sim = await open({ scenario: { replies: [{ content: "So." }] } })
    expect(await jsonOf(await post(sim.url, body, key, path))).toMatchObject({ candidates: [{ finishReason: "STOP" }] })
  })

test("a request without a key, a stream that is no stream of events, and an unknown path", async () => {
  await using sim = await open({ scenario: { replies: [] } })
  const status = async (headers: Record<string, string>, at: string): Promise<unknown> =>
    (await jsonOf(await post(sim.url, hello, headers, at))).error
  expect(await status({}, path)).toMatchObject({ code: 403, status: "PERMISSION_DENIED" })
  expect(await status(key, "/v1beta/models/x:streamGenerateContent")).toMatchObject({ code: 400 })
  expect(await status(key, "/v1beta/models/x:embedContent")).toMatchObject({ code: 404 })
})

test("a model of an older generation asks for no signature, and gives no ids", async () => {
  await using sim = await open({ scenario: { replies: [{ content: [{ tool: "Read" }] }] } })
  const unsigned = talk(go, said(bare("a")), user(result("a")))
  const answer = await jsonOf(await post(sim.url, unsigned, key, "/v1beta/models/gemini-2.5-flash:generateContent"))
  expect(answer.candidates).toMatchObject([{ content: { parts: [{ functionCall: { name: "Read", args: {} } }] } }])
  expect(JSON.stringify(answer)).not.toContain("thoughtSignature")
})
