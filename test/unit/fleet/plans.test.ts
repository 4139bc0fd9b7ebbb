/**
 * Every function of a fleet's store is called once on tables that have grown for long, and every statement it runs is explained: none may walk through
 * a table that grows. A function that is not called here fails the test, so that no statement escapes it.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { messageOp } from "#fleet/ops.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { Database } from "#lib/database.ts"
import { opened } from "../../kit/database/databases.ts"
import { hasPostgres, openPostgres, type PostgresDatabase } from "../../kit/database/postgres-server.ts"
import { explained, type Explained, type Statement } from "../../kit/fleet/explained.ts"
import { fillFleet, fillPage } from "../../kit/fleet/many-rows.ts"
import { approval, longMs, session, worker } from "../../kit/fleet/records.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"

const finished = Number(process.env["CODEWRIGHT_FLEET_FINISHED"] ?? 20_000)

/** As many rows as there are workers, users, addresses or people who look right now. */
const bounded: ReadonlySet<string> = new Set([
  "fleet_chores",
  "fleet_hooks",
  "fleet_templates",
  "fleet_wishes",
  "fleet_tokens",
  "fleet_watched",
  "fleet_workers",
  "migrations",
])

/** Rows of one kind of node: more than a page of anything, and far less than there are. */
const mostRows = 2_900

/** Asked for by a person, or a few times a day. */
const rare: ReadonlySet<string> = new Set(["erasing.person", "trees.unneeded", "lists.find", "lists.usage"])

/** Counts everything that is not over: as much as a fleet has at work, however long its past is. */
const counting: ReadonlySet<string> = new Set(["figures"])

const hook = "https://hook.example/"

const device = {
  id: "d",
  who: "user7",
  endpoint: "https://push.example/7",
  p256dh: "",
  auth: "",
  serverKey: "key",
  label: "",
}

