/** The server as a host of the Agent Host Protocol, over real sockets: what a client of it sees, does, and may not do. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Database } from "#lib/database.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { openAhpHost } from "#faces/web/ahp/host.ts"
import { approvalOf } from "#session/port/approval.ts"
import type { Lease, UserRole } from "#fleet/records.ts"
import { connectClient, type TestClient } from "../../kit/ahp/client.ts"
import { block, fact, outcome, question, replyEnd, said } from "../../kit/ahp/lines.ts"
import { onEngines } from "../../kit/database/engines.ts"
import { held, heldAgain } from "../../kit/fleet/records.ts"
import { openTestServer, secretOf, type TestServer } from "../../kit/fleet/web-server.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { until } from "../../kit/until.ts"

onEngines((reach) => {
  let database: Database
  let server: TestServer

  beforeAll(async () => {
    database = await reach()
    server = await openTestServer(database, { openAhp: openAhpHost })
  }, 300_000)

  afterAll(async () => {
    await server.close()
    await database.close()
  })

  const address = (): string => `${server.url.replace("http", "ws")}/ahp`
  const connect = (as: UserRole = "operator"): Promise<TestClient> =>
    connectClient(`${address()}?token=${secretOf(as)}`)
  async function opened(clientId: string, channels: readonly string[], as: UserRole = "operator") {
    const client = await connect(as)
    const hello = { clientId, protocolVersions: ["1.0.0", "0.7.0"], initialSubscriptions: [...channels] }
    const { snapshots, serverSeq } = await client.ask("initialize", hello)
    return { client, snapshots: snapshots as JsonObject[], seq: Number(serverSeq) }
  }
  const types = (client: TestClient): readonly unknown[] =>
    client.actions().map(({ action }) => isObject(action) && action["type"])
  const untilType = (client: TestClient, type: string): Promise<void> =>
    client.until(() => types(client).includes(type))
  const rejections = (client: TestClient): readonly unknown[] =>
    client.actions().flatMap(({ rejectionReason }) => rejectionReason ?? [])

  const use = { type: "tool_use", id: "c", name: "Bash", input: { command: "rm a" } }
  /** Lines up to a question, and the session set aside with it. */
  async function asking(id: string): Promise<{ readonly lease: Lease; readonly count: number }> {
    const lease = await held(server.store, id, "the operator")
    const asked = question("q", "c", "rm a", "d1")
    const lines = [
      fact("turn_start", { turnId: "t" }),
      said(id, "Remove it"),
      block("m", use),
      replyEnd("m"),
      fact("question", { question: asked as unknown as JsonObject }),
    ]
    valueOf(await server.store.lines.ship(lease, 1, lines))
    valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval" }, [approvalOf(asked)]))
    return { lease, count: lines.length }
  }

  test("whoever has no token, or only a browser's cookie, gets no connection", async () => {
    for (const url of [address(), `${address()}?token=wrong-wrong-wrong-wrong`])
      expect(connectClient(url)).rejects.toThrow("refused")
    expect(
      connectClient(address(), { authorization: `Bearer ${secretOf("viewer")}`, origin: "http://evil" }),
    ).rejects.toThrow()
    const plain = await server.ask("GET", "/ahp", { as: "operator" })
    expect([plain.status, plain.body]).toEqual([
      400,
      { error: { code: "bad_request", message: expect.stringContaining("WebSocket") as string } },
    ])
    // The token in an address counts nowhere else.
    expect((await server.ask("GET", `/api/me?token=${secretOf("admin")}`)).status).toBe(401)
    const byHeader = await connectClient(address(), { authorization: `Bearer ${secretOf("viewer")}` })
    expect(await byHeader.ask("ping")).toEqual({ result: null })
    byHeader.close()
  })

  test("versions are negotiated, files and tokens of others are refused, and nothing works before initialize", async () => {
    const client = await connect()
    expect(await client.ask("listSessions")).toMatchObject({ error: { message: "Send initialize first." } })
    expect(await client.ask("initialize", { clientId: "a", protocolVersions: ["9.0.0"] })).toMatchObject({
      error: { code: -32005, data: { supportedVersions: ["0.7.0"] } },
    })
    const hello = { clientId: "a", protocolVersions: ["9.0.0", "0.7.0"], initialSubscriptions: ["ahp-root://"] }
    expect(await client.ask("initialize", hello)).toMatchObject({
      protocolVersion: "0.7.0",
      snapshots: [{ resource: "ahp-root://", state: { agents: [{ provider: "codewright" }] } }],
    })
    for (const method of ["resourceRead", "resourceWrite", "resourceDelete", "createResourceWatch", "authenticate"])
      expect(await client.ask(method, { uri: "file:///etc/passwd" })).toMatchObject({ error: { code: -32009 } })
    expect(await client.ask("createTerminal")).toMatchObject({ error: { code: -32601 } })
    expect(await client.ask("of-the-future")).toMatchObject({ error: { code: -32601 } })
    client.send("not json")
    expect(await client.ask("subscribe", { channel: "ahp-session:/nobody" })).toMatchObject({ error: { code: -32008 } })
    client.close()
  })

  test("a question is confirmed once, by the one who saw it, and the other one is told", async () => {
    const { count } = await asking("confirmed")
    const channels = ["ahp-session:/confirmed", "ahp-chat:/confirmed"]
    const one = await opened("one", channels)
    const two = await opened("two", channels)
    expect(one.snapshots).toMatchObject([
      { state: { status: 24, inputNeeded: [{ kind: "toolConfirmation", id: "c" }] } },
      { state: { status: 24, activeTurn: { id: "confirmed" } } },
    ])
    const yes = {
      type: "chat/toolCallConfirmed",
      turnId: "confirmed",
      toolCallId: "c",
      approved: true,
      confirmed: "user-action",
    }
    one.client.dispatch("ahp-chat:/confirmed", { ...yes, selectedOptionId: "allow:other" })
    one.client.dispatch("ahp-chat:/confirmed", { ...yes, selectedOptionId: "deny:d1" })
    one.client.dispatch("ahp-chat:/confirmed", { ...yes, editedToolInput: "{}" })
    await one.client.until(() => rejections(one.client).length === 3)
    expect((await server.store.approvals.of("confirmed")).map(({ state }) => state)).toEqual(["open"])
    one.client.dispatch("ahp-chat:/confirmed", { ...yes, selectedOptionId: "allow:d1" })
    await untilType(two.client, "chat/toolCallConfirmed")
    expect(two.client.actions()[0]).toMatchObject({ origin: { clientId: "one", clientSeq: 4 } })
    two.client.dispatch("ahp-chat:/confirmed", yes)
    await two.client.until(() => rejections(two.client).length === 1)
    expect(rejections(two.client)).toEqual(["This call does not wait for a decision."])
    const again = await heldAgain(server.store, "confirmed")
    valueOf(
      await server.store.lines.ship(again, count + 1, [
        outcome("c", "Removed."),
        block("m2", { type: "text", text: "Done." }),
        replyEnd("m2"),
        fact("turn_end", { turnId: "t", reason: "completed" }),
      ]),
    )
    await untilType(one.client, "chat/turnComplete")
    expect(
      types(one.client)
        .filter((type) => String(type).startsWith("chat/"))
        .slice(3),
    ).toEqual([
      "chat/toolCallConfirmed",
      "chat/toolCallComplete",
      "chat/responsePart",
      "chat/usage",
      "chat/turnComplete",
    ])
    one.client.close()
    two.client.close()
  })

  test("a yes without an option counts only if nothing else was ever shown to this client", async () => {
    await asking("changed")
    const { client } = await opened("first", ["ahp-chat:/changed"])
    await server.store.sessions.wake("changed")
    const lease = await heldAgain(server.store, "changed")
    const other = question("q", "c", "rm b", "d2")
    valueOf(await server.store.lines.ship(lease, 6, [fact("question", { question: other as unknown as JsonObject })]))
    valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval" }, [approvalOf(other)]))
    await untilType(client, "chat/toolCallReady")
    const yes = {
      type: "chat/toolCallConfirmed",
      turnId: "changed",
      toolCallId: "c",
      approved: true,
      confirmed: "user-action",
    }
    client.dispatch("ahp-chat:/changed", yes)
    client.dispatch("ahp-chat:/changed", { ...yes, selectedOptionId: "allow:d1" })
    await client.until(() => rejections(client).length === 2)
    expect(rejections(client)[0]).toContain("What was shown is not what would be done now.")
    const late = await opened("late", ["ahp-chat:/changed"])
    late.client.dispatch("ahp-chat:/changed", yes)
    await untilType(late.client, "chat/toolCallConfirmed")
    expect((await server.store.approvals.of("changed")).at(-1)).toMatchObject({ digest: "d2", state: "allowed" })
    client.close()
    late.client.close()
  })

  test("a client that comes back gets what it missed, and snapshots where that is not known", async () => {
    await asking("missed")
    const channels = ["ahp-session:/missed", "ahp-chat:/missed"]
    const { client, seq } = await opened("back", channels)
    const other = await opened("other", channels)
    client.close()
    await client.closed
    const no = { type: "chat/toolCallConfirmed", turnId: "missed", toolCallId: "c", approved: false, reason: "denied" }
    other.client.dispatch("ahp-chat:/missed", no)
    await untilType(other.client, "session/chatUpdated")
    const back = await connect()
    const subscriptions = [...channels, "ahp-chat:/gone"]
    expect(await back.ask("reconnect", { clientId: "back", lastSeenServerSeq: seq, subscriptions })).toMatchObject({
      type: "replay",
      actions: other.client.actions(),
      missing: ["ahp-chat:/gone"],
    })
    const stranger = await connect()
    const unknown = await stranger.ask("reconnect", { clientId: "stranger", lastSeenServerSeq: seq, subscriptions })
    expect(unknown).toMatchObject({ type: "snapshot", snapshots: [{ state: { status: 8 } }, { state: { status: 8 } }] })
    const ancient = await connect()
    const old = await ancient.ask("reconnect", { clientId: "back", lastSeenServerSeq: 1, subscriptions })
    expect(old).toMatchObject({ type: "snapshot" })
    for (const each of [back, stranger, ancient, other.client]) each.close()
  })

  test("a session is made with its first message, steered and interrupted, and has the names that the client chose", async () => {
    const id = crypto.randomUUID()
    const [session, chat] = [`ahp-session:/${id}`, `ahp-chat:/${id}`]
    const { client } = await opened("maker", ["ahp-root://"])
    expect(await client.ask("createSession", { channel: session })).toMatchObject({ error: { code: -32602 } })
    const made = { channel: session, workingDirectories: ["file:///w"] }
    expect(await client.ask("createSession", made)).toEqual({ result: null })
    expect(await client.ask("createSession", made)).toMatchObject({ error: { code: -32003 } })
    const stranger = await connect("admin")
    await stranger.ask("initialize", { clientId: "x", protocolVersions: ["0.7.0"] })
    expect(await stranger.ask("subscribe", { channel: chat })).toMatchObject({ error: { code: -32008 } })
    stranger.close()
    expect(await server.store.sessions.get(id)).toBeUndefined()
    await client.ask("subscribe", { channel: session })
    await client.ask("subscribe", { channel: chat })
    const message = { text: "Begin", origin: { kind: "user" } }
    client.dispatch(chat, { type: "chat/turnStarted", turnId: "mine", startedAt: "now", message })
    await client.until((heard) => heard.some(({ method }) => method === "root/sessionAdded"))
    expect(await server.store.sessions.get(id)).toMatchObject({ query: "Begin", createdBy: "the operator" })
    const lease = await heldAgain(server.store, id, "worker of everything")
    valueOf(await server.store.lines.ship(lease, 1, [fact("turn_start", { turnId: "t" }), said(id, "Begin")]))
    await untilType(client, "chat/turnStarted")
    expect(client.actions().find(({ origin }) => origin !== undefined)).toMatchObject({
      channel: chat,
      action: { type: "chat/turnStarted", turnId: "mine" },
      origin: { clientId: "maker", clientSeq: 1 },
    })
    client.dispatch(chat, { type: "chat/turnStarted", turnId: "again", startedAt: "now", message })
    client.dispatch(chat, { type: "chat/pendingMessageSet", kind: "queued", id: "later", message })
    await client.until(() => rejections(client).length === 2)
    client.dispatch(chat, { type: "chat/pendingMessageSet", kind: "steering", id: "word", message })
    await untilType(client, "chat/pendingMessageSet")
    client.dispatch(chat, { type: "chat/turnCancelled", turnId: "mine", duration: 1 })
    const waiting = async () => (await server.store.ops.waiting(id)).map(({ id: op, op: what }) => [op, what?.type])
    await until(async () => (await waiting()).length >= 3)
    // The first prompt has the name of the session.
    expect(await waiting()).toEqual([
      [id, "prompt"],
      ["word", "prompt"],
      [expect.any(String), "interrupt"],
    ])
    valueOf(
      await server.store.lines.ship(lease, 3, [
        said("word", "Begin"),
        fact("turn_end", { turnId: "t", reason: "aborted" }),
      ]),
    )
    await untilType(client, "chat/turnCancelled")
    expect(client.actions().findLast(({ origin }) => origin !== undefined)).toMatchObject({
      action: { type: "chat/turnCancelled", turnId: "mine" },
    })
    client.close()
  })

  test("a viewer sees and changes nothing", async () => {
    await asking("seen")
    const { client, snapshots } = await opened("viewer", ["ahp-chat:/seen"], "viewer")
    expect(snapshots).toHaveLength(1)
    const call = { turnId: "seen", toolCallId: "c", approved: true, confirmed: "user-action" }
    client.dispatch("ahp-chat:/seen", { type: "chat/toolCallConfirmed", ...call, selectedOptionId: "allow:d1" })
    client.dispatch("ahp-chat:/seen", { type: "chat/turnCancelled", turnId: "seen", duration: 1 })
    client.dispatch("ahp-chat:/seen", { type: "session/isArchivedChanged" })
    await client.until(() => rejections(client).length === 3)
    expect(rejections(client)[0]).toBe("This needs the role operator; the token has the role viewer.")
    const made = { channel: `ahp-session:/${crypto.randomUUID()}`, workingDirectories: ["file:///w"] }
    expect(await client.ask("createSession", made)).toMatchObject({ error: { code: -32009 } })
    expect((await server.store.approvals.of("seen")).map(({ state }) => state)).toEqual(["open"])
    client.close()
  })

  test("what a client sends takes effect in its order, also if the first takes longer", async () => {
    await asking("ordered")
    const { store } = server
    const add: typeof store.ops.add = async (...given) => {
      if (given[1] === "word") await Bun.sleep(300)
      return store.ops.add(...given)
    }
    const slow = await openTestServer(database, {
      openAhp: openAhpHost,
      store: { ...store, ops: { ...store.ops, add } },
    })
    const client = await connectClient(`${slow.url.replace("http", "ws")}/ahp?token=${secretOf("operator")}`)
    const chat = "ahp-chat:/ordered"
    await client.ask("initialize", { clientId: "ordered", protocolVersions: ["0.7.0"], initialSubscriptions: [chat] })
    const message = { text: "Wait", origin: { kind: "user" } }
    client.dispatch(chat, { type: "chat/pendingMessageSet", kind: "steering", id: "word", message })
    client.dispatch(chat, { type: "chat/turnCancelled", turnId: "t", duration: 1 })
    const waiting = async () => (await store.ops.waiting("ordered")).map(({ op }) => op?.type)
    await until(async () => (await waiting()).length >= 3)
    // The first prompt made the session.
    expect(await waiting()).toEqual(["prompt", "prompt", "interrupt"])
    client.close()
    await slow.close()
  })

  test("sessions are listed page by page", async () => {
    const { client } = await opened("lister", [])
    const all: unknown[] = []
    for (let cursor: unknown; ;) {
      const page = await client.ask("listSessions", { limit: 2, ...(typeof cursor === "string" && { cursor }) })
      all.push(...(page["items"] as unknown[]))
      cursor = page["nextCursor"]
      if (cursor === undefined) break
    }
    const whole = await client.ask("listSessions")
    expect(all).toEqual(whole["items"] as unknown[])
    expect(await client.ask("listSessions", { cursor: "../x" })).toMatchObject({ error: { code: -32602 } })
    client.close()
  })
})
