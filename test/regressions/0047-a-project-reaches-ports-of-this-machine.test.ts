/** A trusted project's `.mcp.json` reached ports of this machine that nobody had named. */

import { expect, test } from "bun:test"
import { guardedAddresses, withLocalPort } from "#ground/web/addresses.ts"
import { openRemoteServer } from "../kit/mcp/remote-server.ts"
import { remote, servers } from "../kit/mcp/servers.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"
import { says } from "../kit/script.ts"

interface Listener extends AsyncDisposable {
  readonly port: number
  readonly heard: string[]
}

/** Whatever comes is noted; there is no MCP server behind it. */
function listen(hostname: string): Listener {
  const heard: string[] = []
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch(request) {
      heard.push(new URL(request.url).pathname)
      return new Response("", { status: 404 })
    },
  })
  return { port: server.port ?? 0, heard, [Symbol.asyncDispose]: () => server.stop(true) }
}

const file = (url: string): string => JSON.stringify({ mcpServers: { far: { type: "http", url } } })

const prompt = (place: Place, ...argv: readonly string[]) =>
  runCodewright({ place, argv: ["-p", "go", ...argv], scenario: ["Done."] })

test.each([
  ["127.0.0.1", "http://127.0.0.1:PORT/mcp"],
  ["127.0.0.1", "http://localhost:PORT/mcp"],
  ["127.0.0.1", "http://2130706433:PORT/mcp"],
  ["127.0.0.1", "http://127.9.9.9:PORT/mcp"],
  ["127.0.0.1", "https://127.0.0.1:PORT/mcp"],
  ["127.0.0.1", "http://far.localhost:PORT/mcp"],
  ["127.0.0.1", "http://${FAR:-127.0.0.1}:PORT/mcp"],
  ["::1", "http://[::1]:PORT/mcp"],
])("trusting a folder does not let its file reach %s (%s), and it is said how to allow it", async (host, url) => {
  await using listener = listen(host === "::1" ? "::1" : "0.0.0.0")
  using place = openPlace({ ".mcp.json": file(url.replace("PORT", String(listener.port))) })
  await runCodewright({ place, argv: ["trust"] })
  for (const flags of [[], ["--trust"]]) {
    const { code, stderr } = await prompt(place, ...flags)
    expect([code, stderr]).toEqual([0, expect.stringContaining("codewright mcp approve far")])
  }
  const listed = await runCodewright({ place, argv: ["mcp", "list"] })
  expect(listed.stdout).toContain("is on this machine")
  expect(listener.heard).toEqual([])
})

test("a server that the user approved is reached, and only as it was then", async () => {
  await using listener = listen("127.0.0.1")
  await using other = listen("127.0.0.1")
  using place = openPlace({ ".mcp.json": file(`http://127.0.0.1:${listener.port}/mcp`) })
  const approve = () => runCodewright({ place, argv: ["mcp", "approve", "far"] })
  expect((await approve()).stderr).toContain("not trusted yet")
  await runCodewright({ place, argv: ["trust"] })
  expect((await approve()).stdout).toBe(`Approved far: http://127.0.0.1:${listener.port}/mcp\n`)
  await prompt(place)
  expect(listener.heard).toContain("/mcp")

  place.write(".mcp.json", file(`http://127.0.0.1:${other.port}/mcp`))
  await runCodewright({ place, argv: ["trust"] })
  await prompt(place)
  expect(other.heard).toEqual([])
})

test("a variable that leads an approved server to another port needs another approval", async () => {
  await using listener = listen("127.0.0.1")
  await using other = listen("127.0.0.1")
  using place = openPlace({ ".mcp.json": file("http://127.0.0.1:${PORT}/mcp") })
  const at = (port: number) => ({ place, env: { PORT: String(port) } })
  await runCodewright({ ...at(listener.port), argv: ["trust"] })
  await runCodewright({ ...at(listener.port), argv: ["mcp", "approve", "far"] })
  await runCodewright({ ...at(other.port), argv: ["-p", "go"], scenario: ["Done."] })
  await runCodewright({ ...at(listener.port), argv: ["-p", "go"], scenario: ["Done."] })
  expect([other.heard, listener.heard.includes("/mcp")]).toEqual([[], true])
})

