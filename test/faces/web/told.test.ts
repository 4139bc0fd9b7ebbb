/**
 * People are told of what waits for them, on their devices and by links that decide: exactly once with several servers, not in their quiet hours, only
 * of what they may decide, and each answer counts once wherever it is given.
 */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { Database } from "#lib/database.ts"
import { areKeys } from "#ground/push/encrypt.ts"
import { endpointProblem, type PushParts, sendPush } from "#faces/cli/fleet/send-push.ts"
import { newVapidKey, vapidKeyFrom } from "#ground/push/vapid.ts"
import { openPushMessages } from "#fleet/push-messages.ts"
import { type DecisionLinks, openWebhooks, type Webhook } from "#fleet/webhooks.ts"
import type { NewApproval } from "#fleet/records.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import { decidableBy } from "#faces/web/told.ts"
import type { PushSide } from "#faces/web/route.ts"
import type { JsonObject } from "#lib/json.ts"
import { undocumented } from "../../kit/fleet/api-document.ts"
import { directNetwork } from "../../kit/direct-network.ts"
import { onEngines } from "../../kit/database/engines.ts"
import { approval, held, heldAgain } from "../../kit/fleet/records.ts"
import { openTestServer, refused, secretOf, type TestServer } from "../../kit/fleet/web-server.ts"
import { openPushService, type PushService } from "../../kit/push-service.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { evilLine } from "../../kit/web/hostile.ts"
import { until } from "../../kit/until.ts"

onEngines(tells)

const operator = "the operator"
const context = { owner: "root", visibility: "read", operatorsMayLeave: false } as const

