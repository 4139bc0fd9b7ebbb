/** Webhooks and budgets, with both engines: what waits is told until it arrives, and nothing is begun that cannot be paid. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Clock, systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import { watchBudgets } from "#fleet/budgets.ts"
import { openWebhooks, signature, type Webhook } from "#fleet/webhooks.ts"
import { onEngines } from "../../kit/database/engines.ts"
import { approval, held, heldAgain } from "../../kit/fleet/records.ts"
import { openTestServer, refused, type TestServer } from "../../kit/fleet/web-server.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { until } from "../../kit/until.ts"

onEngines(tells)

/** Rows that a test makes due are looked for soon, not when they would have been due. */
const impatient: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 250), signal),
}

interface Letter {
  readonly body: string
  readonly signature: string
  readonly delivery: string
}

/** Somebody who is told, and answers with the next status. */
function openReceiver(...statuses: readonly number[]) {
  const letters: Letter[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const status = statuses[letters.length] ?? 200
      letters.push({
        body: await request.text(),
        signature: request.headers.get("codewright-signature") ?? "",
        delivery: request.headers.get("codewright-delivery") ?? "",
      })
      return new Response("", { status })
    },
  })
  const hook: Webhook = {
    url: `http://127.0.0.1:${server.port}/`,
    send: ({ delivery: { id, approval: asked, session } }, signal) => {
      const [seconds, body] = [Math.floor(Date.now() / 1000), JSON.stringify({ id: asked.id, session: session.id })]
      const mark = `t=${seconds},v1=${signature("a secret", seconds, body)}`
      const headers = { "codewright-delivery": id, "codewright-signature": mark }
      return fetch(server.url, { method: "POST", body, headers, signal }).then(
        (response) => response.ok,
        () => false,
      )
    },
  }
  const heard = async (count: number): Promise<readonly Letter[]> => {
    while (letters.length < count) await Bun.sleep(10)
    return letters
  }
  return { hook, letters, heard, close: () => server.stop(true) }
}

