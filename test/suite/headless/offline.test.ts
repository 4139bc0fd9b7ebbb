/** `--offline`: whatever a session is asked to reach, every connection on the machine leads to the model. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { resultIn } from "../../kit/sent.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

/** Everybody who would be reached otherwise: pages, a search service, a hook and an MCP server, by the paths that were asked for. */
function openNeighbour() {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(new URL(request.url).pathname)
      return Response.json({ results: [] })
    },
  })
  return {
    asked,
    port: String(server.port),
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

async function runReaching(flags: readonly string[]) {
  await using neighbour = openNeighbour()
  await using commands = openNeighbour()
  const { url } = neighbour
  const hook = { type: "http", url: `${url}/hook` }
  const settings = {
    webSearch: { endpoint: `${url}/search` },
    permissions: { allow: ["Bash", "WebSearch", "WebFetch(domain:127.0.0.1)"] },
    hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
  }
  using place = openPlace({
    "servers.json": JSON.stringify({ mcpServers: { away: { type: "http", url: `${url}/mcp` } } }),
  })
  place.write(join(place.state, "settings.json"), JSON.stringify(settings))
  const connections = join(place.path, "connections")
  const model = join(place.path, "model")
  const trace = `printf %s "$ANTHROPIC_BASE_URL" > ${model}; exec strace -f -qq -e trace=connect,sendto -o ${connections} "$@"`
  const run = await runCodewright({
    place,
    argv: ["-p", "reach out", "--mcp-config", "servers.json", "--output-format", "stream-json", "--verbose", ...flags],
    wrap: trace,
    scenario: [
      calls(
        use("WebFetch", { url: `${url}/page`, prompt: "What does it say?" }),
        use("WebSearch", { query: "anything at all" }),
        bash(`curl -s -m 5 ${commands.url}/command; echo "ended with $?"`),
        use("ListMcpResourcesTool", {}),
      ),
      says("Done."),
    ],
  })
  const ports = [...readFileSync(connections, "utf8").matchAll(/sin6?_port=htons\((\d+)\)/g)].map(([, port]) => port)
  return {
    run,
    asked: new Set([...neighbour.asked, ...commands.asked]),
    // A confined command may try: there is nobody at that port of its own network.
    ports: new Set(ports.filter((port) => port !== commands.port)),
    modelPort: new URL(readFileSync(model, "utf8")).port,
    results: resultIn(run.requests.at(-1)),
  }
}

test("every connection leads to the model, and each that was wanted says why there is none", async () => {
  const { run, asked, ports, modelPort, results } = await runReaching(["--offline"])
  expect(run.code).toBe(0)
  expect([...asked]).toEqual([])
  expect([...ports]).toEqual([modelPort])
  const words = "Offline mode contacts nothing but the model."
  expect(run.stderr).toContain(words)
  expect(JSON.stringify(results).split(words).length - 1).toBe(2)
  expect(JSON.stringify(results)).toContain("ended with 7")
  expect(run.stdout).toContain(words)
})

test("without the flag all of them are reached", async () => {
  const { asked } = await runReaching([])
  expect([...asked].toSorted()).toEqual(["/command", "/hook", "/mcp", "/page", "/search"])
})

test("where there is a proxy, nothing goes past it, not even a connection made ahead", async () => {
  await using proxy = openNeighbour()
  using place = openPlace()
  const connections = join(place.path, "connections")
  const run = await runCodewright({
    place,
    argv: ["-p", "hello"],
    // The model is on this machine here, which otherwise never goes through a proxy.
    env: { HTTP_PROXY: proxy.url, NO_PROXY: "<-loopback>", CODEWRIGHT_MAX_RETRIES: "0" },
    wrap: `exec strace -f -qq -e trace=connect -o ${connections} "$@"`,
    scenario: [says("Done.")],
  })
  expect(run.code).toBe(1)
  expect(proxy.asked).toEqual(["/v1/messages"])
  const ports = [...readFileSync(connections, "utf8").matchAll(/sin6?_port=htons\((\d+)\)/g)].map(([, port]) => port)
  expect([...new Set(ports)]).toEqual([proxy.port])
})

test("where nothing can be confined, no command runs", async () => {
  using place = openPlace()
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--offline", "--allowed-tools", "Bash"],
    // Without namespaces there is no sandbox.
    wrap: 'exec unshare --user --map-root-user sh -c \'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"\' sh "$@"',
    scenario: [calls(bash("touch made")), says("Done.")],
  })
  expect(run.stderr).toContain("Commands, hooks and local MCP servers do not run")
  expect(existsSync(join(place.work, "made"))).toBe(false)
})
