/** A test session held by an editor besides the test: prompts go through the protocol, and every message is held against the schema. */

import { client, ndJsonStream } from "@agentclientprotocol/sdk"
import type { End } from "#agent/words/end.ts"
import { runAcp } from "#faces/acp/run.ts"
import { linesIn } from "#lib/input-lines.ts"
import { systemIds } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import type { TestSession } from "../open-test-session.ts"
import { watchSchema } from "./published-schema.ts"

export async function throughAcp(t: TestSession): Promise<TestSession> {
  const schema = watchSchema()
  const toAgent = new TransformStream<Uint8Array, Uint8Array>()
  const toClient = new TransformStream<Uint8Array, Uint8Array>()
  const answers = toClient.writable.getWriter()
  const encoder = new TextEncoder()
  const stop = new AbortController()
  let wrong: Error | undefined
  const noted = (text: string, take: (message: JsonObject) => void): void => {
    const message: unknown = JSON.parse(text)
    try {
      if (isObject(message)) take(message)
    } catch (error) {
      wrong ??= error instanceof Error ? error : new Error(String(error))
    }
  }
  async function* asked() {
    for await (const line of linesIn(toAgent.readable)) {
      if (line.kind === "line") noted(line.text, schema.heard)
      yield line
    }
  }
  const served = runAcp({
    input: asked(),
    send(text) {
      noted(text, schema.said)
      void answers.write(encoder.encode(text))
    },
    written: async () => {},
    open: async () =>
      ok({
        session: { ...t.session, close: async () => {} },
        factsOf: () => ({ window: 200_000 }),
        models: async () => [],
        notes: [],
        close: async () => {},
      }),
    list: async () => ok([]),
    remove: async () => failed("no"),
    missingModel: async () => undefined,
    stop: stop.signal,
    version: "0",
    login: ["codewright", "login"],
    ids: systemIds,
  })
  const app = client({ name: "editor" })
    .onNotification("session/update", () => {})
    // The test answers; the question is withdrawn here then.
    .onRequest("session/request_permission", () => new Promise(() => {}))
    .onRequest("elicitation/create", () => new Promise(() => {}))
  const { agent } = app.connect(ndJsonStream(toAgent.writable, toClient.readable))
  const clientCapabilities = { elicitation: { form: {} }, session: { notices: {}, compaction: {} } }
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities })
  await agent.request("session/resume", { sessionId: t.id, cwd: t.root, mcpServers: [] })
  const say = async (text: string): Promise<void> => {
    await agent.request("session/prompt", { sessionId: t.id, prompt: [{ type: "text", text }] }).catch(() => {})
  }

  return {
    ...t,
    say: (text) => void say(text),
    async prompt(text) {
      await say(text)
      await t.settled()
      if (wrong !== undefined) throw new Error("A message breaks the schema.", { cause: wrong })
      return lastEnd(t)
    },
    reopen: async (changes) => {
      stop.abort()
      return throughAcp(await t.reopen(changes))
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]()
      stop.abort()
      await served
      if (wrong !== undefined) throw new Error("A message breaks the schema.", { cause: wrong })
    },
  }
}

function lastEnd(t: TestSession): End {
  const end = t.entries().findLast((entry) => entry.kind === "turn_end")
  if (end?.kind !== "turn_end") throw new Error("no turn has ended")
  const { reason, message, cause, status } = end
  return {
    reason,
    ...(message !== undefined && { message }),
    ...(cause !== undefined && { cause }),
    ...(status !== undefined && { status }),
  }
}
