/** Servers on this machine: those that answer and speak the protocol, those that do not, and none at all. */

import { expect, test } from "bun:test"
import { localServers } from "#faces/cli/local-servers.ts"
import { openSimulator } from "#sim/server.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const never = new AbortController().signal

function serve(answer: (request: Request) => Response | Promise<Response>): {
  readonly port: number
  readonly stop: () => void
} {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer })
  return { port: server.port ?? 0, stop: () => void server.stop(true) }
}

const models = Response.json.bind(undefined, { data: [{ id: "qwen3" }, { id: 7 }, { id: "llama4" }] })

test("one that lists its models and takes messages is offered", async () => {
  const server = serve(({ url }) => (url.endsWith("/v1/models") ? models() : new Response("no model", { status: 400 })))
  expect(await localServers(directNetwork(), never, [{ name: "Ollama", port: server.port }])).toEqual([
    { name: "Ollama", url: `http://127.0.0.1:${server.port}`, models: ["qwen3", "llama4"] },
  ])
  server.stop()
})

test("one that knows no messages is named with the reason", async () => {
  const server = serve(({ url }) => (url.endsWith("/v1/models") ? models() : new Response("", { status: 404 })))
  const [found] = await localServers(directNetwork(), never, [{ name: "llama.cpp", port: server.port }])
  expect(found?.unfit).toContain("does not speak the Anthropic protocol")
  server.stop()
})

test.each([
  ["another program", () => new Response("<html>hello</html>")],
  ["an error", () => new Response("", { status: 500 })],
  ["a list that is none", () => Response.json({ data: "many" })],
  ["a redirect", () => Response.redirect("http://127.0.0.1:1/v1/models")],
  ["silence", () => new Promise<Response>(() => {})],
] as const)("%s is nobody", async (_, answer) => {
  const server = serve(answer)
  expect(await localServers(directNetwork(), never, [{ name: "x", port: server.port }])).toEqual([])
  server.stop()
})

test("where nobody listens, or nobody waits any more, there is nobody", async () => {
  const server = serve(() => models())
  server.stop()
  expect(await localServers(directNetwork(), never, [{ name: "x", port: server.port }])).toEqual([])
  expect(await localServers(directNetwork(), AbortSignal.abort(), [{ name: "x", port: server.port }])).toEqual([])
})

test("the simulator refuses an empty request as a provider would", async () => {
  const opened = await openSimulator({})
  if (!opened.ok) throw new Error(opened.failure.message)
  const answer = await fetch(`${opened.value.url}/v1/messages`, { method: "POST", body: "{}" })
  expect([404, 405]).not.toContain(answer.status)
  await opened.value.close()
})
