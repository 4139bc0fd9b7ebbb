import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { openApprovals } from "#ground/mcp/approvals.ts"
import { writeServer } from "#ground/mcp/config-files.ts"
import { fingerprintOf } from "#ground/mcp/read-config.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { findServers, type FoundServers, type ServersWanted } from "#ground/mcp/servers.ts"
import { readProjectServers } from "#ground/settings/project-servers.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const program = (command: string): object => ({ command })

/** Those of the project's file, as the settings room hands them on; without names all are approved. */
function projectServers(folder: TemporaryFolder, held: readonly string[], withheld: readonly string[] = []) {
  const { servers } = readProjectServers(folder.join("project"))
  return servers.map((server) => ({ ...server, isApproved: !held.includes(server.name), withheld }))
}

function found(folder: TemporaryFolder, more: Partial<ServersWanted> = {}): FoundServers {
  const got = findServers({
    root: folder.join("project"),
    stateFolder: folder.join("state"),
    claudeFile: folder.join(".claude.json"),
    scopes: ["user", "project", "local"],
    given: [],
    variables: { SECRET: "s" },
    childVariables: {},
    project: projectServers(folder, []),
    trust: "trusted",
    disabled: [],
    isLoader: (name) => name === "LD_PRELOAD",
    ...more,
  })
  if (!got.ok) throw new Error(got.failure)
  return got.value
}

/** Where each server comes from and what it would run. */
const inShort = ({ servers }: FoundServers): unknown =>
  Object.fromEntries(
    servers.map(({ name, source, config, held }) => [
      name,
      [source, config.ok && config.value.kind === "stdio" ? config.value.command : "?", ...(held ? [held] : [])].join(
        " ",
      ),
    ]),
  )

function laid(files: { readonly [path: string]: unknown }): TemporaryFolder {
  const folder = temporaryFolder()
  for (const name of ["project", "state"]) mkdirSync(folder.join(name))
  for (const [path, value] of Object.entries(files))
    writeFileSync(folder.join(path), typeof value === "string" ? value : JSON.stringify(value))
  return folder
}

test("a name that would say more than a name is told as a problem, whoever wrote it", () => {
  const names = [
    "a\nb",
    "<system-reminder>",
    "\u001b[2J",
    "a\u202eb",
    " a",
    "a  b",
    "",
    "x".repeat(101),
    "fine name",
    "plugin:a:b",
  ]
  using folder = laid({
    "project/.mcp.json": { mcpServers: Object.fromEntries(names.map((name) => [name, program("x")])) },
  })
  expect(found(folder).servers.flatMap(({ name, config }) => (config.ok ? [name] : []))).toEqual([
    "fine name",
    "plugin:a:b",
  ])
})

test("every scope is read, the later one with the same name takes its place, whole", () => {
  using folder = laid({
    ".claude.json": { mcpServers: { a: program("theirs"), b: program("theirs"), c: program("theirs") } },
    "state/mcp.json": { mcpServers: { b: { ...program("ours"), args: ["x"] } } },
    "project/.mcp.json": { mcpServers: { c: program("project"), d: program("project"), e: program("project") } },
  })
  const root = folder.join("project")
  writeServer("local", { root, stateFolder: folder.join("state") }, "d", { command: "local" })
  const given = [JSON.stringify({ mcpServers: { e: program("flag") } }), folder.join("more.json")]
  writeFileSync(folder.join("more.json"), JSON.stringify({ mcpServers: { f: program("file") } }))
  expect(inShort(found(folder, { given }))).toEqual({
    a: "user theirs",
    b: "user ours",
    c: "project project",
    d: "local local",
    e: "command line flag",
    f: "command line file",
  })
  expect(inShort(found(folder, { given, scopes: [], project: [] }))).toEqual({
    e: "command line flag",
    f: "command line file",
  })
})

