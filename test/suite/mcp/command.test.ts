import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openIo } from "#faces/cli/io.ts"
import { mcpCommand } from "#faces/cli/extensions/mcp.ts"
import { waywardFile } from "../../kit/mcp/servers.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { calls, says, use } from "../../kit/script.ts"

const bun = process.execPath

const mcp = async (place: Place, ...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
  const { code, stdout, stderr } = await runCodewright({ place, argv: ["mcp", ...argv] })
  return { code, stdout, stderr }
}

const config = (...wrongs: string[]): string =>
  JSON.stringify({ mcpServers: { way: { command: bun, args: [waywardFile, ...wrongs] } } })

const once = [calls(use("mcp__way__say", { text: "hello" })), says("Done.")]

test.concurrent("a server is added, listed with how it stands, looked at, and removed", async () => {
  using place = openPlace()
  expect((await mcp(place)).stdout).toContain("No MCP servers.")
  expect(await mcp(place, "add", "good", "-e", "A=b=c", "--", bun, waywardFile, "garbage")).toMatchObject({
    code: 0,
    stdout: `Added good (local) in ${join(place.state, "mcp.json")}\n`,
  })
  await mcp(place, "add", "-s", "user", "bad", "--", "no-such-program")
  expect(JSON.parse(readFileSync(join(place.state, "mcp.json"), "utf8"))).toMatchObject({
    mcpServers: { bad: { command: "no-such-program" } },
    projects: { [place.work]: { mcpServers: { good: { args: [waywardFile, "garbage"], env: { A: "b=c" } } } } },
  })
  const { stdout } = await mcp(place, "list", "--json")
  expect(JSON.parse(stdout)).toEqual([
    {
      name: "bad",
      source: "user",
      kind: "stdio",
      status: "failed",
      reason: expect.stringContaining("no-such-program"),
    },
    { name: "good", source: "local", kind: "stdio", status: "connected" },
  ])
  expect((await mcp(place, "get", "good")).stdout).toContain("connected: 3 tools")
  expect(await mcp(place, "get", "goof")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("did you mean good?"),
  })
  expect((await mcp(place, "remove", "good")).code).toBe(0)
  expect((await mcp(place, "remove", "good")).code).toBe(1)
})

test.concurrent("addresses, headers and JSON are written as .mcp.json has them", async () => {
  using place = openPlace()
  const url = "https://a.example/mcp"
  await mcp(
    place,
    "add",
    "--scope",
    "project",
    "--transport",
    "http",
    "far",
    url,
    "--header",
    "X-Key: a:b",
    "-H",
    "Y: z",
  )
  await mcp(place, "add-json", "-s", "project", "json", '{"type":"sse","url":"https://b.example"}')
  expect(JSON.parse(await place.read(".mcp.json"))).toEqual({
    mcpServers: {
      far: { type: "http", url, headers: { "X-Key": "a:b", Y: "z" } },
      json: { type: "sse", url: "https://b.example" },
    },
  })
})

