/** What servers answer when they are asked for their models: whether the key is good, what is wrong, and what there is. */

import { describe, expect, test } from "bun:test"
import { checkKey, listModels } from "#ground/models/ask-server.ts"

const patient = new AbortController().signal

interface Served {
  readonly url: string
  /** The key of each request. */
  readonly asked: readonly (string | null)[]
  readonly stop: () => Promise<void>
}

function serve(answer: () => Response | Promise<Response>): Served {
  const asked: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(request.headers.get("authorization"))
      return answer()
    },
  })
  return { url: `http://127.0.0.1:${server.port}/v1/models`, asked, stop: () => server.stop(true) }
}

const who = "Them"
const headers = { authorization: "Bearer sk-secret" }

describe("a key", () => {
  const json = (status: number, body: object) => () => Response.json(body, { status })
  const googles = { error: { code: 400, message: "API key not valid.", details: [{ reason: "API_KEY_INVALID" }] } }
  const answers: readonly (readonly [string, () => Response, string, RegExp])[] = [
    ["a list", json(200, { data: [] }), "accepted", /^$/],
    ["401", json(401, {}), "rejected", /^Them rejected this key \(401\)\.$/],
    ["403", json(403, {}), "rejected", /^Them rejected this key \(403\)\.$/],
    ["what Google says", json(400, googles), "rejected", /^Them rejected this key \(400\)\.$/],
    ["what xAI says", json(400, { error: "Incorrect API key provided: sk***" }), "rejected", /rejected/],
    ["402", json(402, {}), "no_credit", /^Them knows the key, but the account has no credit \(402\)\.$/],
    ["a quota that is used up", json(429, { error: { code: "insufficient_quota" } }), "no_credit", /no credit \(429\)/],
    ["a limit that is used up", json(200, { data: { limit_remaining: 0 } }), "no_credit", /no credit \(200\)/],
    ["a key without a limit", json(200, { data: { limit_remaining: null } }), "accepted", /^$/],
    ["404", json(404, {}), "wrong_address", /^No model server answers at http:\/\/127.0.0.1:\d+\/v1 \(404\)\. Check/],
    ["a page", () => new Response("<html>", { status: 200 }), "wrong_address", /\(200\)\. Check the address/],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 302), "wrong_address", /\(302\)/],
    ["429", json(429, {}), "unknown", /^Them could not check the key \(429\)\.$/],
    ["500", json(500, {}), "unknown", /^Them could not check the key \(500\)\.$/],
  ]
  test.each(answers)("%s", async (_, answer, kind, words) => {
    const { url, asked, stop } = serve(answer)
    const verdict = await checkKey({ who, url, headers, send: fetch }, patient)
    await stop()
    expect(verdict.kind).toBe(kind as typeof verdict.kind)
    expect("message" in verdict ? verdict.message : "").toMatch(words)
    expect(asked).toEqual(["Bearer sk-secret"])
  })

  test("nobody there, and somebody who never answers", async () => {
    const { url, stop } = serve(() => new Promise(() => {}))
    expect(await checkKey({ who, url, headers, send: fetch }, AbortSignal.timeout(50))).toEqual({
      kind: "unreachable",
      message: "Them could not be reached: no answer came in time.",
    })
    await stop()
    const gone = await checkKey({ who, url, headers, send: fetch }, patient)
    expect(gone).toEqual({ kind: "unreachable", message: "Them could not be reached: connection refused." })
  })
})

describe("a list", () => {
  test.each([
    ["as most have it", { data: [{ id: "qwen3" }, { id: 7 }, { id: "llama4" }, { id: "qwen3" }] }, ["qwen3", "llama4"]],
    [
      "as Google has it",
      {
        models: [
          { name: "models/gemini-3-pro", supportedGenerationMethods: ["generateContent", "countTokens"] },
          { name: "models/text-embedding-005", supportedGenerationMethods: ["embedContent"] },
        ],
      },
      ["gemini-3-pro"],
    ],
    [
      "as OpenRouter has it",
      {
        data: [
          { id: "qwen/qwen3-coder", supported_parameters: ["tools", "max_tokens"] },
          { id: "some/painter", supported_parameters: ["seed"] },
        ],
      },
      ["qwen/qwen3-coder"],
    ],
    [
      "as Mistral and Together have it",
      {
        data: [
          { id: "codestral-latest", capabilities: { completion_chat: true } },
          { id: "ocr-latest", capabilities: { completion_chat: false } },
          { id: "Qwen/Qwen3", type: "chat" },
          { id: "flux", type: "image" },
        ],
      },
      ["codestral-latest", "Qwen/Qwen3"],
    ],
    [
      "as OpenAI has it",
      {
        data: [
          "gpt-5.5",
          "gpt-5.5-codex",
          "gpt-image-1",
          "text-embedding-3-large",
          "whisper-1",
          "tts-1",
          "gpt-realtime",
        ].map((id) => ({ id, object: "model" })),
      },
      ["gpt-5.5", "gpt-5.5-codex"],
    ],
  ])("%s", async (_, body, wanted) => {
    const { url, stop } = serve(() => Response.json(body))
    const models = await listModels({ who, url, headers, send: fetch }, patient)
    await stop()
    expect(models).toEqual({ ok: true, value: wanted })
  })

  test("something else that answers is no model server", async () => {
    const { url, stop } = serve(() => Response.json({ hello: "world" }))
    const models = await listModels({ who, url, headers, send: fetch }, patient)
    await stop()
    expect(!models.ok && models.failure).toContain("No model server answers at")
  })
})
