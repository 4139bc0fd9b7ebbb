/** A client of our own MCP server: the official packages of both revisions, unmodified, with our program behind them. */

import { Client as NewClient } from "@modelcontextprotocol/client"
import { StdioClientTransport as NewTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { EditorWorld } from "../acp/editor.ts"
import { environmentOf, program } from "../run-codewright.ts"

export const revisions = ["2025-11-25", "2026-07-28"] as const
export type Revision = (typeof revisions)[number]

/** What the user answers; `undefined` where the client has no forms. */
export type Filled = (form: JsonObject) => JsonObject | Promise<JsonObject>

export interface ServedResult {
  readonly text: string
  readonly isError: boolean
  readonly data: JsonObject
}

export interface ServedClient extends AsyncDisposable {
  readonly revision: string | undefined
  readonly pid: number
  readonly tools: () => Promise<readonly string[]>
  readonly call: (
    name: string,
    input: JsonObject,
    how?: { readonly signal?: AbortSignal; readonly onProgress?: (message: string) => void },
  ) => Promise<ServedResult>
}

export interface ServedOptions {
  readonly revision: Revision
  readonly argv?: readonly string[]
  readonly answer?: Filled
}

export async function openServed(world: EditorWorld, options: ServedOptions): Promise<ServedClient> {
  const { revision, argv = [], answer } = options
  const started = {
    command: program,
    args: ["mcp", "serve", ...argv],
    cwd: world.place.work,
    env: environmentOf(world.place, world.simulator.url),
    stderr: "ignore" as const,
  }
  return revision === "2026-07-28" ? openNew(started, answer) : openOld(started, answer)
}

interface Started {
  readonly command: string
  readonly args: string[]
  readonly cwd: string
  readonly env: { [name: string]: string }
  readonly stderr: "ignore"
}

const json = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

type ElicitAnswer = { action: "accept" | "decline" | "cancel"; content?: { [name: string]: string } }

async function openOld(started: Started, answer: Filled | undefined): Promise<ServedClient> {
  const client = new OldClient(
    { name: "a test", version: "1" },
    { capabilities: answer ? { elicitation: { form: {} } } : {} },
  )
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => (await answer(json(params))) as ElicitAnswer)
  const transport = new OldTransport(started)
  await client.connect(transport)
  return {
    revision: "2025-11-25",
    pid: transport.pid ?? 0,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input, { signal, onProgress } = {}) {
      const came = await client.callTool({ name, arguments: input }, undefined, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ message = "" }) => onProgress(message) }),
      })
      return resultOf(json(came))
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function openNew(started: Started, answer: Filled | undefined): Promise<ServedClient> {
  const client = new NewClient(
    { name: "a test", version: "1" },
    { capabilities: answer ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: "auto" } },
  )
  if (answer)
    client.setRequestHandler("elicitation/create", async ({ params }) => (await answer(json(params))) as ElicitAnswer)
  const transport = new NewTransport(started)
  await client.connect(transport)
  return {
    revision: client.getNegotiatedProtocolVersion(),
    pid: transport.pid ?? 0,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input, { signal, onProgress } = {}) {
      const came = await client.callTool(
        { name, arguments: input },
        {
          ...(signal && { signal }),
          ...(onProgress && { onprogress: ({ message = "" }) => onProgress(message) }),
        },
      )
      return resultOf(json(came))
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function resultOf({ content, isError, structuredContent }: JsonObject): ServedResult {
  const blocks: readonly JsonValue[] = Array.isArray(content) ? content : []
  return {
    text: blocks.flatMap((block) => (isObject(block) && typeof block.text === "string" ? [block.text] : [])).join("\n"),
    isError: isError === true,
    data: isObject(structuredContent) ? structuredContent : {},
  }
}