describe.skipIf(!hasPostgres)("statements on tables that have grown", () => {
  let server: PostgresDatabase
  let database: Database
  let counted: Explained
  let store: FleetStore
  let lease: Lease

  beforeAll(async () => {
    server = await openPostgres()
    // A million sessions are made by statements that take minutes.
    database = await opened({ kind: "server", url: server.url, silentMs: 3_600_000 })
    counted = explained(database)
    store = valueOf(await openFleetStore(counted.database))
    await fillFleet(database, finished)
    await fillPage(database)
    await database.rows("update fleet_workers set has_room = true")
  }, 3_600_000)
  afterAll(async () => {
    await store.close()
    await database.close()
    await server[Symbol.asyncDispose]()
  })

  /** In this order: what one needs, those before it have made. */
  const calls: { readonly [name: string]: () => Promise<unknown> } = {
    "tokens.add": () => store.tokens.add({ name: "ann", role: "operator" }, "secret", undefined, "root"),
    "tokens.list": () => store.tokens.list(),
    "tokens.owner": () => store.tokens.owner("digest"),
    "tokens.signIn": () => store.tokens.signIn("cookie", "digest", longMs),
    "tokens.signedIn": () => store.tokens.signedIn("cookie"),
    "tokens.signOut": () => store.tokens.signOut("cookie"),
    "tokens.roleOf": () => store.tokens.roleOf("ann"),
    "tokens.remember": () => store.tokens.remember({ name: "user7", role: "operator" }),
    "tokens.revoke": () => store.tokens.revoke("ann", "root"),
    "leases.beat": () => store.leases.beat(worker("me", { labels: ["mine"], workplaces: "/works" }), [], longMs),
    "leases.makeRoom": () => store.leases.makeRoom("me"),
    "deliveries.delivered": () => store.deliveries.delivered(hook),
    once: () =>
      store.once({ who: "ann", key: "k", digest: "d" }, async (records) => {
        const opening = { workspace: { path: "/mine/project" } }
        await records.sessions.create(session("mine", { labels: ["mine"], opening }), "ann")
        return null
      }),
    "sessions.create": () => store.sessions.create(session("mine-member", { labels: ["mine"], lead: "mine" }), "ann"),
    "sessions.createAlone": async () => {
      const opening = { workspace: { path: "/alone/project" } }
      await store.sessions.createAlone(session("alone", { labels: ["alone"], opening }), "ann")
      await store.sessions.createAlone(session("not-alone", { labels: ["alone"], opening }), "ann")
    },
    "sessions.get": () => store.sessions.get("mine"),
    "sessions.list": async () => {
      await store.sessions.list({ limit: 50 })
      await store.sessions.list({ limit: 50, after: "done-5000" })
      await store.sessions.list({ limit: 50, createdBy: "user7" })
      await store.sessions.list({ limit: 50, createdBy: "nobody", stages: ["executing", "failed"] })
      await store.sessions.list({ limit: 50, stages: ["awaiting_tool_approval", "planning"], after: "done-9000" })
    },
    "sessions.sharingFolder": () => store.sessions.sharingFolder("mine"),
    "sessions.wake": () => store.sessions.wake("mine"),
    "leases.acquire": async () => {
      const taken = await store.leases.acquire("me", longMs)
      if (!taken) throw new Error("nothing was taken")
      lease = taken
      // And one for whom there is nothing.
      await store.leases.beat(worker("other", { labels: ["other"], workplaces: "/none" }), [], longMs)
      await store.leases.acquire("w1", longMs)
      await store.leases.acquire("w1", longMs, { quotas: { userSessions: 1, repositorySessions: 1 } })
      await store.leases.beat(worker("me", { labels: ["mine"], workplaces: "/works" }), [lease], longMs)
    },
    "leases.attend": () => store.leases.attend(lease),
    "leases.settle": () => store.leases.settle(lease, "/works/mine"),
    "leases.report": async () => {
      await store.leases.report(lease, { costUsd: 1 })
      await store.leases.report(lease, { costUsd: 2, stage: "planning" })
    },
    "leases.workers": () => store.leases.workers(),
    "lines.ship": async () => {
      await store.lines.ship(lease, 1, ["one", "two"])
      await store.lines.ship(lease, 2, ["two", "three"])
    },
    "lines.isWatched": () => store.lines.isWatched(lease.sessionId),
    "lines.pass": () => store.lines.pass(lease, ["moment"]),
    "lines.after": () => store.lines.after("done-7", 1, 100),
    "lines.events": () => store.lines.events("done-7", 1, 100),
    "ops.add": () => store.ops.add(lease.sessionId, "op", messageOp("more"), "ann"),
    "ops.get": () => store.ops.get(lease.sessionId, "op"),
    "ops.waiting": () => store.ops.waiting(lease.sessionId),
    "ops.finish": () => store.ops.finish(lease, "op"),
    "trees.begin": () => store.trees.begin(lease, "base"),
    "trees.get": () => store.trees.get(lease.sessionId),
    "trees.keep": () =>
      store.trees.keep(lease, {
        lane: "files",
        state: "s",
        place: "database",
        part: new Uint8Array([1]),
        replaces: true,
      }),
    "trees.parts": () => store.trees.parts(lease.sessionId, "files"),
    "trees.fallBehind": () => store.trees.fallBehind(lease, "why"),
    "trees.unneeded": () => store.trees.unneeded(longMs, 50),
    "trees.forget": () => store.trees.forget(lease.sessionId),
    "spending.spent": () => store.spending.spent(),
    "spending.atWork": () => store.spending.atWork(),
    "spending.running": () => store.spending.running(),
    "spending.inTurn": () =>
      store.spending.inTurn(lease, lease.sessionId, () => ({
        spent: { costUsd: 1, tokens: 1 },
        reserved: { costUsd: 0, tokens: 0 },
      })),
    "spending.of": () => store.spending.of(lease.sessionId),
    "teams.open": async () => {
      const team = await store.teams.open(lease, { name: "t", lead: "lead" })
      await team.roster.join(newcomer("lead", lease.sessionId))
      await team.board.create({ subject: "s", description: "d" })
      await team.moment()
      await team.close()
    },
    "teams.has": () => store.teams.has(lease.sessionId, "t"),
    "teams.of": async () => {
      await store.teams.of(lease.sessionId)
      await store.teams.of("done-10")
    },
    "teams.owes": () => store.teams.owes(lease.sessionId),
    "teams.handDown": () => store.teams.handDown(lease, "t", {}),
    "teams.handed": () => store.teams.handed(lease.sessionId, "t"),
    "teams.remove": () => store.teams.remove(lease, "t"),
    "changes.keep": () => store.changes.keep(lease, { lines: 1, summary: {} as never }, []),
    "changes.published": () => store.changes.published(lease, { branch: "b" } as never),
    "leases.park": () =>
      store.leases.park(lease, { stage: "awaiting_tool_approval" }, [
        approval("a", "ls"),
        approval("b", "rm", { expiresInMs: 1 }),
      ]),
    "approvals.of": () => store.approvals.of(lease.sessionId),
    "approvals.ofAll": () => store.approvals.ofAll([lease.sessionId, "done-7"]),
    "approvals.open": async () => {
      await store.approvals.open("user7")
    },
    "approvals.openPage": async () => {
      await store.approvals.openPage({ limit: 100 })
      await store.approvals.openPage({ limit: 100, createdBy: "ann" })
    },
    "approvals.decide": () =>
      store.approvals.decide({
        sessionId: lease.sessionId,
        approvalId: "a",
        digest: "digest of ls",
        allows: true,
        answer: {},
        by: "ann",
      }),
    "approvals.decided": async () => {
      await store.approvals.decided({})
      await store.approvals.decided({ createdBy: "user7" })
      await store.approvals.decided({ sessionId: "done-7" })
    },
    "approvals.expire": () => store.approvals.expire(),
    "approvals.ran": async () => {
      lease = (await store.leases.acquire("me", longMs)) ?? lease
      await store.approvals.ran(lease, "a", { tool: "Bash", input: {} })
    },
    "deliveries.catchUp": () => store.deliveries.catchUp([hook]),
    "deliveries.due": () => store.deliveries.due([hook], 20),
    "deliveries.hold": () => store.deliveries.hold("1", 5),
    "notifying.wishesOf": () => store.notifying.wishesOf("user7"),
    "notifying.saveWishes": () => store.notifying.saveWishes("user7", { hearsAll: false }),
    "notifying.devices": () => store.notifying.devices("user7"),
    "notifying.addDevice": () => store.notifying.addDevice(device),
    "notifying.removeDevice": () => store.notifying.removeDevice("user7", "d"),
    "notifying.forgetDevice": () => store.notifying.forgetDevice("device 8"),
    "notifying.fanOut": () => store.notifying.fanOut(20),
    "notifying.due": () => store.notifying.due("key", 20),
    "notifying.dueInMs": () => store.notifying.dueInMs("key"),
    "notifying.hold": () => store.notifying.hold("1", 5),
    "notifying.retry": () => store.notifying.retry("1"),
    "notifying.sent": () => store.notifying.sent({ id: "1", device: { ...device, addedAt: 0 } }),
    "notifying.drop": () => store.notifying.drop("2"),
    "decisionLinks.make": () => store.decisionLinks.make("9", { secret: "s", who: "ann", allows: true, forMs: longMs }),
    "decisionLinks.find": () => store.decisionLinks.find("s"),
    "decisionLinks.use": () => store.decisionLinks.use("s"),
    "deliveries.dueInMs": () => store.deliveries.dueInMs([hook]),
    "deliveries.done": () => store.deliveries.done("1"),
    "leases.handOver": () => store.leases.handOver(lease),
    "leases.leave": () => store.leases.leave("w5"),
    "sessions.cancel": () => store.sessions.cancel("mine-member", "ann"),
    "changes.known": () => store.changes.known("done-7"),
    "changes.files": () => store.changes.files("done-7", 0, 100),
    "changes.file": () => store.changes.file("done-7", "f"),
    "changes.publications": () => store.changes.publications("done-7"),
    "comments.add": () => store.comments.add("done-7", { id: "c", by: "ann", text: "Why?" }),
    "comments.list": () => store.comments.list("done-7"),
    "comments.send": () =>
      store.comments.send("done-7", ["c"], { opId: "comments", by: "ann", op: () => messageOp("Why?") }),
    "comments.remove": () => store.comments.remove("done-7", "c"),
    "lists.find": () => store.lists.find({ words: "title", limit: 50 }),
    "lists.chosen": () => store.lists.chosen("user7"),
    "lists.people": () => store.lists.people(),
    "lists.usage": () => store.lists.usage(longMs),
    "lists.saveTemplate": () => store.lists.saveTemplate({ name: "t", prompt: "p" }, "ann"),
    "lists.templates": () => store.lists.templates(),
    "lists.removeTemplate": () => store.lists.removeTemplate("t", "ann"),
    "sharing.makeLink": () =>
      store.sharing.makeLink("done-7", { secret: "link", role: "viewer", forMs: longMs }, "ann"),
    "sharing.redeem": () => store.sharing.redeem("link", { name: "bob", role: "viewer" }),
    "sharing.roleOf": () => store.sharing.roleOf("done-7", "bob"),
    "sharing.with": () => store.sharing.with("done-7"),
    "sharing.revoke": () => store.sharing.revoke("done-7", undefined, "ann"),
    "sharing.handOver": () => store.sharing.handOver("done-7", "ann", "root"),
    figures: () => store.figures(),
    audit: () => store.audit(0, 100),
    note: () => store.note("ann", "signed in"),
    "erasing.old": () => store.erasing.old(80 * 86_400_000, 100),
    "erasing.one": () => store.erasing.one("done-11", "ann"),
    "erasing.audit": () => store.erasing.audit(80 * 86_400_000, 1_000),
    "erasing.sent": () => store.erasing.sent(1_000),
    "erasing.after": () => store.erasing.after(0, 100),
    "erasing.unpublished": () => store.erasing.unpublished("gone-1"),
    "erasing.person": () => store.erasing.person("user3", "ann"),
  }

  test("every function is called", () => {
    const watching = new Set(["watch", "watchChanges", "watchWorker", "watchErased", "close"])
    const all = Object.entries(store).flatMap(([room, value]: [string, object]) =>
      typeof value === "function" ? room : Object.keys(value).map((name) => `${room}.${name}`),
    )
    expect(all.filter((name) => !watching.has(name)).toSorted()).toEqual(Object.keys(calls).toSorted())
  })

  test("none walks through what grows", async () => {
    // Whoever watches a session and lists, so that telling them is part of it.
    const unwatch = [store.watch("mine", () => undefined), store.watchChanges(() => undefined)]
    await Bun.sleep(300)
    expect(counted.drain().flatMap((statement) => wrongIn(statement))).toEqual([])
    const wrong: string[] = []
    for (const [name, call] of Object.entries(calls)) {
      await call()
      const found = counted.drain()
      const most = counting.has(name) ? finished / 2 : mostRows
      const faults = found.flatMap((statement) => wrongIn(statement, most))
      if (!rare.has(name)) wrong.push(...faults.map((text) => `${name}: ${text}`))
    }
    for (const stop of unwatch) stop()
    expect(wrong).toEqual([])
  }, 3_600_000)
})

function wrongIn({ text, scans }: Statement, most = mostRows): readonly string[] {
  return scans.flatMap(({ kind, table, rows }) => {
    if (bounded.has(table) || rows === 0) return []
    if (kind === "Seq Scan") return [`walks through ${table} (${rows} rows): ${text}`]
    return rows > most ? [`reads ${rows} rows of ${table}: ${text}`] : []
  })
}
