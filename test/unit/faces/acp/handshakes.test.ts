/** What editors say first, as they were recorded in public: each is understood, and is offered what it can use. */

import { expect, test } from "bun:test"
import { type AcpRun, runAcp } from "#faces/acp/run.ts"
import { systemIds } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import { watchSchema } from "../../../kit/acp/published-schema.ts"

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
  const [answer] = await answersTo({ jsonrpc: "2.0", id: 0, method: "initialize", params })
  const result = isObject(answer?.["result"]) ? answer["result"] : {}
  expect(result).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } })
  const login = JSON.stringify(result["authMethods"])
  const isOlder = name === "zed" || name === "jetBrains"
  expect(login.includes('"type":"terminal"')).toBe(isOlder || name === "newer")
  expect(login.includes('"command":"/bin/codewright"')).toBe(isOlder)
})

test("a first request without fields that are needed is refused", async () => {
  expect(await answersTo({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} })).toMatchObject([
    { id: 0, error: { code: -32602, message: "Field `protocolVersion` is missing." } },
  ])
})

test("without a model a session asks to log in", async () => {
  const asked = { jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: "/work", mcpServers: [] } }
  expect(await answersTo(asked)).toMatchObject([{ id: 1, error: { code: -32000, message: "No model." } }])
})

async function answersTo(...messages: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const schema = watchSchema()
  const said: JsonObject[] = []
  async function* input() {
    for (const message of messages) {
      schema.heard(message)
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
    open: async () => failed({ kind: "no_model", message: "No model." }),
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
