/** The official conformance suite against `codewright mcp serve`: the scenarios that need no tools of the suite's own. It speaks HTTP, so the official transport stands between. */

import { expect, test } from "bun:test"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { resolve } from "node:path"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { linesIn } from "#lib/input-lines.ts"
import { type EditorWorld, openWorld } from "../../kit/acp/editor.ts"
import { environmentOf, program } from "../../kit/run-codewright.ts"

const suite = resolve(import.meta.dir, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js")

type Transports = Map<string, StreamableHTTPServerTransport>

/** One process of ours for each session of HTTP. */
async function openTransport(world: EditorWorld, known: Transports): Promise<StreamableHTTPServerTransport> {
  const child = Bun.spawn([program, "mcp", "serve"], {
    cwd: world.place.work,
    env: environmentOf(world.place, world.simulator.url),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void known.set(id, transport),
  })
  Object.assign(transport, {
    onmessage: (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    onclose: () => void child.stdin.end(),
  })
  await transport.start()
  void (async () => {
    for await (const line of linesIn(child.stdout))
      if (line.kind === "line") await transport.send(JSON.parse(line.text)).catch(() => {})
  })()
  return transport
}

test.each(["server-initialize", "ping", "tools-list"])("%s", async (scenario) => {
  await using world = await openWorld([])
  const known: Transports = new Map()
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = String(request.headers["mcp-session-id"] ?? "")
    await (known.get(id) ?? (await openTransport(world, known))).handleRequest(request, response)
  }
  const server = createServer((request, response) => void serve(request, response))
  const port = await new Promise<number>((found) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      found(typeof address === "object" && address ? address.port : 0)
    })
  })
  const url = `http://localhost:${port}/mcp`
  const run = Bun.spawn([process.execPath, suite, "server", "--url", url, "--scenario", scenario], {
    cwd: world.place.path,
    stdout: "pipe",
    stderr: "pipe",
  })
  const said = await run.stdout.text()
  expect(said).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
  expect(await run.exited).toBe(0)
  for (const transport of known.values()) await transport.close()
  server.closeAllConnections()
  server.close()
})