test.concurrent(
  "a server of one's own is marked as read-only, shown so, and used in plan mode, until the mark is removed",
  async () => {
    using place = openPlace()
    await mcp(place, "add", "-s", "user", "way", "--", bun, waywardFile)
    const plan = ["-p", "go", "--permission-mode=plan", "--allowedTools=mcp__way"]
    const run = async (): Promise<string> =>
      (await runCodewright({ place, argv: [...plan, "--output-format=stream-json", "--verbose"], scenario: once }))
        .stdout
    expect(await run()).toContain("Of MCP servers only those run that the user has marked as read-only")
    expect(await mcp(place, "read-only", "way")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Marked way as read-only in ${join(place.state, "settings.json")}.`),
    })
    expect(JSON.parse(readFileSync(join(place.state, "settings.json"), "utf8"))).toEqual({
      readOnlyMcpServers: ["way"],
    })
    expect((await mcp(place, "list")).stdout).toContain("marked as read-only: plan mode can use its tools")
    expect((await mcp(place, "get", "way")).stdout).toContain("marked as read-only: plan mode can use its tools")
    expect(JSON.parse((await mcp(place, "list", "--json")).stdout)).toMatchObject([{ name: "way", readOnly: true }])
    expect(await run()).toContain('say: {\\"text\\":\\"hello\\"}')
    const explained = async (tool: string): Promise<string> =>
      (await runCodewright({ place, argv: ["permissions", "explain", tool, "--mode", "plan"] })).stdout
    expect(await explained("mcp__way__say")).toStartWith("Ask: ")
    expect(await explained("mcp__other__say")).toStartWith("Deny: ")
    expect((await mcp(place, "read-only", "way", "off")).code).toBe(0)
    expect(JSON.parse(readFileSync(join(place.state, "settings.json"), "utf8"))).toEqual({ readOnlyMcpServers: [] })
    expect((await mcp(place, "read-only", "way", "off")).code).toBe(1)
    expect((await mcp(place, "list")).stdout).not.toContain("read-only")
  },
)

test.concurrent("a project neither marks a server nor gets a mark by taking the name of one", async () => {
  using place = openPlace()
  place.write("../state/settings.json", JSON.stringify({ readOnlyMcpServers: ["way"] }))
  await mcp(place, "add", "-s", "user", "way", "--", bun, waywardFile)
  const plan = ["-p", "go", "--trust", "--permission-mode=plan", "--allowedTools=mcp__way,mcp__other"]
  const run = async (tool: string): Promise<string> => {
    const scenario = [calls(use(tool, { text: "hello" })), says("Done.")]
    const argv = [...plan, "--output-format=stream-json", "--verbose"]
    return (await runCodewright({ place, argv, scenario })).stdout
  }
  expect(await run("mcp__way__say")).toContain('say: {\\"text\\":\\"hello\\"}')
  const other = { command: bun, args: [waywardFile] }
  place.write(".mcp.json", JSON.stringify({ mcpServers: { way: other, other } }))
  for (const file of [".codewright/settings.json", ".codewright/settings.local.json"])
    place.write(file, JSON.stringify({ readOnlyMcpServers: ["way", "other"] }))
  for (const tool of ["mcp__way__say", "mcp__other__say"])
    expect(await run(tool)).toContain("Of MCP servers only those run that the user has marked as read-only")
  await runCodewright({ place, argv: ["trust"] })
  expect((await mcp(place, "list")).stdout).toContain(
    "marked as read-only in your settings, but the mark has no effect: this server comes from the project's .mcp.json.",
  )
  expect(await mcp(place, "read-only", "other")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("other cannot be marked as read-only"),
  })
})

test("what cannot be a server is told in words", async () => {
  for (const argv of [
    ["add"],
    ["add", "x"],
    ["add", "x", "https://a.example"],
    ["add", "x", "-e", "NOVALUE", "--", "y"],
    ["add", "x", "-t", "http", "https://a.example", "more"],
    ["add", "x", "-t", "ws", "https://a.example"],
    ["add", "x", "-s", "global", "--", "y"],
    ["add", "x", "y", "--unknown"],
    ["add-json", "x", "{broken"],
    ["add-json", "x", "[]"],
    ["add-json", "x", '{"type":"http"}'],
    ["remove"],
    ["get"],
    ["read-only"],
    ["read-only", "x", "maybe"],
    ["frobnicate"],
  ]) {
    // None of these looks at the folder, so none needs a process of its own.
    const failures: string[] = []
    const code = await mcpCommand(argv, { ...openIo(), fail: (message) => failures.push(message) })
    expect([argv, code, failures.length]).toEqual([argv, 1, 1])
  }
})

test.concurrent("what cannot be a server is not written", async () => {
  using place = openPlace()
  for (const argv of [
    ["add-json", "x", '{"type":"sdk","name":"x"}'],
    ["login", "x"],
  ]) {
    const { code, stderr } = await mcp(place, ...argv)
    expect([argv, code, stderr.startsWith("error: ")]).toEqual([argv, 1, true])
  }
  expect(existsSync(join(place.state, "mcp.json"))).toBe(false)
})

test.concurrent(
  "a server that lives in the program that starts us is named and left out; the others work",
  async () => {
    const inside = { type: "sdk", name: "inside" }
    const { code, stdout, stderr } = await runCodewright({
      argv: [
        "-p",
        "go",
        "--output-format=stream-json",
        "--verbose",
        "--allowedTools=mcp__way",
        "--mcp-config",
        JSON.stringify({ mcpServers: { inside, ...JSON.parse(config()).mcpServers } }),
      ],
      scenario: once,
    })
    expect(code).toBe(0)
    expect(stdout).toContain('say: {\\"text\\":\\"hello\\"}')
    expect(`${stdout}${stderr}`).toContain("The MCP server inside is left out. Its type is sdk")
  },
)

test.concurrent("what a server says reaches the terminal without its escape sequences", async () => {
  using place = openPlace()
  place.write("../state/mcp.json", config("imitate"))
  const { stdout } = await mcp(place, "get", "way")
  expect(stdout).toContain("connected: 4 tools")
  expect(stdout).toContain("mcp__other__say")
  expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
})

test.concurrent(
  "-p with --mcp-config calls the tool, and the stream begins with the servers and their tools",
  async () => {
    const { code, stdout } = await runCodewright({
      argv: [
        "-p",
        "go",
        "--output-format=stream-json",
        "--verbose",
        "--allowedTools=mcp__way",
        "--mcp-config",
        config(),
      ],
      scenario: once,
    })
    const lines = stdout
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line))
    expect(code).toBe(0)
    expect(lines[0]).toMatchObject({ subtype: "init", mcp_servers: [{ name: "way", status: "connected" }] })
    expect(lines[0]?.tools).toContain("mcp__way__say")
    expect(stdout).toContain('say: {\\"text\\":\\"hello\\"}')
  },
)

test.concurrent("a project's server does not start before trust, and does with it", async () => {
  using place = openPlace({ ".mcp.json": config(`notes=${"NOTES"}`) })
  const notes = join(place.path, "notes")
  place.write(".mcp.json", config(`notes=${notes}`))
  const argv = ["-p", "go", "--allowedTools=mcp__way"]
  const before = await runCodewright({ place, argv, scenario: once })
  expect(before.stderr).toContain(
    "This folder is not trusted, so these settings were left out: mcpServers.way (.mcp.json)",
  )
  expect(existsSync(notes)).toBe(false)
  const after = await runCodewright({ place, argv: [...argv, "--trust"], scenario: once })
  expect([after.code, readFileSync(notes, "utf8").includes("call say")]).toEqual([0, true])
})

test.concurrent("a trusted file that changed starts nothing until the change is approved", async () => {
  using place = openPlace()
  const notes = join(place.path, "notes")
  place.write(".mcp.json", config())
  await runCodewright({ place, argv: ["trust"] })
  place.write(".mcp.json", config(`notes=${notes}`))
  const argv = ["-p", "go", "--allowedTools=mcp__way"]
  await runCodewright({ place, argv, scenario: once })
  expect(existsSync(notes)).toBe(false)
  // Whoever adds it by hand has said yes to it.
  await mcp(
    place,
    "add-json",
    "-s",
    "project",
    "way",
    JSON.stringify(JSON.parse(config(`notes=${notes}`)).mcpServers.way),
  )
  await runCodewright({ place, argv, scenario: once })
  expect(readFileSync(notes, "utf8")).toContain("call say")
  expect((await mcp(place, "reset-approvals")).stdout).toContain("of 1 servers and 1 tools")
})

test.concurrent(
  "--strict-mcp-config leaves out what is configured; a configuration that is not there is an error",
  async () => {
    using place = openPlace()
    await mcp(place, "add", "other", "--", "no-such-program")
    const argv = ["-p", "go", "--output-format=stream-json", "--verbose", "--strict-mcp-config", "--mcp-config"]
    const { stdout } = await runCodewright({ place, argv: [...argv, config()], scenario: ["Hello."] })
    expect(JSON.parse(stdout.split("\n", 1)[0] ?? "")).toMatchObject({ mcp_servers: [{ name: "way" }] })
    const missing = await runCodewright({ place, argv: [...argv, "missing.json"] })
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("missing.json cannot be read")])
  },
)

test.concurrent("after kill -9 no server is left", async () => {
  using place = openPlace()
  const notes = join(place.path, "notes")
  const pid = (): number => Number(/^pid (\d+)$/m.exec(existsSync(notes) ? readFileSync(notes, "utf8") : "")?.[1] ?? 0)
  await runCodewright({
    place,
    argv: ["-p", "go", "--allowedTools=mcp__way", "--mcp-config", config("ignore-term", "pid", `notes=${notes}`)],
    scenario: [calls(use("mcp__way__say", { text: "hang" }))],
    async during({ kill, shows }) {
      let isOver = false
      void shows("what is never said").catch(() => (isOver = true))
      while (!isOver && !(existsSync(notes) && readFileSync(notes, "utf8").includes("call say"))) await Bun.sleep(20)
      kill("SIGKILL")
    },
  })
  expect(pid()).toBeGreaterThan(0)
  while (existsSync(`/proc/${pid()}`) && !readFileSync(`/proc/${pid()}/stat`, "latin1").includes(") Z "))
    await Bun.sleep(50)
})
