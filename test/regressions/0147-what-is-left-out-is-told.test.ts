/**
 * What a provider refused to take was left out of later requests, and nobody was told. What is assumed of an unknown
 * model was only said in the terminal, and only of the first one.
 */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { linesOf, openPlace, runCodewright } from "../kit/run-codewright.ts"
import { isObject } from "#lib/json.ts"

/** Refuses a field of Responses once, and then answers. */
function refusing(field: string) {
  const answer = (response: object): string =>
    `event: x\ndata: ${JSON.stringify(response)}\n\n`.replace("event: x\n", "")
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body: unknown = await request.json()
      const isAsked = field.split(".").reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), body)
      if (isAsked !== undefined)
        return Response.json(
          { error: { message: "Unsupported", param: field, code: "unsupported_value" } },
          { status: 400 },
        )
      const content = [{ type: "output_text", text: "Done." }]
      const response = {
        id: "resp_1",
        model: "gpt-5",
        status: "completed",
        output: [{ id: "msg_1", type: "message", role: "assistant", content }],
        usage: { input_tokens: 5, output_tokens: 1 },
      }
      return new Response(answer({ type: "response.completed", response }), {
        headers: { "content-type": "text/event-stream" },
      })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) }
}

const env = (url: string): { readonly [name: string]: string | undefined } => ({
  ANTHROPIC_API_KEY: undefined,
  ANTHROPIC_BASE_URL: undefined,
  OPENAI_API_KEY: "key-of-a-test-1234567890",
  OPENAI_BASE_URL: `${url}/v1`,
})

test("a refused field and assumptions are each told in one line, in a run without a terminal", async () => {
  using server = refusing("reasoning.summary")
  using place = openPlace()
  mkdirSync(place.state, { recursive: true })
  writeFileSync(join(place.state, "settings.json"), `{ "providers": { "openai": { "kind": "openai-responses" } } }`)
  const argv = ["-p", "go", "--model", "openai/gpt-5-unheard-of", "--output-format", "stream-json", "--verbose"]
  const run = await runCodewright({ argv, env: env(server.url), place })
  expect(run.code).toBe(0)
  const said = JSON.stringify(linesOf(run.stdout)) + run.stderr
  expect(said).toContain(
    "Summaries of what openai/gpt-5-unheard-of thinks are refused for this key, so none are shown.",
  )
  expect(said).toContain("Nothing is known about openai/gpt-5-unheard-of. Assumed: 128,000 tokens of context")
})
