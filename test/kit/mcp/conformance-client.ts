/**
 * The client that the official conformance suite drives: our own parts, put together as a session does. It reaches the server,
 * logs in where the server wants that, lists what there is and calls every tool.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ConnectPorts, connectMcp } from "#ground/mcp/connect.ts"
import type { McpConnection, McpFailure, McpHost, McpSkill, McpToolDefinition } from "#ground/mcp/connection.ts"
import { logIn } from "#ground/mcp/login.ts"
import { openLoginStore } from "#ground/mcp/login-store.ts"
import type { McpServerConfig } from "#ground/mcp/server-config.ts"
import { longCall } from "#kits/mcp/long-call.ts"
import { acceptable } from "#kits/mcp/schema.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { directNetwork } from "../direct-network.ts"

const url = process.argv.at(-1) ?? ""
const given: unknown = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}")
const context: JsonObject = isObject(given) ? given : {}
const folder = mkdtempSync(join(tmpdir(), "conformance-"))
const network = directNetwork({})
const logins = openLoginStore(folder)
const { signal } = new AbortController()
const oauth = {
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  ...(typeof context.client_id === "string" && { clientId: context.client_id }),
}
const config: McpServerConfig = { kind: "http", url, headers: {}, oauth }

const host: McpHost = {
  roots: () => [],
  // As a user who accepts what is filled in already.
  elicit: async ({ schema }) => ({ action: "accept", content: defaultsOf(schema) }),
  onElicited: () => {},
  onChanged: () => {},
  onUpdated: () => {},
  onClosed: () => {},
}
const ports: ConnectPorts = {
  clock: systemClock,
  version: "0.0.0",
  cwd: folder,
  network,
  env: () => ({}),
  start: async () => failed("nothing is started"),
  openPinned: () => Promise.reject(new Error("not a project's server")),
  runHelper: async () => failed("no helper"),
  logins,
  older: { has: () => false, keep: () => {} },
}

const complain = (words: string): void => void process.stderr.write(`${words}\n`)

/** The browser of a user who agrees at once. */
async function browse(to: string): Promise<void> {
  const answer = await fetch(to, { redirect: "manual" })
  const back = answer.headers.get("location")
  if (back !== null) await fetch(back)
}

async function loggedIn(): Promise<boolean> {
  const secret = typeof context.client_secret === "string" ? context.client_secret : undefined
  const show = (to: string): void => void browse(to)
  const done = await logIn(url, { logins, ids: systemIds, clock: systemClock, show, network, oauth, secret }, signal)
  if (!done.ok) complain(done.failure)
  return done.ok
}

/** Logs in as often as somebody would who is told to. */
async function withLogin<T>(work: () => Promise<Result<T, McpFailure>>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const came = await work()
    if (came.ok) return came.value
    complain(came.failure.message)
    if (came.failure.kind !== "needs_login" || tries >= 2 || !(await loggedIn())) throw new Error(came.failure.message)
  }
}

const connected = (): Promise<McpConnection> =>
  withLogin(() => connectMcp({ name: "server", source: "user", config }, host, ports, signal))

/** What a model would give: something of the right kind for each field. */
function inputFor({ inputSchema }: McpToolDefinition): JsonObject {
  const { properties } = acceptable(inputSchema).schema
  const fields = isObject(properties) ? Object.entries(properties) : []
  return Object.fromEntries(fields.map(([name, field]) => [name, valueFor(isObject(field) ? field : {})]))
}

/** The suite has a tool that wants the schema of another one, to see that nothing of it was lost. */
function echoOf({ name }: McpToolDefinition): JsonObject | undefined {
  const echoed = tools.find((tool) => tool.name === "json_schema_2020_12_tool")
  return name === "json_schema_echo" && echoed ? { schema: echoed.inputSchema } : undefined
}

function valueFor({ type, enum: choices, default: usual }: JsonObject): JsonValue {
  if (usual !== undefined) return usual
  if (Array.isArray(choices)) return choices[0] ?? null
  const values: { readonly [kind: string]: JsonValue } = { number: 2, integer: 2, boolean: true, array: [], object: {} }
  return values[String(type)] ?? "words"
}

function defaultsOf(schema: JsonObject | undefined): Record<string, string> {
  const fields = isObject(schema?.properties) ? Object.entries(schema.properties) : []
  return Object.fromEntries(
    fields.map(([name, field]) => [name, valueFor(isObject(field) ? field : {})]),
  ) as unknown as Record<string, string>
}

const calls = isObject(context) && Array.isArray(context.toolCalls) ? context.toolCalls : []
const server = await connected()
const listed = await withLogin(() => server.list("tools", signal))
const tools = listed as readonly McpToolDefinition[]
const planned =
  calls.length > 0
    ? calls.flatMap((one: JsonValue) =>
        isObject(one) && typeof one.name === "string"
          ? [{ name: one.name, input: isObject(one.arguments) ? one.arguments : {} }]
          : [],
      )
    : tools.map((tool) => ({ name: tool.name, input: echoOf(tool) ?? inputFor(tool) }))
for (const [i, { name, input }] of planned.entries()) {
  const call = { name, input, callId: `call-${i}` }
  const options = { signal, timeoutMs: 20_000, onProgress: () => {} }
  await withLogin(() =>
    longCall(call, options, {
      server: "server",
      connection: async () => ok(server),
      asker: host,
      clock: systemClock,
      log: { continued: () => undefined, keep: async () => ok(undefined), done: () => {}, isLeaving: () => false },
    }),
  ).catch((error: unknown) => complain(String(error)))
}
for (const what of ["prompts", "resources"] as const) await server.list(what, signal)
const skills = (await withLogin(() => server.list("skills", signal))) as readonly McpSkill[]
// As a model that loads each skill and then reads its files, where the suite wants one loaded.
if (process.env["MCP_CONFORMANCE_SCENARIO"] !== "sep-2640-client-no-prefetch")
  for (const { uri, files } of skills) {
    const body = await server.loadSkill(uri, signal)
    if (!body.ok) complain(body.failure.message)
    else if (files !== "dynamic") for (const file of files) await server.readResource(file.uri, signal)
  }
await server.close()
rmSync(folder, { recursive: true, force: true })
