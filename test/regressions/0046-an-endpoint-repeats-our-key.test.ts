/** An endpoint that repeated our key in its error had it printed, streamed and kept in the transcript. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import type { AnthropicChoice } from "#ground/models/anthropic/provider.ts"
import { ok } from "#lib/result.ts"
import { openRemoteServer } from "../kit/mcp/remote-server.ts"
import { remote, servers } from "../kit/mcp/servers.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { openPlace, type RunOptions, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, use } from "../kit/script.ts"
import { ask, openPort } from "../unit/ground/models/port.ts"
import { rawServer, type Reply, type Seen } from "../unit/ground/models/raw-server.ts"
import { sse, start } from "../unit/ground/models/wire-events.ts"

const key = "kr-9f2c77a1d0b34e5588c6/41aa+72=="

const headersOf = ({ headers }: Seen): string => JSON.stringify(Object.fromEntries(headers))

/** Answers with what it was sent. */
const repeats =
  (status: string, bodyOf: (seen: Seen) => string, headers = { "content-type": "application/json" }): Reply =>
  async (line, seen) => {
    await line.begin(status, headers)
    await line.chunk(bodyOf(seen))
    await line.finish()
    line.close()
  }

const asMessage = (seen: Seen): string =>
  JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: `no use for ${headersOf(seen)}` } })

const replies: { readonly [what: string]: Reply } = {
  "a refusal": repeats("400 Bad Request", asMessage),
  "a rejected key": repeats("401 Unauthorized", asMessage),
  "a server that fails, tried again": repeats("500 Internal Server Error", asMessage),
  "a refusal of a gateway": repeats("403 Forbidden", (seen) => JSON.stringify({ error: headersOf(seen) })),
  "plain text": repeats("404 Not Found", (seen) => `cannot find ${encodeURIComponent(headersOf(seen))}`),
  "a wall of text": repeats(
    "400 Bad Request",
    ({ headers }) => `${"x ".repeat(185)}${headers.get("x-api-key") ?? headers.get("authorization") ?? ""}`,
  ),
  "a redirect": repeats("302 Found", headersOf),
  "another kind of answer": async (line, seen) => {
    await line.begin("200 OK", { "content-type": `text/${headersOf(seen).replaceAll(/[^\w+/=-]/g, "")}` })
    await line.finish()
    line.close()
  },
  "an error inside the stream": async (line, seen) => {
    await line.begin()
    await line.chunk(sse(start()))
    await line.chunk(sse({ type: "error", error: { type: "api_error", message: `broken by ${headersOf(seen)}` } }))
    await line.finish()
    line.close()
  },
}

const ways: { readonly [what: string]: (url: string) => AnthropicChoice } = {
  "x-api-key": () => ({ apiKey: key }),
  "a bearer token": () => ({ apiKey: "", authToken: key }),
  "a header of one's own": () => ({ apiKey: "k", headers: { "x-gateway": key } }),
  "a key of the helper": () => ({ readKey: async () => ok(key) }),
  "the credentials of the address": (url) => ({ baseUrl: url.replace("//", `//me:${encodeURIComponent(key)}@`) }),
}

for (const [what, reply] of Object.entries(replies))
  test(`${what}: no credential is in the failure, and what else it says stays`, async () => {
    for (const [way, choiceOf] of Object.entries(ways)) {
      await using server = await rawServer(reply)
      const provider = { baseUrl: server.url, ...choiceOf(server.url) }
      const told = JSON.stringify(await ask(openPort(server.url, { provider, policy: { attempts: 2 } })))
      expect([way, server.seen.length > 0]).toEqual([way, true])
      for (const form of [key, encodeURIComponent(key), Buffer.from(`me:${key}`).toString("base64"), key.slice(0, 16)])
        expect([way, told.includes(form)]).toEqual([way, false])
      expect([way, told]).toEqual([way, expect.stringContaining('"type":"error"')])
    }
  })

test("the credentials of a proxy are masked as well", async () => {
  await using server = await rawServer(repeats("407 Proxy Authentication Required", () => `me:${key} is nobody`))
  const provider = { baseUrl: server.url, apiKey: "k", secrets: [key] }
  expect(await ask(openPort(server.url, { provider }))).toEqual([
    { type: "error", failure: expect.objectContaining({ message: expect.stringContaining("me:**** is nobody") }) },
  ])
})

test("the program shows and keeps no key, in any form of output, and says the rest of the message", async () => {
  const server = Bun.serve({
    port: 0,
    fetch: (request) =>
      Response.json(
        {
          type: "error",
          error: { type: "invalid_request_error", message: `bad: ${request.headers.get("x-api-key")}` },
        },
        { status: 400 },
      ),
  })
  using place = openPlace()
  const env = { ANTHROPIC_BASE_URL: server.url.href, ANTHROPIC_API_KEY: key }
  const run = (argv: readonly string[], more: Partial<RunOptions> = {}) => runCodewright({ place, argv, env, ...more })
  const told: string[] = []
  for (const format of ["text", "json", "stream-json"]) {
    const debug = format === "text" ? ["--debug-file", `${place.path}/debug.log`] : []
    const { stdout, stderr } = await run(["-p", "hi", "--output-format", format, "--verbose", ...debug])
    expect(stdout + stderr).toContain("refused the request (400). bad: ****.")
    told.push(stdout, stderr)
  }
  const kept = [...new Bun.Glob("**/*").scanSync({ cwd: place.state, dot: true })].map((file) =>
    readFileSync(`${place.state}/${file}`, "utf8"),
  )
  expect(kept.join("")).toContain("bad: ****")
  for (const text of [...told, ...kept]) expect(text).not.toContain(key.slice(0, 16))
  await server.stop(true)
})

test("an MCP server that repeats the token it was sent does not put it into the conversation", async () => {
  await using far = openRemoteServer({
    instead: (request, message) =>
      message?.method === "tools/call"
        ? Response.json({
            jsonrpc: "2.0",
            id: message.id,
            error: { code: -32_000, message: `${request.headers.get("authorization")} may not ping` },
          })
        : undefined,
  })
  await using t = await openTestSession({
    script: [calls(use("mcp__far__ping", {})), says("Done.")],
    mcp: servers([remote("far", far.url, { headers: { authorization: `Bearer ${key}` } })]),
    allow: ["mcp__far"],
  })
  await t.prompt("go")
  expect(String(t.results()[0]?.content)).toContain("**** may not ping")
  expect(JSON.stringify(t.entries())).not.toContain(key)
})