test("a rule of the user names the address, a rule of the project does not", async () => {
  await using listener = listen("127.0.0.1")
  const rule = JSON.stringify({ permissions: { allow: ["WebFetch(domain:127.0.0.1)"] } })
  const url = `http://127.0.0.1:${listener.port}/mcp`
  using place = openPlace({
    ".mcp.json": file(url),
    ".claude/settings.json": rule,
    ".claude/settings.local.json": rule,
  })
  await runCodewright({ place, argv: ["trust"] })
  await prompt(place)
  expect(listener.heard).toEqual([])
  await prompt(place, "--allowedTools=WebFetch(domain:127.0.0.1)")
  expect(listener.heard).toContain("/mcp")
})

test("what the user adds is reached without more, also into the project's file", async () => {
  for (const scope of ["user", "local", "project"]) {
    await using listener = listen("127.0.0.1")
    using place = openPlace()
    await runCodewright({ place, argv: ["trust"] })
    const url = `http://127.0.0.1:${listener.port}/mcp`
    await runCodewright({ place, argv: ["mcp", "add", "far", "--scope", scope, "--transport", "http", url] })
    const { stderr } = await prompt(place)
    expect([scope, listener.heard.includes("/mcp"), stderr.includes("mcp approve")]).toEqual([scope, true, false])
  }
})

test("the servers of a project's agent are not reached on this machine either", async () => {
  await using listener = listen("127.0.0.1")
  const server = `  - far:\n      type: http\n      url: http://127.0.0.1:${listener.port}/mcp`
  const agent = `---\nname: helper\ndescription: helps\nmcpServers:\n${server}\n---\nHelp.`
  using place = openPlace({ ".claude/agents/helper.md": agent })
  await runCodewright({ place, argv: ["trust"] })
  const { stderr } = await prompt(place, "--agent", "helper")
  expect([listener.heard, stderr]).toEqual([[], expect.stringContaining("is on this machine")])
})

test("who can be asked is asked with the address, and a yes connects", async () => {
  await using far = openRemoteServer()
  const server = { ...remote("far", far.url), source: "project", held: "local", fingerprint: "f1" } as const
  const asked: string[] = []
  for (const label of ["Not now", "Start it"]) {
    await using t = await openTestSession({
      script: [says("Done.")],
      mcp: servers([server]),
      answers: ({ ask }) => {
        const text = ask.kind === "choice" ? (ask.questions[0]?.question ?? "") : ""
        asked.push(text)
        return { kind: "choices", answers: { [text]: label } }
      },
    })
    await t.prompt("go")
    const connected = far.seen.includes("initialize")
    expect([label, connected]).toEqual([label, label === "Start it"])
  }
  expect(asked[0]).toContain(`on this machine: it reaches ${far.url}`)
})

test("rules of the project do not open this machine to its http hooks; rules of the user do", async () => {
  await using listener = listen("127.0.0.1")
  const hook = { type: "http", url: `http://127.0.0.1:${listener.port}/hook` }
  const settings = {
    permissions: { allow: ["WebFetch(domain:127.0.0.1)"] },
    hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
  }
  using place = openPlace({ ".claude/settings.json": JSON.stringify(settings) })
  await runCodewright({ place, argv: ["trust"] })
  const { stderr } = await prompt(place)
  expect([listener.heard, stderr]).toEqual([[], expect.stringContaining("in their own settings")])
  await prompt(place, "--allowedTools=WebFetch(domain:127.0.0.1)")
  expect(listener.heard).toEqual(["/hook"])
})

test("an approved port opens itself alone, and only while its name leads to this machine", () => {
  const policy = withLocalPort(
    guardedAddresses(() => false),
    "http://far.localhost:3000",
  )
  const judged = (url: string, ...ips: readonly string[]): boolean => {
    const address = policy.judgeUrl(url)
    return address.ok && policy.judgeResolved(address.value, ips) === undefined
  }
  expect(judged("http://far.localhost:3000/mcp", "127.0.0.1")).toBe(true)
  expect(judged("http://far.localhost:3000/other", "::1", "127.0.0.1")).toBe(true)
  expect(judged("http://far.localhost:3000/mcp", "10.0.0.1")).toBe(false)
  expect(judged("http://far.localhost:3000/mcp", "127.0.0.1", "93.184.216.34")).toBe(false)
  expect(judged("http://far.localhost:3001/mcp", "127.0.0.1")).toBe(false)
  expect(judged("https://far.localhost:3000/mcp", "127.0.0.1")).toBe(false)
  expect(judged("http://localhost:3000/mcp", "127.0.0.1")).toBe(false)
  expect(judged("http://169.254.169.254/mcp", "169.254.169.254")).toBe(false)
  expect(judged("https://example.com/mcp", "93.184.216.34")).toBe(true)
})