function tells(connect: () => Promise<Database>): void {
  let database: Database
  let server: TestServer
  let service: PushService
  let push: PushParts
  const reports: string[] = []

  beforeAll(async () => {
    database = await connect()
    service = openPushService()
    push = {
      key: valueOf(await vapidKeyFrom(await newVapidKey())),
      contact: "mailto:ops@example.com",
      network: directNetwork(),
      clock: systemClock,
      ids: systemIds,
      allowPrivate: true,
    }
    const side: PushSide = {
      serverKey: push.key.publicKey,
      async problemOf({ endpoint, ...keys }) {
        if (!(await areKeys(keys))) return "The keys of the subscription are not valid."
        // Only this one service of a test is on this machine.
        return endpoint.startsWith(`${service.url}/`) ? undefined : endpointProblem(endpoint, false)
      },
      async test(device) {
        const sent = await sendPush(
          push,
          device,
          { text: "{}", topic: "t", ttlSeconds: 60 },
          new AbortController().signal,
        )
        return typeof sent === "string" ? (sent === "sent" ? undefined : sent) : sent.why
      },
    }
    server = await openTestServer(database, { push: side })
  }, 300_000)
  afterAll(async () => {
    await server.close()
    await service.close()
    await database.close()
  })

  const mayDecideIn =
    (store: FleetStore) =>
    async (name: string, sessionId: string): Promise<boolean> =>
      (await decidableBy(store, context, { name, sessionId })) !== undefined
  const startIn = (store: FleetStore, send = sendPush): (() => Promise<void>) =>
    openPushMessages({
      store,
      serverKey: push.key.publicKey,
      send: (to, message, signal) => send(push, to, message, signal),
      mayDecide: mayDecideIn(store),
      clock: systemClock,
      report: (text) => reports.push(text),
    })
  const asks = async (id: string, by: string, ...commands: readonly string[]): Promise<void> => {
    const lease = await held(server.store, id, by)
    const asked = commands.map((each, at) => approval(`q${at}`, each))
    valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval" }, asked))
  }
  const adds = async (as: "operator" | "admin", name: string) => {
    const browser = await service.browser(name)
    const added = await server.ask("POST", "/api/devices", { as, body: { ...browser, label: `Phone ${name}` } })
    expect(added.status).toBe(200)
    return { browser, id: String((added.body as { id: string }).id) }
  }
  const textsTo = (
    name: string,
  ): readonly { readonly title: string; readonly body: string; readonly sessionId: string }[] =>
    service.heard
      .filter(({ path, text }) => path === `/push/${name}` && text !== "{}")
      .map(({ text }) => JSON.parse(text) as { title: string; body: string; sessionId: string })
  /** Everything that is due was looked at: nothing is left that anybody would send now. */
  const settled = async (): Promise<void> => {
    const left =
      "select (select count(*) from fleet_deliveries where next_at <= 1e15 and url = 'push:') + (select count(*) from fleet_pushes) as left"
    await until(async () => Number((await database.rows<{ left: string }>(left))[0]?.left) === 0)
  }

  test("each device of whoever may decide is told once, by whichever of several servers, and of nothing else", async () => {
    await adds("operator", "phone")
    await adds("operator", "desk")
    await adds("admin", "root-phone")
    await asks("before", operator, "old")
    const others = [valueOf(await openFleetStore(database)), valueOf(await openFleetStore(database))]
    const stops = [server.store, ...others].map((store) => startIn(store))
    await asks("mine", operator, `rm ${evilLine}`, "ls")
    await asks("yours", "ann", "make")
    await settled()
    for (const name of ["phone", "desk"]) {
      const told = textsTo(name)
      expect(told.map(({ sessionId }) => sessionId).toSorted()).toEqual(["before", "mine", "mine"])
      expect(told.every(({ body }) => body.length <= 320 && !body.includes("\u202e"))).toBe(true)
    }
    // An admin hears of others' sessions only if they want to.
    expect(textsTo("root-phone")).toEqual([])
    await server.ask("POST", "/api/notifications", { as: "admin", body: { hearsAll: true } })
    await server.ask("POST", "/api/notifications", { as: "operator", body: { hearsAll: true } })
    await asks("theirs", "ann", "make all")
    await settled()
    expect(textsTo("root-phone").map(({ sessionId }) => sessionId)).toEqual(["theirs"])
    expect(textsTo("phone")).toHaveLength(3)
    // Shared with them, they may decide, so they are told.
    await server.store.sharing.makeLink("yours", { secret: "share", role: "operator", forMs: 60_000 }, "ann")
    valueOf(await server.store.sharing.redeem("share", { name: operator, role: "operator" }))
    const again = await heldAgainAfter("yours")
    valueOf(await server.store.leases.park(again, { stage: "awaiting_tool_approval" }, [approval("q7", "make more")]))
    await settled()
    expect(textsTo("phone").map(({ sessionId }) => sessionId)).toContain("yours")
    for (const stop of stops) await stop()
    for (const store of others) await store.close()
    for (const { id } of await server.store.notifying.devices("the admin"))
      await server.ask("DELETE", `/api/devices/${id}`, { as: "admin" })
    expect(reports.splice(0)).toEqual([])
  }, 120_000)

  async function heldAgainAfter(id: string) {
    await server.store.sessions.wake(id)
    return heldAgain(server.store, id)
  }

  test("a device goes when its push service or its person says so, and with the token; what failed is tried again", async () => {
    const [gone, slow] = [await adds("operator", "gone"), await adds("operator", "slow")]
    service.answers.set("gone", [410])
    service.answers.set("slow", [503])
    const stop = startIn(server.store)
    await asks("retried", operator, "x")
    while (textsTo("slow").length < 1 || textsTo("gone").length < 1) await Bun.sleep(10)
    await until(async () => (await server.store.notifying.devices(operator)).every(({ id }) => id !== gone.id))
    while (reports.length === 0) await Bun.sleep(10)
    expect(reports.splice(0).join()).toContain(`a device of ${operator} failed: the push service answered 503`)
    for (let nudge = 0; textsTo("slow").length < 2; nudge++) {
      await database.rows("update fleet_pushes set next_at = 0")
      // Whatever begins to wait makes servers look at all that is due.
      await asks(`nudge-${nudge}`, "nobody", "x")
      await Bun.sleep(100)
    }
    await settled()
    await stop()
    expect(textsTo("slow")).toHaveLength(2)
    // Somebody else's device is none of one's own.
    expect((await server.ask("DELETE", `/api/devices/${slow.id}`, { as: "admin" })).status).toBe(404)
    expect((await server.ask("POST", `/api/devices/${slow.id}/test`, { as: "admin" })).status).toBe(404)
    expect((await server.ask("POST", `/api/devices/${slow.id}/test`, { as: "operator" })).status).toBe(204)
    expect((await server.ask("DELETE", `/api/devices/${slow.id}`, { as: "operator" })).status).toBe(204)
    valueOf(
      await server.store.tokens.add({ name: "leaver", role: "operator" }, "the-secret-of-leaver", undefined, "root"),
    )
    const body = { ...(await service.browser("leaver")), label: "x" }
    expect((await server.ask("POST", "/api/devices", { secret: "the-secret-of-leaver", body })).status).toBe(200)
    await server.store.tokens.revoke("leaver", "root")
    expect(await server.store.notifying.devices("leaver")).toEqual([])
  }, 120_000)

  test("a subscription that leads inside, is of another browser, or is nonsense is refused", async () => {
    const { endpoint, keys } = await service.browser("mine-alone")
    const add = async (more: object, as: "operator" | "admin" | "viewer" = "operator") =>
      (await server.ask("POST", "/api/devices", { as, body: { endpoint, keys, label: "x", ...more } })).status
    for (const inside of [
      "http://127.0.0.1:5432/",
      "https://[::1]/x",
      "https://169.254.169.254/latest/meta-data",
      "https://10.0.0.7/",
      "https://localhost/",
      "file:///etc/passwd",
      "https://u:p@push.example/",
      "gopher://x/",
    ])
      expect(await add({ endpoint: inside })).toBe(422)
    expect(await add({ keys: { ...keys, p256dh: "AAAA" } })).toBe(422)
    expect(await add({ keys: { ...keys, auth: "" } })).toBe(422)
    expect(await add({}, "viewer")).toBe(403)
    expect(await add({})).toBe(200)
    // Whoever only knows the address takes nothing over; the browser itself, used by somebody else, does.
    const other = await service.browser("other")
    expect(await add({ keys: other.keys }, "admin")).toBe(409)
    expect(await server.store.notifying.devices("the admin")).toEqual([])
    expect(await add({}, "admin")).toBe(200)
    expect((await server.store.notifying.devices(operator)).map((each) => each.endpoint)).not.toContain(endpoint)
    const shown = JSON.stringify((await server.ask("GET", "/api/notifications", { as: "admin" })).body)
    expect(shown).not.toContain(endpoint)
    expect(shown).not.toContain(keys.auth)
  }, 120_000)

  test("in quiet hours nothing is sent, unless it would expire; afterwards what still waits is", async () => {
    await adds("operator", "night")
    const here = new Intl.DateTimeFormat("en-GB", {
      timeZone: "UTC",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    })
    const at = (minutes: number): string => here.format(Date.now() + minutes * 60_000)
    const quiet = { from: at(-60), to: at(60), zone: "UTC" }
    const save = (body: object) => server.ask("POST", "/api/notifications", { as: "operator", body })
    expect((await save({ hearsAll: false, quiet })).status).toBe(204)
    expect((await save({ hearsAll: false, quiet: { ...quiet, zone: "Nowhere/At-All" } })).body).toEqual(
      refused("invalid"),
    )
    expect((await save({ hearsAll: false, quiet: { ...quiet, from: "7pm" } })).body).toEqual(refused("invalid"))
    const stop = startIn(server.store)
    const lease = await held(server.store, "nightly", operator)
    const asked = [
      approval("later", "later"),
      approval("decided", "decided"),
      approval("soon", "soon", { expiresInMs: 1_800_000 }),
    ]
    valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval" }, asked))
    while (textsTo("night").length < 1) await Bun.sleep(20)
    const waits = async () =>
      database.rows<{ approval: string }>(
        "select approval from fleet_pushes where session = 'nightly' and next_at > 0 and attempts = 0",
      )
    const deviceCount = (await server.store.notifying.devices(operator)).length
    await until(async () => (await waits()).length >= 2 * deviceCount)
    expect(textsTo("night").map(({ body }) => body)).toEqual(["Waits for approval: soon"])
    valueOf(
      await server.store.approvals.decide({
        sessionId: "nightly",
        approvalId: "decided",
        digest: "digest of decided",
        allows: false,
        answer: {},
        by: operator,
      }),
    )
    await save({ hearsAll: false })
    await database.rows("update fleet_pushes set next_at = 0")
    await asks("waker", "nobody", "x")
    await settled()
    await stop()
    expect(textsTo("night").map(({ body }) => body)).toEqual(["Waits for approval: soon", "Waits for approval: later"])
    expect((await server.ask("GET", "/api/notifications", { as: "operator" })).body).not.toHaveProperty("quiet")
  }, 120_000)

  /** A chat of one person, and the links that arrived there. */
  async function secretsFor(
    who: string,
    id: string,
    by: string,
    asked: NewApproval,
  ): Promise<DecisionLinks | undefined> {
    const heard: DecisionLinks[] = []
    const hook: Webhook = {
      url: `https://chat.example/#${id}`,
      for: who,
      send: ({ links }) => {
        if (links) heard.push(links)
        return Promise.resolve(true)
      },
    }
    const stop = await openWebhooks({
      store: server.store,
      hooks: [hook],
      mayDecide: mayDecideIn(server.store),
      newSecret: systemIds.uuid,
      clock: systemClock,
      report: (text) => reports.push(text),
    })
    const lease = await held(server.store, id, by)
    valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval" }, [asked]))
    await until(async () => (await server.store.deliveries.dueInMs([hook.url])) === undefined)
    await stop()
    expect(heard.length).toBeLessThan(2)
    return heard[0]
  }
  async function linksFor(who: string, id: string, by: string = operator) {
    const links = await secretsFor(who, id, by, approval("q0", `rm ${id}`))
    return links && "allow" in links ? links : undefined
  }
  async function answerLinkFor(id: string, asked: NewApproval, who: string = operator) {
    const links = await secretsFor(who, id, who, asked)
    if (!links || !("answer" in links)) throw new Error("no link came")
    return links.answer
  }
  const look = (link: string, headers = {}) => server.ask("POST", "/api/decide/look", { body: { link }, headers })
  const use = (link: string, headers = {}, answer: object = {}) =>
    server.ask("POST", "/api/decide", { body: { link, ...answer }, headers })
  const stateOf = async (id: string) =>
    (await server.store.approvals.of(id)).map(({ state, decidedBy }) => [state, decidedBy])

  test("a link shows the whole action and decides once, as its person; opening it decides nothing", async () => {
    const links = await linksFor(operator, "linked")
    if (!links) throw new Error("no links came")
    expect((await look(links.allow)).body).toMatchObject({
      who: operator,
      decision: "allow",
      state: "open",
      sessionTitle: "Session linked",
      approval: { action: { input: { command: "rm linked" } }, risks: ['removes "files"', "a,b"] },
    })
    expect(await look("cut-off")).toMatchObject({
      status: 404,
      body: { error: { message: "This link is not valid. What is still open is in your inbox." } },
    })
    for (const path of ["/api/decide", "/api/decide/look", `/decide/${links.allow}`, `/api/decide?link=${links.allow}`])
      await server.ask("GET", path)
    expect(await stateOf("linked")).toEqual([["open", undefined]])
    expect((await use(links.deny)).body).toMatchObject({ state: "denied", effective: true, decidedBy: operator })
    expect((await use(links.deny)).body).toEqual(refused("conflict"))
    expect((await look(links.deny)).body).toMatchObject({ state: "used", decided: { state: "denied", by: operator } })
    expect((await look(links.allow)).body).toMatchObject({
      state: "decided",
      decided: { state: "denied", by: operator },
    })
    expect((await use(links.allow)).body).toMatchObject({ effective: false, state: "denied" })
    expect(JSON.stringify(await server.store.audit(0, 1000))).toContain("denied by a link")
  }, 120_000)

  /** A plan and a question, with what their links may be sent and may not. */
  const planInput = {
    plan: "# Plan\n\nDo it.",
    path: "/plans/p.md",
    modes: ["bypassPermissions", "default", "acceptEdits"],
    wishes: [{ prompt: "run tests", covers: "npm test" }],
  }
  const questions = [
    { question: "Which color?", header: "Color", options: [{ label: "Red", description: "" }], multiSelect: false },
    { question: "Which sizes?", header: "Sizes", options: [{ label: "S", description: "" }], multiSelect: true },
  ]
  const asking = {
    plan: (id: string) =>
      approval("q0", id, { kind: "plan", title: "Plan", action: { tool: "ExitPlanMode", input: planInput } }),
    question: (id: string) =>
      approval("q0", id, { kind: "question", action: { tool: "AskUserQuestion", input: { questions } } }),
  } as const
  const answers = { "Which color?": "Red", "Which sizes?": "S, XL" }

  test.each([
    ["plan", { to: "plan/approve", mode: "acceptEdits", wishes: ["run tests"], feedback: "Go" }, "allowed"],
    ["plan", { to: "plan/approve" }, "allowed"],
    ["plan", { to: "plan/approve", plan: "# Less" }, "allowed"],
    ["plan", { to: "plan/reject", feedback: "Smaller steps" }, "denied"],
    ["question", { to: "answer", answers }, "allowed"],
    ["question", { to: "approval", decision: "deny" }, "denied"],
  ] as const)(
    "a link to a %s shows all of it and sends one answer: %j",
    async (kind, answer, state) => {
      const id = `answered ${kind} ${JSON.stringify(answer).length}`
      const link = await answerLinkFor(id, asking[kind](id))
      const { body: seen } = await look(link)
      expect(seen).toMatchObject({ who: operator, decision: "answer", state: "open", approval: { kind } })
      // Nothing that its reader may not choose.
      if (kind === "plan")
        expect(seen).toMatchObject({
          approval: { action: { input: { ...planInput, modes: ["default", "acceptEdits"] } } },
        })
      expect(await stateOf(id)).toEqual([["open", undefined]])
      expect((await use(link, {}, answer)).body).toMatchObject({ state, effective: true, decidedBy: operator })
      expect((await use(link, {}, answer)).body).toEqual(refused("conflict"))
      expect((await look(link)).body).toMatchObject({ state: "used", decided: { state, by: operator } })
      expect((await look(link)).body).not.toHaveProperty("approval")
      const { to, ...said } = answer
      const kept = to === "plan/approve" && !("mode" in said) ? { ...said, mode: "default" } : said
      expect((await server.store.approvals.of(id)).map((each) => each.answer)).toEqual([kept])
      const words = (await server.store.audit(0, 10_000)).filter(({ sessionId }) => sessionId === id)
      expect(words.map(({ what }) => what).join()).toContain(`${state === "allowed" ? "approved" : "denied"} by a link`)
    },
    120_000,
  )

  test.each([
    ["plan", {}, "invalid"],
    ["plan", { to: "answer", answers }, "invalid"],
    ["plan", { to: "approval", decision: "deny" }, "invalid"],
    ["plan", { to: "approval", decision: "allow" }, "invalid"],
    ["plan", { to: "plan/approve", mode: "bypassPermissions" }, "forbidden"],
    ["plan", { to: "plan/approve", mode: "plan" }, "invalid"],
    ["plan", { to: "plan/approve", mode: "auto" }, "invalid"],
    ["plan", { to: "plan/approve", wishes: ["everything"] }, "invalid"],
    ["plan", { to: "plan/approve", approval: "q1" }, "invalid"],
    ["plan", { to: "plan/approve", digest: "digest of another" }, "invalid"],
    ["plan", { to: "plan/reject", feedback: "no", mode: "default" }, "invalid"],
    ["question", {}, "invalid"],
    ["question", { to: "plan/approve" }, "invalid"],
    ["question", { to: "answer", answers: {} }, "invalid"],
    ["question", { to: "answer", answers: { ...answers, "Which color?": " " } }, "invalid"],
    ["question", { to: "answer", answers: { ...answers, "And your password?": "x" } }, "invalid"],
    ["question", { to: "answer", answers: { ...answers, "Which color?": { a: 1 } } }, "invalid"],
    ["question", { to: "answer", answers, remember: "user", rules: ["Bash"] }, "invalid"],
  ] as const)(
    "what does not fit a %s is refused, and its link still works: %j",
    async (kind, answer, code) => {
      unfit++
      const id = `unfit ${unfit}`
      const link = await answerLinkFor(id, asking[kind](id))
      expect((await use(link, {}, answer)).body).toEqual(refused(code))
      expect(await stateOf(id)).toEqual([["open", undefined]])
      expect((await look(link)).body).toMatchObject({ state: "open" })
    },
    120_000,
  )
  let unfit = 0

  test("a form has no link, an action's link takes no answer, and a mode is judged by the role as it is then", async () => {
    const form = approval("q0", "form", {
      kind: "elicitation",
      action: { tool: "mail", input: { message: "Password?" } },
    })
    expect(await secretsFor(operator, "form", operator, form)).toBeUndefined()
    const links = await linksFor(operator, "without-answer")
    const said = await use(links?.allow ?? "", {}, { to: "answer", answers })
    expect(said.body).toEqual(refused("invalid"))
    expect(await stateOf("without-answer")).toEqual([["open", undefined]])
    valueOf(await server.store.tokens.add({ name: "eve", role: "admin" }, "the-secret-of-eve", undefined, "root"))
    const link = await answerLinkFor("demoted", asking.plan("demoted"), "eve")
    expect((await look(link)).body).toMatchObject({ approval: { action: { input: { modes: planInput.modes } } } })
    await server.store.tokens.revoke("eve", "root")
    await server.store.tokens.remember({ name: "eve", role: "operator" })
    expect((await use(link, {}, { to: "plan/approve", mode: "bypassPermissions" })).body).toEqual(refused("forbidden"))
    await server.store.tokens.remember({ name: "eve", role: "viewer" })
    expect((await look(link)).body).toMatchObject({ state: "forbidden", sessionTitle: "" })
    expect((await use(link, {}, { to: "plan/approve" })).body).toEqual(refused("forbidden"))
    await server.store.tokens.remember({ name: "eve", role: "admin" })
    expect((await use(link, {}, { to: "plan/approve", mode: "bypassPermissions" })).body).toMatchObject({
      effective: true,
    })
  }, 120_000)

  test("links that are forged, cut, late, of a changed action or of somebody else decide nothing", async () => {
    const links = await linksFor(operator, "attacked")
    if (!links) throw new Error("no links came")
    for (const link of [
      systemIds.uuid(),
      links.allow.slice(0, -1),
      `${links.allow}a`,
      links.allow.toUpperCase(),
      `${links.allow}' or true --`,
    ])
      expect((await use(link)).body).toEqual(refused("not_found"))
    expect((await server.ask("POST", "/api/decide", { body: { link: links.allow, approval: "other" } })).body).toEqual(
      refused("invalid"),
    )
    // Signed in as somebody else.
    expect((await use(links.allow, { authorization: `Bearer ${secretOf("admin")}` })).body).toEqual(
      refused("forbidden"),
    )
    // From a page of another site.
    expect((await use(links.allow, { origin: "https://evil.example" })).body).toEqual(refused("forbidden"))
    await database.rows("update fleet_decision_links set expires_at = 0 where session = 'attacked' and allows = false")
    expect((await look(links.deny)).body).toMatchObject({ state: "expired" })
    expect((await use(links.deny)).body).toEqual(refused("expired"))
    // The same question about another action, and then about the first one again.
    const changed = await heldAgainAfter("attacked")
    valueOf(await server.store.leases.park(changed, { stage: "awaiting_tool_approval" }, [approval("q0", "rm -rf /")]))
    expect((await look(links.allow)).body).toMatchObject({ state: "changed" })
    expect(JSON.stringify((await look(links.allow)).body)).not.toContain("rm -rf")
    expect((await use(links.allow)).body).toEqual(refused("void"))
    const back = await heldAgainAfter("attacked")
    valueOf(await server.store.leases.park(back, { stage: "awaiting_tool_approval" }, [approval("q0", "rm attacked")]))
    expect((await use(links.allow)).body).toEqual(refused("void"))
    expect((await stateOf("attacked")).filter(([state]) => state === "allowed" || state === "denied")).toEqual([])
  }, 120_000)

  test("nobody gets links for what they may not decide, and a link is worth nothing once its person is gone", async () => {
    expect(await linksFor("the viewer", "not-theirs")).toBeUndefined()
    expect(await linksFor(operator, "not-mine", "ann")).toBeUndefined()
    expect(await linksFor("nobody", "unknown", "nobody")).toBeUndefined()
    valueOf(await server.store.tokens.add({ name: "bob", role: "operator" }, "the-secret-of-bob", undefined, "root"))
    const links = await linksFor("bob", "of-bob", "bob")
    if (!links) throw new Error("no links came")
    await server.store.tokens.revoke("bob", "root")
    expect((await look(links.allow)).body).toMatchObject({ state: "forbidden", sessionTitle: "" })
    expect((await look(links.allow)).body).not.toHaveProperty("approval")
    expect((await use(links.allow)).body).toEqual(refused("forbidden"))
    expect(await stateOf("of-bob")).toEqual([["open", undefined]])
    // Somebody who signed in with an account and has no token is known for a while.
    await server.store.tokens.remember({ name: "bob", role: "operator" })
    expect((await use(links.allow)).body).toMatchObject({ effective: true })
  }, 120_000)

  test("of answers that come together by link, page and API exactly one counts, and all are told which", async () => {
    for (const round of [1, 2, 3]) {
      const id = `raced-${round}`
      const links = await linksFor(operator, id)
      if (!links) throw new Error("no links came")
      const decide = (as: "operator" | "admin", decision: string) =>
        server.ask("POST", `/api/sessions/${id}/approvals/q0`, { as, body: { decision, digest: `digest of rm ${id}` } })
      const all = await Promise.all([
        use(links.allow),
        use(links.deny),
        decide("admin", "deny"),
        use(links.allow),
        decide("operator", "allow"),
        use(links.deny),
      ])
      const bodies = all.map(({ body }) => body as { effective?: boolean; state?: string; error?: { code: string } })
      expect(bodies.filter(({ effective }) => effective === true)).toHaveLength(1)
      const winner = bodies.find(({ effective }) => effective === true)?.state
      expect(new Set(bodies.flatMap(({ state }) => state ?? []))).toEqual(new Set([winner ?? ""]))
      expect([...new Set(bodies.flatMap(({ error }) => error?.code ?? ["conflict"]))]).toEqual(["conflict"])
    }
    const decided = (await server.store.audit(0, 10_000)).filter(
      ({ sessionId = "", what }) => sessionId.startsWith("raced-") && /^(approved|denied)/.test(what),
    )
    expect(decided).toHaveLength(3)
  }, 120_000)

  test("of answers to a plan and a question that come together by link, page and API exactly one counts", async () => {
    for (const kind of ["plan", "question"] as const) {
      const id = `together-${kind}`
      const link = await answerLinkFor(id, asking[kind](id))
      const yes = kind === "plan" ? { to: "plan/approve", mode: "default" } : { to: "answer", answers }
      const no = kind === "plan" ? { to: "plan/reject", feedback: "No" } : { to: "approval", decision: "deny" }
      const byApi = (as: "operator" | "admin", { to, ...body }: { readonly to: string }) => {
        const path = to === "answer" ? "answers/q0" : to === "approval" ? "approvals/q0" : to
        return server.ask("POST", `/api/sessions/${id}/${path}`, { as, body: { ...body, digest: `digest of ${id}` } })
      }
      const all = await Promise.all([
        use(link, {}, yes),
        byApi("admin", no),
        use(link, {}, no),
        byApi("operator", yes),
        use(link, {}, yes),
      ])
      const bodies = all.map(({ body }) => body as { effective?: boolean; state?: string; error?: { code: string } })
      expect(bodies.filter(({ effective }) => effective === true)).toHaveLength(1)
      expect(new Set(bodies.flatMap(({ state }) => state ?? [])).size).toBe(1)
      expect([...new Set(bodies.flatMap(({ error }) => error?.code ?? ["conflict"]))]).toEqual(["conflict"])
      expect((await stateOf(id)).filter(([state]) => state !== "open")).toHaveLength(1)
      // Asked again about something else: the link is about what was, and shows nothing of what is.
      const other = await answerLinkFor(`${id} changed`, asking[kind](`${id} changed`))
      const lease = await heldAgainAfter(`${id} changed`)
      valueOf(await server.store.leases.park(lease, { stage: "awaiting_answer" }, [asking[kind]("of a new secret")]))
      expect((await look(other)).body).toMatchObject({ state: "changed" })
      expect(JSON.stringify((await look(other)).body)).not.toContain("of a new secret")
      expect((await use(other, {}, yes)).body).toEqual(refused("void"))
      await database.rows("update fleet_decision_links set expires_at = 0 where session = $1", [`${id} changed`])
      expect((await use(other, {}, yes)).body).toEqual(refused("expired"))
    }
  }, 120_000)

  test("the document of the API is true of all of this", async () => {
    const document = (await server.ask("GET", "/api/openapi.json", { as: "viewer" })).body as JsonObject
    const asked = server.heard.filter(({ method, path }) => method !== "GET" || !path.startsWith("/api/decide"))
    expect(undocumented(document, asked)).toEqual([])
  })

  test("whoever guesses links is slowed down, and people with tokens are not", async () => {
    const small = await openTestServer(database, { limits: { strangers: { burst: 5, perSecond: 0.001 } } })
    const statuses: number[] = []
    for (let at = 0; at < 8; at++)
      statuses.push(
        (await small.ask("POST", "/api/decide/look", { body: { link: `a-guess-that-is-wrong-${at}` } })).status,
      )
    expect(statuses.slice(-2)).toEqual([429, 429])
    expect((await small.ask("GET", "/api/me", { as: "operator" })).status).toBe(200)
    await small.close()
  }, 120_000)
}
