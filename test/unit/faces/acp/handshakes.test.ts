/** What editors say first, as they were recorded in public: each is understood, and is offered what it can use. */

import { expect, test } from "bun:test"
import type { Op } from "#agent/words/op.ts"
import { type AcpRun, runAcp, type SessionRequest } from "#faces/acp/run.ts"
import { systemIds } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import { openFeed } from "#session/journal/feed.ts"
import { watchSchema } from "../../../kit/acp/published-schema.ts"
import { openPaperSession } from "../../../kit/paper-session.ts"

const files = { readTextFile: true, writeTextFile: true }

const editors = {
  zed: {
    protocolVersion: 1,
    clientCapabilities: { fs: files, terminal: true, _meta: { terminal_output: true, "terminal-auth": true } },
    clientInfo: { name: "zed", title: "Zed", version: "1.21.0" },
  },
  jetBrains: {
    protocolVersion: 1,
    clientInfo: {
      name: "JetBrains.WebStorm",
      title: "WebStorm 2026.1.2",
      version: "2026.1.2",
      _meta: { platform: "intellij" },
    },
    clientCapabilities: {
      fs: files,
      terminal: false,
      auth: { _meta: { gateway: true } },
      _meta: { "terminal-auth": true },
    },
  },
  codeCompanion: {
    protocolVersion: 1,
    clientCapabilities: { fs: files },
    clientInfo: { name: "CodeCompanion.nvim", version: "1.0.0" },
  },
  withNulls: {
    protocolVersion: 1,
    clientCapabilities: { elicitation: null, session: null, auth: null },
    clientInfo: null,
  },
  newer: { protocolVersion: 2, clientCapabilities: { auth: { terminal: true }, whatever: [1] } },
}

test.each(Object.entries(editors))("%s", async (name, params) => {
  const [answer] = await answersTo([{ jsonrpc: "2.0", id: 0, method: "initialize", params }])
  const result = isObject(answer?.["result"]) ? answer["result"] : {}
  expect(result).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } })
  const login = JSON.stringify(result["authMethods"])
  const isOlder = name === "zed" || name === "jetBrains"
  expect(login.includes('"type":"terminal"')).toBe(isOlder || name === "newer")
  expect(login.includes('"command":"/bin/codewright"')).toBe(isOlder)
})

/** What they send next, with a session that says what came of it. */
const sessions = {
  zed: {
    opens: {
      cwd: "/work",
      mcpServers: [{ name: "files", command: "/usr/bin/files", args: [], env: [{ name: "KEY", value: "v" }] }],
    },
    servers: [{ name: "files", config: { command: "/usr/bin/files", args: [], env: { KEY: "v" } } }],
    prompt: [
      { type: "text", text: "Explain " },
      {
        type: "resource",
        resource: { uri: "file:///work/a.ts?symbol=main#L10:20", mimeType: "text/plain", text: "function main() {}" },
      },
      { type: "text", text: " and " },
      { type: "resource_link", name: "b.ts", uri: "file:///work/b.ts" },
    ],
    sends: [
      { type: "text", text: "Explain /work/a.ts and @/work/b.ts" },
      { type: "text", text: '<file path="/work/a.ts">\nfunction main() {}\n</file>' },
    ],
  },
  jetBrains: {
    opens: {
      cwd: "/work",
      mcpServers: [
        {
          name: "idea",
          command: "/opt/idea/bin/idea.sh",
          args: ["stdioMcpServer"],
          env: [{ name: "IJ_MCP_SERVER_PORT", value: "64342" }],
        },
      ],
    },
    servers: [
      {
        name: "idea",
        config: { command: "/opt/idea/bin/idea.sh", args: ["stdioMcpServer"], env: { IJ_MCP_SERVER_PORT: "64342" } },
      },
    ],
    prompt: [
      { type: "text", text: "What does it do?" },
      { type: "resource_link", uri: "file:///work/src/Main.kt", name: "Main.kt", mimeType: "text/plain", size: 120 },
    ],
    sends: [{ type: "text", text: "What does it do? @/work/src/Main.kt" }],
  },
  codeCompanion: {
    opens: { cwd: "/work", mcpServers: [] },
    servers: [],
    prompt: [{ type: "text", text: "Hello" }],
    sends: [{ type: "text", text: "Hello" }],
  },
}

test.each(Object.entries(sessions))(
  "%s opens a session and sends a prompt",
  async (name, { opens, servers, prompt, sends }) => {
    const ops: Op[] = []
    const opened: SessionRequest[] = []
    const feed = openFeed()
    const session = openPaperSession({ id: "s1", feed, submit: (op) => void ops.push(op) })
    const [first, ...rest] = await answersTo(
      [
        { jsonrpc: "2.0", id: 0, method: "initialize", params: editors[name as keyof typeof sessions] },
        { jsonrpc: "2.0", id: 1, method: "session/new", params: opens },
        { jsonrpc: "2.0", id: 2, method: "session/prompt", params: { sessionId: "s1", prompt } },
      ],
      async (request) => {
        opened.push(request)
        const close = async (): Promise<void> => feed.close()
        return ok({ session, factsOf: () => ({ window: 200_000 }), models: async () => [], notes: [], close })
      },
    )
    expect(first).toMatchObject({ id: 0, result: {} })
    // Nothing comes before the answer that names the session: some editors do not expect it.
    expect(rest[0]).toMatchObject({ id: 1, result: { sessionId: "s1" } })
    expect(opened).toEqual([{ requestId: 1, cwd: "/work", additionalDirectories: [], mcpServers: servers }])
    expect(ops).toMatchObject([{ type: "prompt", content: sends }])
  },
)

test("a first request without fields that are needed is refused", async () => {
  expect(await answersTo([{ jsonrpc: "2.0", id: 0, method: "initialize", params: {} }])).toMatchObject([
    { id: 0, error: { code: -32602, message: "Field `protocolVersion` is missing." } },
  ])
})

test("without a model a session asks to log in", async () => {
  const asked = { jsonrpc: "2.0", id: 0, method: "session/new", params: { cwd: "/work", mcpServers: [] } }
  expect(await answersTo([asked])).toMatchObject([{ id: 0, error: { code: -32000, message: "No model." } }])
})

async function answersTo(
  messages: readonly JsonObject[],
  open: AcpRun["open"] = async () => failed({ kind: "no_model", message: "No model." }),
): Promise<readonly JsonObject[]> {
  const schema = watchSchema()
  const said: JsonObject[] = []
  async function* input() {
    for (const message of messages) {
      schema.heard(message)
      // One after the other, as an editor that waits for each answer; a prompt has none here.
      while (said.filter(({ id }) => id !== undefined).length < Number(message["id"])) await Bun.sleep(1)
      yield { kind: "line", text: JSON.stringify(message) } as const
    }
  }
  const run: AcpRun = {
    input: input(),
    send(text) {
      const message: unknown = JSON.parse(text)
      if (!isObject(message)) throw new Error(text)
      schema.said(message)
      said.push(message)
    },
    written: async () => {},
    open,
    list: async () => ok([]),
    remove: async () => ok(undefined),
    missingModel: async () => "No model.",
    stop: new AbortController().signal,
    version: "1.0.0",
    login: ["/bin/codewright", "login"],
    ids: systemIds,
  }
  await runAcp(run)
  return said
}
