/** Offline, by the setting of a project: whatever is configured, the whole process tree connects to the model alone. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, use } from "../kit/script.ts"

function openOther() {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(new URL(request.url).pathname)
      return Response.json({})
    },
  })
  return { asked, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

const reaching = (url: string) =>
  calls(
    use("WebFetch", { url: `${url}/page`, prompt: "What does it say?" }),
    use("Task", { subagent_type: "helper", description: "Ask another model", prompt: "Help." }),
  )

test("a project turns it on: other providers, pages, servers and hooks are refused, and each refusal is listed", async () => {
  await using other = openOther()
  const { url } = other
  using place = openPlace({
    ".claude/settings.json": JSON.stringify({ offline: true }),
    ".claude/settings.local.json": JSON.stringify({ offline: false }),
    ".claude/agents/helper.md": "---\nname: helper\ndescription: Helps.\nmodel: second/small\n---\nHelp.\n",
    "servers.json": JSON.stringify({ mcpServers: { away: { type: "http", url: `${url}/mcp` } } }),
  })
  const settings = {
    providers: { second: { baseUrl: `${url}/v1` } },
    permissions: { allow: ["WebFetch(domain:127.0.0.1)", "Task"] },
    hooks: { UserPromptSubmit: [{ hooks: [{ type: "http", url: `${url}/hook` }] }] },
  }
  place.write(join(place.state, "settings.json"), JSON.stringify(settings))
  const trace = join(place.path, "trace")
  const model = join(place.path, "model")
  const run = await runCodewright({
    place,
    argv: ["-p", "reach out", "--mcp-config", "servers.json"],
    env: {
      CODEWRIGHT_TRUST: "1",
      CODEWRIGHT_MAX_RETRIES: "0",
      OPENAI_API_KEY: "sk-test-0123456789abcdef",
      OPENROUTER_API_KEY: "sk-or-0123456789abcdef",
    },
    wrap: `printf %s "$ANTHROPIC_BASE_URL" > ${model}; exec strace -f -qq -e trace=connect,sendto,sendmsg -o ${trace} "$@"`,
    scenario: [reaching(url), says("Done.")],
  })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(other.asked).toEqual([])
  const ports = [...readFileSync(trace, "utf8").matchAll(/sin6?_port=htons\((\d+)\)/g)].map(([, port]) => port)
  const modelPort = new URL(readFileSync(model, "utf8")).port
  expect([...new Set(ports)]).toEqual([modelPort])

  const list = await runCodewright({ place, argv: ["sessions", "list", "--json"] })
  const [session] = JSON.parse(list.stdout) as { id: string }[]
  const shown = await runCodewright({ place, argv: ["sessions", "show", "--connections", "--json", session?.id ?? ""] })
  const { connections } = JSON.parse(shown.stdout) as {
    connections: { why: string; name?: string; port: number; refused?: true }[]
  }
  const otherPort = Number(new URL(url).port)
  const lines = connections.map(
    ({ why, name = "", port, refused }) => `${why} ${name} ${port === otherPort ? "other" : "model"} ${refused ?? ""}`,
  )
  expect(lines.toSorted()).toEqual([
    "hook UserPromptSubmit other true",
    "mcp away other true",
    "model anthropic model ",
    "model second other true",
    "web  other true",
  ])
})

test("without the setting they are reached", async () => {
  await using other = openOther()
  const { url } = other
  using place = openPlace({
    ".claude/agents/helper.md": "---\nname: helper\ndescription: Helps.\nmodel: second/small\n---\nHelp.\n",
  })
  place.write(
    join(place.state, "settings.json"),
    JSON.stringify({
      providers: { second: { baseUrl: `${url}/v1` } },
      permissions: { allow: ["WebFetch(domain:127.0.0.1)", "Task"] },
    }),
  )
  await runCodewright({
    place,
    argv: ["-p", "reach out"],
    env: { CODEWRIGHT_TRUST: "1", CODEWRIGHT_MAX_RETRIES: "0" },
    scenario: [reaching(url), says("Read."), says("Done.")],
  })
  expect(other.asked.toSorted()).toEqual(expect.arrayContaining(["/page", "/v1/chat/completions"]))
})