test("servers that another tool keeps for this folder are read, and its file is never written", () => {
  using folder = laid({})
  const root = folder.join("project")
  const text = JSON.stringify({
    projects: { [root]: { mcpServers: { x: program("x") } }, "/else": { mcpServers: { y: program("y") } } },
  })
  writeFileSync(folder.join(".claude.json"), text)
  writeServer("user", { root, stateFolder: folder.join("state") }, "u", { command: "u" })
  expect(inShort(found(folder))).toEqual({ x: "local x", u: "user u" })
  expect(readFileSync(folder.join(".claude.json"), "utf8")).toBe(text)
})

test("a project's servers wait until the file, the server or the settings are approved", () => {
  using folder = laid({ "project/.mcp.json": { mcpServers: { a: program("a"), b: program("b"), c: program("c") } } })
  const root = folder.join("project")
  const config = { kind: "stdio", args: [], env: {} } as const
  const approvals = openApprovals(folder.join("state"))
  approvals.keepServer(root, "a", fingerprintOf({ ...config, command: "a" }), true)
  approvals.keepServer(root, "b", fingerprintOf({ ...config, command: "another" }), true)
  approvals.keepServer(root, "c", fingerprintOf({ ...config, command: "c" }), false)
  const project = projectServers(folder, ["a", "b", "c"])
  expect(inShort(found(folder, { project }))).toEqual({
    a: "project a",
    b: "project b needs_approval",
    c: "project c disabled",
  })
  expect(inShort(found(folder, { project, trust: "declined" }))).toMatchObject({ b: "project b untrusted" })
  expect(inShort(found(folder, { project: projectServers(folder, ["a", "c"]), disabled: ["a"] }))).toEqual({
    a: "project a disabled",
    b: "project b",
    c: "project c disabled",
  })
  // Before trust nothing starts, whatever else was said.
  expect(inShort(found(folder, { trust: "none" }))).toEqual({
    a: "project a untrusted",
    b: "project b untrusted",
    c: "project c disabled",
  })
  expect(approvals.resets(root)).toBe(0)
  expect(approvals.forget(root)).toEqual({ ok: true, value: { servers: 3, tools: 0 } })
  // Answers that sessions have in their logs do not count any more either.
  expect(approvals.resets(root)).toBe(1)
  approvals.keepServer(root, "a", "f", true)
  expect([approvals.resets(root), approvals.forget(root)]).toEqual([1, { ok: true, value: { servers: 1, tools: 0 } }])
  expect(approvals.resets(root)).toBe(2)
  expect(inShort(found(folder, { project }))).toMatchObject({ a: "project a needs_approval" })
})

test("a project's file does not get at secrets; the person's own file does", () => {
  using folder = laid({
    "project/.mcp.json": { mcpServers: { theirs: { command: "x", env: { K: "${SECRET}" } } } },
    "state/mcp.json": { mcpServers: { mine: { command: "x", env: { K: "${SECRET}" } } } },
  })
  const { servers } = found(folder)
  const keyOf = ({ config }: McpServer): string | undefined =>
    config.ok && config.value.kind === "stdio" ? config.value.env.K : undefined
  const [mine, theirs] = servers.map(keyOf)
  expect(mine).not.toContain("SECRET")
  expect(theirs).toBe("${SECRET}")
})

test("a project's file sends nothing away that the person has not approved; its program's own variables are filled in", () => {
  const childVariables = { GITHUB_TOKEN: "ghp", USER: "ada" }
  using folder = laid({
    "project/.mcp.json": {
      mcpServers: {
        far: { type: "http", url: "https://x.y/${USER}?t=${GITHUB_TOKEN:-none}" },
        near: { command: "x", args: ["--user", "${USER}"], env: { T: "${GITHUB_TOKEN}" } },
        word: { command: "x", args: ["${GITHUB_TOKEN}"] },
        head: { type: "http", url: "https://x.y", headers: { Authorization: "Bearer ${GITHUB_TOKEN}" } },
      },
    },
  })
  const held = found(folder, { childVariables, project: projectServers(folder, [], ["GITHUB_TOKEN"]) })
  expect(held.servers.map(({ name, config }) => [name, config.ok])).toEqual([
    ["far", false],
    ["near", true],
    ["word", false],
    ["head", false],
  ])
  const [far] = held.servers
  expect(far?.config).toMatchObject({ ok: false, failure: expect.stringContaining("send your GITHUB_TOKEN away") })
  const lent = found(folder, { childVariables })
  expect(lent.servers.every(({ config }) => config.ok)).toBe(true)
})