function tells(connect: () => Promise<Database>): void {
  let database: Database
  let server: TestServer
  beforeAll(async () => {
    database = await connect()
    server = await openTestServer(database)
  }, 300_000)
  afterAll(async () => {
    await server.close()
    await database.close()
  })

  const report = (text: string): never => {
    throw new Error(text)
  }
  const start = (...hooks: readonly Webhook[]) => {
    const { store } = server
    return openWebhooks({
      store,
      hooks,
      clock: impatient,
      report,
      mayDecide: async () => true,
    })
  }
  const asks = async (id: string, ...questions: readonly string[]): Promise<void> => {
    const lease = await held(server.store, id)
    const asked = questions.map((each) => approval(each, `rm ${each}`))
    valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval" }, asked))
  }
  const isDueNow = async (id: string): Promise<void> => {
    await database.rows("update fleet_deliveries set next_at = 0 where next_at is not null")
    await server.store.sessions.wake(id)
  }

  test("what waits is told, signed, and again until it arrived, also after a restart", async () => {
    await asks("before", "old")
    const receiver = openReceiver(500, 200, 200)
    const stop = await start(receiver.hook)
    await asks("hooked", "q")
    const [first] = await receiver.heard(1)
    expect(JSON.parse(first?.body ?? "")).toEqual({ id: "q", session: "hooked" })
    const [, seconds = "", given = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(first?.signature ?? "") ?? []
    expect(given).toBe(signature("a secret", Number(seconds), first?.body ?? ""))
    expect(signature("another", Number(seconds), first?.body ?? "")).not.toBe(given)
    await stop()
    await isDueNow("hooked")
    const again = await start(receiver.hook)
    const [, second] = await receiver.heard(2)
    expect([second?.body, second?.delivery]).toEqual([first?.body ?? "", first?.delivery ?? ""])
    // It arrived: only what begins to wait now is told.
    await asks("hooked too", "r")
    const [, , third] = await receiver.heard(3)
    expect(JSON.parse(third?.body ?? "")).toEqual({ id: "r", session: "hooked too" })
    await again()
    expect(receiver.letters).toHaveLength(3)
    await receiver.close()
  })

  test("nobody is told of what was decided, and whoever never answers is given up", async () => {
    const receiver = openReceiver(...Array.from({ length: 20 }, () => 500))
    const stop = await start(receiver.hook)
    await asks("decided", "a", "b")
    await receiver.heard(2)
    const decision = {
      sessionId: "decided",
      approvalId: "a",
      digest: "digest of rm a",
      allows: true,
      answer: {},
      by: "ann",
    }
    valueOf(await server.store.approvals.decide(decision))
    for (let attempt = 2; attempt <= 8; attempt++) {
      await isDueNow("decided")
      await receiver.heard(attempt + 1)
    }
    await isDueNow("decided")
    await until(async () => JSON.stringify(await server.store.audit(0, 1000)).includes("gave up telling 127.0.0.1"))
    await stop()
    expect(receiver.letters.map(({ body }) => (JSON.parse(body) as { id: string }).id).toSorted()).toEqual([
      "a",
      ...Array.from({ length: 8 }, () => "b"),
    ])
    await receiver.close()
  })

  test("what sessions cost is counted by the day, and beyond the budget nothing begins or continues", async () => {
    const lease = await held(server.store, "costly", "the operator")
    valueOf(await server.store.leases.report(lease, { costUsd: 1.5 }))
    valueOf(await server.store.leases.report(lease, { costUsd: 2 }))
    const { users } = await server.store.spending.spent()
    expect(users.get("the operator")?.day).toBe(2)
    const budgets = { userUsdPerDay: 2, repositoryUsdPerMonth: 50 }
    const limited = await openTestServer(database, { budgets, quotas: { userSessions: 3 } })
    const quotasOf = async (as: "operator" | "admin") =>
      ((await limited.ask("GET", "/api/quotas", { as })).body as { quotas: readonly object[] }).quotas
    expect((await quotasOf("operator")).slice(0, 2)).toEqual([
      {
        of: "user",
        name: "the operator",
        what: "usd_per_day",
        used: 2,
        most: 2,
        setting: "server.budgets.userUsdPerDay",
      },
      { of: "user", name: "the operator", what: "sessions", used: 1, most: 3, setting: "server.quotas.userSessions" },
    ])
    // Whose sessions they may not decide in is theirs to know, but not what each of the others spends.
    const namesFor = async (as: "operator" | "admin") =>
      (await quotasOf(as)).flatMap((each) => ("of" in each && "name" in each && each.of === "user" ? each.name : []))
    expect(new Set(await namesFor("operator"))).toEqual(new Set(["the operator"]))
    expect(new Set(await namesFor("admin"))).toContain("the operator")
    const body = { prompt: "More", workspace: { path: "/w" }, labels: ["nobody"] }
    const create = await limited.ask("POST", "/api/sessions", { as: "operator", body })
    expect([create.status, create.body]).toEqual([403, refused("budget")])
    expect(JSON.stringify(create.body)).toContain("$2.00")
    const message = { as: "admin", body: { text: "Go on" } } as const
    expect((await limited.ask("POST", "/api/sessions/costly/messages", message)).body).toEqual(refused("budget"))
    expect((await limited.ask("POST", "/api/sessions", { as: "admin", body })).status).toBe(201)
    const stop = watchBudgets({ store: server.store, budgets, clock: systemClock, report })
    const kinds = async () => (await server.store.ops.waiting("costly")).map(({ op }) => op?.type)
    await until(async () => (await kinds()).includes("interrupt"))
    await stop()
    valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval" }, [approval("q", "rm a")]))
    const decide = (decision: string) =>
      limited.ask("POST", "/api/sessions/costly/approvals/q", {
        as: "operator",
        body: { decision, digest: "digest of rm a" },
      })
    expect((await decide("allow")).body).toEqual(refused("budget"))
    expect((await decide("deny")).status).toBe(200)
    await limited.close()
    const richer = await openTestServer(database, { budgets: { userUsdPerDay: 3, fleetUsdPerDay: 1 } })
    const all = await richer.ask("POST", "/api/sessions", { as: "admin", body })
    expect(JSON.stringify(all.body)).toContain("The budget of all users")
    await richer.close()
    // What a worker that lost the session says is not counted.
    await server.store.sessions.wake("costly")
    await heldAgain(server.store, "costly", "another")
    expect((await server.store.leases.report(lease, { costUsd: 50 })).ok).toBe(false)
    expect((await server.store.spending.spent()).users.get("the operator")?.day).toBe(2)
  })
}
