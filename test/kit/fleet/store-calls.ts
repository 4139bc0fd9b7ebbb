/** Every function of a fleet's store, called once or more: for whoever looks at what its statements cost. */

import { messageOp } from "#fleet/ops.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { newcomer } from "../team/conformance.ts"
import { approval, longMs, session, worker } from "./records.ts"

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

/** In this order: what one needs, those before it have made. */
export function storeCalls(store: FleetStore): { readonly [name: string]: () => Promise<unknown> } {
  let lease: Lease
  return {
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
    "deliveries.postpone": () => store.deliveries.postpone("1", 5),
    "notifying.wishesOf": () => store.notifying.wishesOf("user7"),
    "notifying.saveWishes": () => store.notifying.saveWishes("user7", { hearsAll: false }),
    "notifying.devices": () => store.notifying.devices("user7"),
    "notifying.addDevice": () => store.notifying.addDevice(device),
    "notifying.removeDevice": () => store.notifying.removeDevice("user7", "d"),
    "notifying.forgetDevice": () => store.notifying.forgetDevice("device 8"),
    "notifying.fanOut": () => store.notifying.fanOut(20),
    "notifying.due": () => store.notifying.due("key", 20),
    "notifying.dueInMs": () => store.notifying.dueInMs("key"),
    "notifying.postpone": () => store.notifying.postpone("1", 5),
    "notifying.retry": () => store.notifying.retry("1"),
    "notifying.sent": () => store.notifying.sent({ id: "1", device: { ...device, addedAt: 0 } }),
    "notifying.drop": () => store.notifying.drop("2"),
    "decisionLinks.make": () => store.decisionLinks.make("9", { secret: "s", who: "ann", allows: true, forMs: longMs }),
    "decisionLinks.find": () => store.decisionLinks.find("s"),
    "decisionLinks.use": () => store.decisionLinks.use("s", { allows: true, answer: {} }),
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
    "lists.find": async () => {
      // A word that all have, one that few have, and what an operator with few sessions finds.
      await store.lists.find({ words: "title", limit: 50 })
      await store.lists.find({ words: "7654", limit: 50 })
      await store.lists.find({ words: "title 7654", limit: 50, after: "done-9000" })
      await store.lists.find({ words: "title", limit: 50, visibleTo: "nobody" })
      await store.lists.find({ createdBy: "user7", stages: ["completed"], limit: 50 })
      await store.lists.find({ place: "https://git.example/7.git", limit: 50 })
      await store.lists.find({ place: "/nowhere.git", limit: 50 })
    },
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
    async recentAudit() {
      await store.recentAudit({ before: 900_000 }, 200)
      return store.recentAudit({ who: "user7" }, 200)
    },
    note: () => store.note("ann", "signed in"),
    "erasing.old": () => store.erasing.old(80 * 86_400_000, 100),
    "erasing.one": () => store.erasing.one("done-11", "ann"),
    "erasing.audit": () => store.erasing.audit(80 * 86_400_000, 1_000),
    "erasing.sent": () => store.erasing.sent(1_000),
    "erasing.after": () => store.erasing.after(0, 100),
    "erasing.unpublished": () => store.erasing.unpublished("gone-1"),
    "erasing.person": () => store.erasing.person("user3", "ann"),
  }
}