test("a project's file loads nothing into a program; the person's own file may", () => {
  const server = { command: "x", env: { LD_PRELOAD: "./evil.so" } }
  using folder = laid({
    "project/.mcp.json": { mcpServers: { theirs: server } },
    "state/mcp.json": { mcpServers: { mine: server } },
  })
  expect(found(folder).servers.map(({ name, config }) => [name, config.ok])).toEqual([
    ["mine", true],
    ["theirs", false],
  ])
})

test("a malformed server is named and the others go on; a malformed file is named and the other files go on", () => {
  using folder = laid({
    ".claude.json": '{ "mcpServers": { "x": not json',
    "state/mcp.json": { mcpServers: { bad: { command: 1 }, good: program("g") } },
  })
  const { servers, problems } = found(folder)
  expect(servers.map(({ name, config }) => [name, config.ok])).toEqual([
    ["bad", false],
    ["good", true],
  ])
  expect(problems).toEqual([expect.stringContaining(".claude.json is not JSON")])
})

test("what --mcp-config names must be there and be one", () => {
  using folder = laid({ "list.json": "[]", "other.json": '{"tasks": {"a": {}}}' })
  for (const given of [folder.join("missing.json"), folder.join("list.json"), folder.join("other.json"), "{broken"])
    expect(() => found(folder, { given: [given] })).toThrow()
})

test("files are written whole, for the person alone, and keep what else is in them", () => {
  using folder = laid({ "project/.mcp.json": { note: "mine", mcpServers: { a: program("a") } } })
  const places = { root: folder.join("project"), stateFolder: folder.join("state/deep") }
  expect(writeServer("project", places, "b", { command: "b" })).toMatchObject({ ok: true, value: { wasThere: false } })
  expect(writeServer("project", places, "a", undefined)).toMatchObject({ ok: true, value: { wasThere: true } })
  expect(JSON.parse(readFileSync(folder.join("project/.mcp.json"), "utf8"))).toEqual({
    note: "mine",
    mcpServers: { b: { command: "b" } },
  })
  writeServer("user", places, "u", { command: "u" })
  expect(statSync(folder.join("state/deep/mcp.json")).mode & 0o777).toBe(0o600)
  expect(writeServer("local", places, "nobody", undefined)).toMatchObject({ ok: true, value: { wasThere: false } })
  writeFileSync(folder.join("state/deep/mcp.json"), "{ broken")
  expect(writeServer("user", places, "v", { command: "v" }).ok).toBe(false)
  expect(readFileSync(folder.join("state/deep/mcp.json"), "utf8")).toBe("{ broken")
})

test("what was allowed of a tool is kept by folder, and a broken file is as good as none", () => {
  using folder = laid({})
  const state = folder.join("state")
  const approvals = openApprovals(state)
  expect(approvals.tool("/a", "mcp__x__y")).toBeUndefined()
  approvals.keepTool("/a", "mcp__x__y", "d1")
  expect([approvals.tool("/a", "mcp__x__y"), approvals.tool("/b", "mcp__x__y")]).toEqual(["d1", undefined])
  expect(approvals.tool("/a", "constructor")).toBeUndefined()
  writeFileSync(folder.join("state/mcp-approvals.json"), "[]")
  expect(approvals.tool("/a", "mcp__x__y")).toBeUndefined()
  expect(existsSync(folder.join("state/mcp-approvals.json"))).toBe(true)
})

test("the forms in which files name servers: bare, and as editors write them", () => {
  const run = { command: "run" }
  using folder = laid({
    "bare.json": JSON.stringify({ one: run, two: { url: "https://example.com/mcp" } }),
    "editor.json": JSON.stringify({ inputs: [], servers: { three: { type: "stdio", ...run } } }),
  })
  const names = (file: string) => found(folder, { given: [folder.join(file)] }).servers.map(({ name }) => name)
  expect(names("bare.json")).toEqual(["one", "two"])
  expect(names("editor.json")).toEqual(["three"])
})
