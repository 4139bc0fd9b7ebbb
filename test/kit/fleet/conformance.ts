/** What the records of a fleet must do, whichever engine keeps them. */

import { describe, expect } from "bun:test"
import { messageOp } from "#fleet/ops.ts"
import type { FleetStore } from "#fleet/store.ts"
import { tokenDigest } from "#fleet/database/tokens.ts"
import { newcomer, valueOf } from "../team/conformance.ts"
import type { Tell } from "../turns.ts"
import { budgetsConform } from "./budget-conformance.ts"
import { quotasConform } from "./quota-conformance.ts"
import { approval, held, heldAgain, longMs, session, worker } from "./records.ts"

/** `open` gives the same store each time, and `fresh` an id that no other test uses. */
export function fleetConformance(test: Tell, open: () => FleetStore, fresh: () => string): void {
  describe("sessions", () => sessionsConform(test, open, fresh))
  describe("leases", () => leasesConform(test, open, fresh))
  describe("quotas", () => quotasConform(test, open, fresh))
  describe("ops", () => opsConform(test, open, fresh))
  describe("teams", () => teamsConform(test, open, fresh))
  describe("lines", () => linesConform(test, open, fresh))
  describe("trees", () => treesConform(test, open, fresh))
  describe("moments", () => momentsConform(test, open, fresh))
  describe("approvals", () => approvalsConform(test, open, fresh))
  describe("budgets", () => budgetsConform(test, open, fresh))
  describe("tokens and keys", () => tokensConform(test, open, fresh))
}

const fenced = { ok: false, failure: { kind: "fenced" } } as const

function sessionsConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  test("a session is kept as it was given", async () => {
    const store = open()
    const id = fresh()
    const made = await store.sessions.create(
      session(id, { query: "Ünïcode 🙂", mode: "plan", labels: ["x,y", '"'] }),
      "ann",
    )
    expect(made).toEqual({
      ...session(id, { query: "Ünïcode 🙂", mode: "plan", labels: ["x,y", '"'] }),
      stage: "planning",
      costUsd: 0,
      lines: 0,
      events: 1,
      createdBy: "ann",
      createdAt: made.createdAt,
      updatedAt: made.updatedAt,
      ...(made.stuck !== undefined && { stuck: made.stuck }),
    })
    expect(await store.sessions.get(id)).toEqual(made)
    expect(await store.sessions.get("none")).toBeUndefined()
    expect(valueOf(await store.sessions.cancel(id, "bob"))).toBeUndefined()
    expect(await store.sessions.cancel("none", "bob")).toEqual({ ok: false, failure: { kind: "no_such_session" } })
  })

  test("the newest come first, in pages, by stage", async () => {
    const store = open()
    const ids = [fresh(), fresh(), fresh()]
    for (const id of ids) await store.sessions.create(session(id, { mode: "plan", labels: [id] }), "ann")
    const [first, second] = await store.sessions.list({ stages: ["planning"], limit: 2 })
    expect([first?.id, second?.id]).toEqual([ids[2] ?? "", ids[1] ?? ""])
    const [third] = await store.sessions.list({ stages: ["planning"], limit: 1, after: ids[1] ?? "" })
    expect(third?.id).toBe(ids[0] ?? "")
    for (const id of ids) valueOf(await store.sessions.cancel(id, "ann"))
  })

  test("whoever watches a session is told when it changed, and to look once nothing will be missed", async () => {
    const store = open()
    const id = fresh()
    let told = 0
    const end = store.watch(id, () => void told++)
    const another = store.watch(fresh(), () => void (told += 1000))
    while (told < 1001) await Bun.sleep(5)
    await store.sessions.create(session(id, { labels: [id] }), "ann")
    while (told === 1001) await Bun.sleep(5)
    end()
    another()
    expect(told).toBeLessThan(2000)
  })

  test("a worker is told of what is due, and one of many is", async () => {
    const store = open()
    const id = fresh()
    const names = [1, 2, 3, 4].map((nth) => `${id}_${nth}`)
    const told: string[] = []
    const ends = names.map((name) =>
      store.watchWorker(name, (notice) => void told.push(`${name} ${notice ? notice.kind : "listens"}`)),
    )
    for (const name of names) await store.leases.beat(worker(name, { labels: [id] }), [], longMs)
    while (told.length < names.length) await Bun.sleep(5)
    told.length = 0
    await store.sessions.create(session(id, { labels: [id] }), "ann")
    // A last word to each: what was said before it has been heard.
    for (const name of names) await store.sessions.create(session(`${id} ${name}`, { labels: [name] }), "ann")
    for (const name of names) await store.leases.beat(worker(name, { labels: [id, name] }), [], longMs)
    for (const name of names) await store.sessions.wake(`${id} ${name}`)
    while (told.length <= names.length) await Bun.sleep(5)
    await store.sessions.get(id)
    expect(told).toHaveLength(names.length + 1)
    for (const end of ends) end()
  })
}

function leasesConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  test("of many workers one gets a session, and it needs all its labels", async () => {
    const store = open()
    const id = fresh()
    await store.leases.beat(worker(`${id} without`, { labels: ["x"] }), [], longMs)
    const workers = Array.from({ length: 8 }, (_, i) => `${id} ${i}`)
    for (const name of workers) await store.leases.beat(worker(name, { labels: ["x", id] }), [], longMs)
    await store.sessions.create(session(id, { labels: [id] }), "ann")
    expect(await store.leases.acquire(`${id} without`, longMs)).toBeUndefined()
    expect(await store.leases.acquire("a worker that never said it lives", longMs)).toBeUndefined()
    const taken = await Promise.all(workers.map((name) => store.leases.acquire(name, longMs)))
    const lease = taken.find((each) => each !== undefined)
    expect(taken.filter((each) => each !== undefined)).toHaveLength(1)
    expect(lease).toMatchObject({ sessionId: id, fence: 1 })
    const { id: by, pid, host } = worker(lease?.worker ?? "")
    expect((await store.sessions.get(id))?.worker).toEqual({ id: by, pid, host })
    expect((await store.leases.workers()).find((each) => each.id === by)).toMatchObject({ busy: 1, slots: 4 })
  })

  test("a wake is heard of also by whoever lost the answer, and one that nobody attended to is not lost", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    const before = valueOf(await store.leases.attend(lease))
    await store.sessions.wake(id)
    const after = valueOf(await store.leases.attend(lease))
    expect(after).not.toBe(before)
    expect(valueOf(await store.leases.attend(lease))).toBe(after)
    await store.sessions.wake(id)
    valueOf(await store.leases.park(lease, { stage: "awaiting_answer" }))
    const again = await heldAgain(store, id)
    valueOf(await store.leases.attend(again))
    valueOf(await store.leases.park(again, { stage: "awaiting_answer" }))
    expect(await store.leases.acquire(again.worker, longMs)).toBeUndefined()
    expect(await store.leases.attend(lease)).toEqual({ ok: false, failure: { kind: "fenced" } })
  })

  test("what a worker says about its session is kept; parked, nobody holds it and nobody takes it", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    const plan = { markdown: "# P", digest: "d", filesToCreate: ["a"], filesToModify: [], commands: [], tests: [] }
    valueOf(await store.leases.report(lease, { title: "Better", stage: "executing", costUsd: 0.25, plan }))
    valueOf(await store.leases.park(lease, { stage: "awaiting_answer", clarifiedQuery: "Fix all" }))
    const now = await store.sessions.get(id)
    expect(now).toMatchObject({
      title: "Better",
      stage: "awaiting_answer",
      costUsd: 0.25,
      plan,
      clarifiedQuery: "Fix all",
    })
    expect(now?.worker).toBeUndefined()
    expect(await store.leases.acquire(lease.worker, longMs)).toBeUndefined()
    expect(await store.leases.report(lease, { title: "Late" })).toEqual(fenced)
    expect(await store.leases.park(lease, {})).toEqual(fenced)
    expect(await store.leases.beat(worker(lease.worker, { labels: [id] }), [lease], longMs)).toEqual([])
  })

  test("a session that is woken while it runs is taken again after it was parked", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    await store.sessions.wake(id)
    expect(await store.leases.acquire(lease.worker, longMs)).toBeUndefined()
    valueOf(await store.leases.park(lease, { stage: "completed" }))
    const again = await heldAgain(store, id)
    expect(again.fence).toBeGreaterThan(lease.fence)
    valueOf(await store.leases.park(again, {}))
    expect(await store.leases.acquire(lease.worker, longMs)).toBeUndefined()
    await store.sessions.wake(id)
    expect(await store.leases.acquire(lease.worker, longMs)).toMatchObject({ sessionId: id })
  })

  test("the session of a worker that is silent goes to another, and the first can change nothing any more", async () => {
    const store = open()
    const id = fresh()
    await store.sessions.create(session(id, { labels: [id] }), "ann")
    const old = await heldAgain(store, id, `${id} old`, 1)
    await Bun.sleep(5)
    const now = await heldAgain(store, id, `${id} new`)
    expect(now.fence).toBe(old.fence + 1)
    expect(await store.leases.report(old, { title: "Late" })).toEqual(fenced)
    expect(await store.leases.park(old, {})).toEqual(fenced)
    expect(await store.lines.ship(old, 1, ["x"])).toEqual(fenced)
    expect(await store.leases.beat(worker(now.worker, { labels: [id] }), [old, now], longMs)).toEqual([now])
    valueOf(await store.lines.ship(now, 1, ["x"]))
  })

  test("a worker that leaves lets go of its sessions", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    await store.leases.leave(lease.worker)
    expect((await heldAgain(store, id, `${id} next`)).fence).toBe(lease.fence + 1)
    expect(await store.leases.report(lease, {})).toEqual(fenced)
  })

  test("a cancelled session is taken from whoever holds it, and is taken by nobody", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    valueOf(await store.sessions.cancel(id, "ann"))
    expect(await store.lines.ship(lease, 1, ["x"])).toEqual(fenced)
    expect((await store.sessions.get(id))?.stage).toBe("cancelled")
    expect(await store.leases.acquire(lease.worker, longMs)).toBeUndefined()
  })

  test("members are cancelled with their lead, once, and nothing wakes it any more", async () => {
    const store = open()
    const [id, member] = [fresh(), fresh()]
    const lease = await held(store, id)
    valueOf(await store.leases.park(lease, { stage: "awaiting_tool_approval" }))
    await store.sessions.create(session(member, { labels: [member], lead: id }), "ann")
    valueOf(await store.sessions.cancel(id, "ann"))
    expect((await store.sessions.get(member))?.stage).toBe("cancelled")
    const told = (await store.sessions.get(id))?.events
    valueOf(await store.sessions.cancel(id, "bob"))
    valueOf(await store.sessions.cancel(member, "bob"))
    await store.sessions.wake(id)
    expect(await store.leases.acquire(lease.worker, longMs)).toBeUndefined()
    expect(await store.sessions.get(id)).toMatchObject({ stage: "cancelled", events: told ?? 0 })
  })

  test("a lease of before counts for nothing, also if the same worker has the session again", async () => {
    const store = open()
    const id = fresh()
    const before = await held(store, id, `user of ${id}`)
    valueOf(await store.leases.report(before, { costUsd: 1 }))
    valueOf(await store.leases.park(before, {}))
    await store.sessions.wake(id)
    const again = await heldAgain(store, id)
    expect(again.worker).toBe(before.worker)
    const alive = worker(again.worker, { labels: [id] })
    expect(await store.leases.beat(alive, [again], longMs)).toEqual([again])
    // What is lost is not kept for those who lost it: others can have it.
    expect(await store.leases.beat(alive, [again], 1)).toEqual([again])
    expect(await store.leases.beat(alive, [before], longMs)).toEqual([])
    expect((await heldAgain(store, id, `another worker of ${id}`)).fence).toBe(again.fence + 1)
    expect(await store.leases.report(before, { costUsd: 5 })).toEqual(fenced)
    expect((await store.spending.spent()).users.get(`user of ${id}`)?.day).toBe(1)
    expect((await store.sessions.get(id))?.costUsd).toBe(1)
  })

  test("a session that ends every worker is given up", async () => {
    const store = open()
    const id = fresh()
    await store.sessions.create(session(id, { labels: [id] }), "ann")
    for (let i = 0; i < 25; i++) {
      await heldAgain(store, id, `${id} ${i}`, 1)
      await Bun.sleep(5)
    }
    expect(await store.leases.acquire(`${id} 0`, longMs)).toBeUndefined()
    await store.leases.beat(worker(`${id} 0`), [], longMs)
    expect(await store.sessions.get(id)).toMatchObject({ stage: "failed", result: { ok: false } })
  })
}

function treesConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  test("parts build on each other, a lane at a time, until one replaces them", async () => {
    const { trees, ...store } = open()
    const lease = await held({ trees, ...store }, fresh())
    const { sessionId } = lease
    expect(await trees.get(sessionId)).toBeUndefined()
    expect(valueOf(await trees.begin(lease, "base"))).toBe("base")
    expect(valueOf(await trees.begin(lease, "another"))).toBe("base")
    const large = new Uint8Array(9_000_000).fill(7)
    const parts = [large, new Uint8Array([1, 2]), new Uint8Array([3])]
    for (const [nth, part] of parts.entries()) {
      const news = { lane: "files", state: `s${nth}`, place: "database", part, replaces: false } as const
      valueOf(await trees.keep(lease, news))
      valueOf(await trees.keep(lease, news))
    }
    const beside = { lane: "beside", state: "b", place: "database", part: new Uint8Array([9]), replaces: true } as const
    valueOf(await trees.keep(lease, beside))
    expect((await trees.parts(sessionId, "files")).map((part) => Buffer.compare(part, parts.shift() ?? large))).toEqual(
      [0, 0, 0],
    )
    valueOf(await trees.fallBehind(lease, "too large"))
    expect(await trees.get(sessionId)).toEqual({
      base: "base",
      files: { state: "s2", place: "database", bytes: 9_000_003 },
      beside: { state: "b", place: "database", bytes: 1 },
      behind: "too large",
    })
    valueOf(await trees.keep(lease, { lane: "files", state: "s3", place: "source", replaces: true }))
    expect(await trees.get(sessionId)).toEqual({
      base: "base",
      files: { state: "s3", place: "source", bytes: 0 },
      beside: { state: "b", place: "database", bytes: 1 },
    })
    expect(await trees.unneeded(0, 10)).toEqual([])
    valueOf(await store.sessions.cancel(sessionId, "ann"))
    expect(await trees.keep(lease, beside)).toEqual(fenced)
    expect(await trees.unneeded(longMs, 10)).toEqual([])
    await Bun.sleep(2)
    expect(await trees.unneeded(1, 10)).toEqual([{ sessionId, opening: session("").opening, place: "source" }])
    await trees.forget(sessionId)
    expect(await trees.get(sessionId)).toEqual({ base: "base" })
    expect(await trees.parts(sessionId, "beside")).toEqual([])
  })

  test("only a worker whose folders are where the session's folder is takes it again", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    expect(valueOf(await store.leases.settle(lease, `/works/${id}`))).toBe(`/works/${id}`)
    await store.leases.handOver(lease)
    await store.leases.leave(lease.worker)
    for (const { id: other } of await store.leases.workers()) await store.leases.leave(other)
    expect((await store.sessions.get(id))?.needs).toBe("/works")
    const take = async (workplaces: string) => {
      const name = `${id} ${workplaces}`
      await store.leases.beat(worker(name, { labels: [id], workplaces }), [], longMs)
      return store.leases.acquire(name, longMs)
    }
    expect(await take("/work")).toBeUndefined()
    expect(await take("/home/ann")).toBeUndefined()
    expect((await store.sessions.get(id))?.needs).toBe("/works")
    expect(await take("/works")).toMatchObject({ sessionId: id })
    expect((await store.sessions.get(id))?.needs).toBeUndefined()
  })

  test("a session whose worker died and that nobody may take says so, and why", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    valueOf(await store.leases.settle(lease, `/works/${id}`))
    const look = async () => {
      const { worker: by, stuck, needs } = (await store.sessions.get(id)) ?? {}
      return { by: by?.id, stuck, needs }
    }
    expect(await look()).toEqual({ by: lease.worker, stuck: undefined, needs: undefined })
    // As if it had been killed: it holds the session, and its time is over.
    for (const { id: other } of await store.leases.workers()) await store.leases.leave(other)
    const start = `Start one: codewright worker --database … --workplaces /works --labels ${id}`
    const lost = "Its worker was not heard of any more."
    expect(await look()).toEqual({ by: undefined, stuck: `${lost} No worker is running. ${start}`, needs: "/works" })
    await store.leases.beat(worker(`${id} other`, { workplaces: "/works" }), [], longMs)
    expect((await look()).stuck).toBe(`${lost} No worker that runs has the labels ${id}. ${start}`)
    await store.leases.beat(worker(`${id} far`, { labels: [id], workplaces: "/elsewhere" }), [], longMs)
    expect((await look()).stuck).toBe(
      `${lost} No worker that runs has both the labels ${id} and the folder /works. ${start}`,
    )
    await store.leases.leave(`${id} other`)
    expect(await look()).toEqual({
      by: undefined,
      stuck: `${lost} No worker that runs keeps the folders of sessions in /works, where this one has its own. ${start}`,
      needs: "/works",
    })
    await store.leases.beat(worker(`${id} near`, { labels: [id], workplaces: "/works" }), [], longMs)
    expect(await look()).toEqual({ by: undefined, stuck: undefined, needs: undefined })
  })
}

function opsConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  const rewind = { type: "rewind", promptId: "p1", what: "files" } as const

  test("ops are queued in order with the wake, once for each id, and done by whoever holds the session", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    valueOf(await store.leases.park(lease, {}))
    const first = valueOf(await store.ops.add(id, "a", messageOp("Ünïcode 🙂 \\u0000"), "ann"))
    expect(first).toEqual({ id: "a", sessionId: id, op: messageOp("Ünïcode 🙂 \\u0000"), by: "ann", at: first.at })
    const same = await Promise.all(Array.from({ length: 6 }, () => store.ops.add(id, "b", rewind, "bob")))
    for (const each of same) expect(each).toEqual(same[0] ?? never())
    valueOf(await store.ops.add(id, "c", { type: "interrupt" }, "ann"))
    const [prompt, ...others] = await store.ops.waiting(id)
    expect(prompt).toMatchObject({ id, op: messageOp("Fix it"), by: "ann" })
    expect(others.map((each) => each.id)).toEqual(["a", "b", "c"])
    expect(await store.ops.finish(lease, "a")).toEqual(fenced)
    const again = await heldAgain(store, id)
    for (const each of [id, "a"]) valueOf(await store.ops.finish(again, each))
    valueOf(await store.ops.finish(again, "b", { ok: true, value: { files: ["x"] } }))
    valueOf(await store.ops.finish(again, "b", { ok: false, message: "late" }))
    expect((await store.ops.waiting(id)).map((each) => each.id)).toEqual(["c"])
    expect(await store.ops.get(id, "b")).toMatchObject({ answer: { ok: true, value: { files: ["x"] } } })
    expect((await store.ops.get(id, "a"))?.answer).toBeUndefined()
    expect(await store.ops.get(id, "none")).toBeUndefined()
    const audit = (await store.audit(0, 10_000)).filter(({ sessionId }) => sessionId === id).map(({ what }) => what)
    expect(audit).toEqual(["session created", "message sent", "rewind asked for", "interrupted"])
  })

  test("an op that comes while the session is being set aside wakes it", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    valueOf(await store.ops.add(id, "a", messageOp("more"), "ann"))
    valueOf(await store.leases.park(lease, { stage: "completed" }))
    await heldAgain(store, id)
  })

  test("a cancelled session takes no ops, and one that is not there neither", async () => {
    const store = open()
    const id = fresh()
    await store.sessions.create(session(id, { labels: [id] }), "ann")
    valueOf(await store.sessions.cancel(id, "ann"))
    expect(await store.ops.add(id, "a", messageOp("x"), "ann")).toEqual({ ok: false, failure: { kind: "cancelled" } })
    const none = await store.ops.add("none", "a", messageOp("x"), "ann")
    expect(none).toEqual({ ok: false, failure: { kind: "no_such_session" } })
  })
}

function teamsConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  const about = { name: "crew", lead: "lead" }

  test("a team belongs to its session, and is there for whoever holds the session next", async () => {
    const { teams, leases } = open()
    const [one, other] = [await held(open(), fresh()), await held(open(), fresh())]
    expect(await teams.has(one.sessionId, "crew")).toBe(false)
    const first = await teams.open(one, about)
    valueOf(await first.roster.join(newcomer("lead", one.sessionId)))
    valueOf(await first.board.create({ subject: "a task", description: "" }))
    // Models choose names: another session has a team of the same name.
    expect(await teams.has(other.sessionId, "crew")).toBe(false)
    const theirs = await teams.open(other, about)
    expect(await theirs.board.list()).toEqual([])
    expect(await teams.of(one.sessionId)).toMatchObject({ name: "crew", tasks: [{ subject: "a task" }] })
    expect(await teams.of(other.sessionId)).toBeUndefined()

    valueOf(await leases.handOver(one))
    // Whoever had it can change nothing any more.
    await expect(first.board.create({ subject: "late", description: "" })).rejects.toThrow("taken over")
    await expect(teams.remove(one, "crew")).rejects.toThrow("taken over")
    const next = await heldAgain(open(), one.sessionId)
    const again = await teams.open(next, about)
    expect((await again.board.list()).map(({ subject }) => subject)).toEqual(["a task"])
    await teams.remove(next, "crew")
    expect([await teams.has(next.sessionId, "crew"), await teams.has(other.sessionId, "crew")]).toEqual([false, true])
    for (const each of [first, theirs, again]) await each.close()
  })
}

function linesConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  const hard = ['{"text":"a\\u0000\\n\\\\ \\" {} , NULL"}', "Ünïcode 🙂", "", "NULL", '","', "\\", "'"]

  test("lines arrive in order, once, and as they were", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    valueOf(await store.lines.ship(lease, 1, hard))
    valueOf(await store.lines.ship(lease, 1, hard))
    valueOf(await store.lines.ship(lease, 6, ["\\", "'", "new"]))
    expect(await store.lines.after(id, 0, 100)).toEqual([...hard, "new"])
    expect(await store.lines.after(id, 6, 1)).toEqual(["'"])
    expect(await store.lines.ship(lease, 10, ["x"])).toEqual({ ok: false, failure: { kind: "gap", expected: 9 } })
    expect(await store.lines.ship(lease, 2, ["x"])).toEqual({ ok: false, failure: { kind: "diverged", at: 2 } })
    expect((await store.sessions.get(id))?.lines).toBe(8)
  })

  test("events are numbered without gaps, whatever they are", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    valueOf(await store.lines.ship(lease, 1, ["one", "two"]))
    valueOf(await store.leases.park(lease, { stage: "awaiting_tool_approval" }, [approval("q", "rm a")]))
    const events = await store.lines.events(id, 0, 100)
    expect(events.map(({ seq, type }) => [seq, type])).toEqual([
      [1, "stage"],
      [2, "entry"],
      [3, "entry"],
      [4, "approval"],
      [5, "stage"],
    ])
    expect(events[1]?.data).toBe("one")
    expect(JSON.parse(events[3]?.data ?? "")).toMatchObject({ id: "q", state: "open" })
    expect(await store.lines.events(id, 2, 1)).toEqual([{ seq: 3, type: "entry", data: "two" }])
  })
}

function momentsConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  test("moments come between entries, and are gone when the session is set aside", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id)
    valueOf(await store.lines.ship(lease, 1, ["one"]))
    expect(valueOf(await store.lines.pass(lease, ["nobody watches"]))).toBe(false)
    const looking = Promise.withResolvers<void>()
    const end = store.watch(id, looking.resolve)
    await looking.promise
    expect(await store.lines.isWatched(id)).toBe(true)
    expect(valueOf(await store.lines.pass(lease, ["m1", "m2"]))).toBe(true)
    valueOf(await store.lines.ship(lease, 2, ["two"]))
    const shown = async (): Promise<readonly string[]> =>
      (await store.lines.events(id, 1, 5000)).map(({ seq, type, data }) => `${seq} ${type} ${data}`)
    expect(await shown()).toEqual(["2 entry one", "3 moment m1", "4 moment m2", "5 entry two"])
    valueOf(
      await store.lines.pass(
        lease,
        Array.from({ length: 600 }, (_, i) => `n${i}`),
      ),
    )
    expect(await shown()).toHaveLength(2 + 500)
    valueOf(await store.leases.park(lease, {}))
    expect(await shown()).toEqual(["2 entry one", "5 entry two"])
    expect(await store.lines.pass(lease, ["late"])).toEqual(fenced)
    end()
  })
}

function approvalsConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  const parked = async (store: FleetStore, id: string, ...asked: readonly ReturnType<typeof approval>[]) => {
    const lease = await held(store, id)
    valueOf(await store.leases.park(lease, { stage: "awaiting_tool_approval" }, asked))
  }
  const decision = (sessionId: string, approvalId: string, command: string, allows = true, by = "ann") => ({
    sessionId,
    approvalId,
    digest: `digest of ${command}`,
    allows,
    answer: { kind: allows ? "allow" : "deny" },
    by,
  })
  const states = async (store: FleetStore, id: string) =>
    (await store.approvals.of(id)).map((each) => [each.id, each.title, each.state])

  test("it is shown as it was asked, and the decision wakes the session", async () => {
    const store = open()
    const id = fresh()
    await parked(store, id, approval("q", "rm a"))
    const [asked] = await store.approvals.of(id)
    expect(asked).toEqual({ ...approval("q", "rm a"), sessionId: id, state: "open", createdAt: asked?.createdAt ?? 0 })
    const inInbox = { ...(asked ?? never()), sessionTitle: `Session ${id}`, sessionBy: "ann" }
    expect((await store.approvals.open()).filter(({ sessionId }) => sessionId === id)).toEqual([inInbox])
    const { approval: allowed, isEffective } = valueOf(await store.approvals.decide(decision(id, "q", "rm a")))
    expect(isEffective).toBe(true)
    expect(allowed).toMatchObject({ state: "allowed", decidedBy: "ann", answer: { kind: "allow" } })
    expect((await heldAgain(store, id)).fence).toBe(2)
    const entry = (await store.audit(0, 10_000)).find((each) => each.sessionId === id && each.what === "approved")
    expect(entry).toMatchObject({ who: "ann", approvalId: "q" })
  })

  test("a session waits for nobody once nothing is open, whether or not a worker is free", async () => {
    const store = open()
    const stageAfter = async (allows: boolean, kind: "tool" | "plan"): Promise<readonly unknown[]> => {
      const id = fresh()
      const lease = await held(store, id)
      const waits = kind === "plan" ? "awaiting_plan_approval" : "awaiting_tool_approval"
      const asked = [approval("q", "rm a", { kind }), approval("other", "rm b", { kind })]
      valueOf(await store.leases.park(lease, { stage: waits }, asked))
      valueOf(await store.approvals.decide(decision(id, "q", "rm a", allows)))
      const one = (await store.sessions.get(id))?.stage
      valueOf(await store.approvals.decide(decision(id, "other", "rm b", allows)))
      return [one, (await store.sessions.get(id))?.stage]
    }
    expect(await stageAfter(true, "tool")).toEqual(["awaiting_tool_approval", "executing"])
    expect(await stageAfter(false, "tool")).toEqual(["awaiting_tool_approval", "executing"])
    expect(await stageAfter(true, "plan")).toEqual(["awaiting_plan_approval", "executing"])
    expect(await stageAfter(false, "plan")).toEqual(["awaiting_plan_approval", "planning"])
  })

  test("of many decisions at once the first counts, and all others are told which", async () => {
    const store = open()
    const id = fresh()
    await parked(store, id, approval("q", "rm a"), approval("other", "rm b"))
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, i) => store.approvals.decide(decision(id, "q", "rm a", i % 2 === 0, `user ${i}`))),
    )
    const decided = all.map(valueOf)
    const first = decided.find(({ isEffective }) => isEffective)
    expect(decided.filter(({ isEffective }) => isEffective)).toHaveLength(1)
    for (const each of decided) expect(each.approval).toEqual(first?.approval ?? never())
    expect(await states(store, id)).toMatchObject([
      ["q", "rm a", first?.approval.state ?? ""],
      ["other", "rm b", "open"],
    ])
  })

  test("a decision about an action that changed is void", async () => {
    const store = open()
    const id = fresh()
    await parked(store, id, approval("q", "rm a"))
    valueOf(await store.approvals.decide(decision(id, "q", "rm a")))
    const lease = await heldAgain(store, id)
    valueOf(await store.leases.park(lease, {}, [approval("q", "rm b")]))
    expect(await states(store, id)).toEqual([
      ["q", "rm a", "void"],
      ["q", "rm b", "open"],
    ])
    const late = await store.approvals.decide(decision(id, "q", "rm a"))
    expect(late).toMatchObject({ ok: false, failure: { kind: "void", approval: { title: "rm a", state: "void" } } })
    expect(valueOf(await store.approvals.decide(decision(id, "q", "rm b", false))).isEffective).toBe(true)
    const unknown = await store.approvals.decide(decision(id, "none", "rm a"))
    expect(unknown).toEqual({ ok: false, failure: { kind: "no_such_approval" } })
  })

  test("what is not asked any more is void; what was decided and used stays so", async () => {
    const store = open()
    const id = fresh()
    await parked(store, id, approval("q", "rm a"), approval("r", "rm b"))
    valueOf(await store.approvals.decide(decision(id, "q", "rm a")))
    valueOf(await store.leases.park(await heldAgain(store, id), {}, [approval("s", "rm c")]))
    expect(await states(store, id)).toEqual([
      ["q", "rm a", "allowed"],
      ["r", "rm b", "void"],
      ["s", "rm c", "open"],
    ])
    valueOf(await store.sessions.cancel(id, "ann"))
    expect((await states(store, id)).at(-1)).toEqual(["s", "rm c", "void"])
    expect(await store.approvals.decide(decision(id, "s", "rm c"))).toMatchObject({ failure: { kind: "void" } })
  })

  test("a decision that came before the same is asked again is the answer", async () => {
    const store = open()
    const id = fresh()
    await parked(store, id, approval("q", "rm a"))
    await store.sessions.wake(id)
    const lease = await heldAgain(store, id)
    valueOf(await store.approvals.decide(decision(id, "q", "rm a")))
    valueOf(await store.leases.park(lease, {}, [approval("q", "rm a")]))
    expect(await states(store, id)).toEqual([["q", "rm a", "allowed"]])
    // It is taken again at once, because it was woken by the decision.
    await heldAgain(store, id)
  })

  test("an approval expires: a late decision does nothing, and the session is woken", async () => {
    const store = open()
    const [id, other] = [fresh(), fresh()]
    await parked(store, id, approval("q", "rm a", { expiresAt: 1 }))
    await parked(store, other, approval("q", "rm a", { expiresInMs: 1 }))
    await Bun.sleep(5)
    expect((await store.approvals.open()).filter(({ sessionId }) => sessionId === id)).toEqual([])
    const late = await store.approvals.decide(decision(id, "q", "rm a"))
    expect(late).toMatchObject({ ok: false, failure: { kind: "expired", approval: { state: "expired" } } })
    expect((await store.approvals.expire()).map((each) => [each.sessionId, each.state])).toEqual([[other, "expired"]])
    expect(await store.approvals.expire()).toEqual([])
    for (const each of [id, other]) {
      const lease = await heldAgain(store, each)
      valueOf(await store.leases.park(lease, {}, [approval("q", "rm a", { expiresAt: Date.now() + longMs })]))
      expect(await states(store, each)).toEqual([["q", "rm a", "open"]])
    }
  })
}

function tokensConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  test("a token has an owner until it is revoked or its time is over, and its secret is not kept", async () => {
    const store = open()
    const [name, old] = [fresh(), fresh()]
    valueOf(await store.tokens.add({ name, role: "operator" }, `secret ${name}`, undefined, "root"))
    valueOf(await store.tokens.add({ name: old, role: "admin" }, `secret ${old}`, 1, "root"))
    expect(await store.tokens.owner(tokenDigest(`secret ${name}`))).toEqual({ name, role: "operator" })
    expect(await store.tokens.owner(tokenDigest(`secret ${old}`))).toBeUndefined()
    expect(await store.tokens.owner(tokenDigest(""))).toBeUndefined()
    const again = await store.tokens.add({ name, role: "admin" }, "other", undefined, "root")
    expect(again).toEqual({ ok: false, failure: { kind: "name_taken" } })
    expect(await store.tokens.revoke(name, "root")).toBe(true)
    expect(await store.tokens.revoke(name, "root")).toBe(false)
    expect(await store.tokens.owner(tokenDigest(`secret ${name}`))).toBeUndefined()
    valueOf(await store.tokens.add({ name, role: "viewer" }, `new ${name}`, undefined, "root"))
    expect(await store.tokens.owner(tokenDigest(`new ${name}`))).toEqual({ name, role: "viewer" })
  })

  test("a browser is signed in for a token until it signs out or its time is over", async () => {
    const { tokens } = open()
    const [secret, other, late] = [fresh(), fresh(), fresh()]
    await tokens.signIn(secret, "digest of a token", longMs)
    await tokens.signIn(other, "digest of another", longMs)
    await tokens.signIn(late, "digest of a token", 0)
    expect(await tokens.signedIn(secret)).toBe("digest of a token")
    expect(await tokens.signedIn(late)).toBeUndefined()
    expect(await tokens.signedIn("")).toBeUndefined()
    await tokens.signOut(secret)
    expect(await tokens.signedIn(secret)).toBeUndefined()
    expect(await tokens.signedIn(other)).toBe("digest of another")
  })

  test("with one key a thing is done once, also by many at once; with a failure not at all", async () => {
    const store = open()
    const [key, failing] = [fresh(), fresh()]
    let times = 0
    const create = () =>
      store.once({ who: "ann", key, digest: "d" }, async (records) => {
        const id = fresh()
        await records.sessions.create(session(id, { mode: "plan", labels: [id] }), key)
        return { id, time: ++times }
      })
    const answers = (await Promise.all(Array.from({ length: 6 }, create))).map(valueOf)
    for (const answer of answers) expect(answer).toEqual(answers[0] ?? null)
    const made = (await store.sessions.list({ limit: 10_000 })).filter(({ createdBy }) => createdBy === key)
    expect(made).toHaveLength(1)
    const other = await store.once({ who: "ann", key, digest: "another" }, async () => null)
    expect(other).toEqual({ ok: false, failure: { kind: "key_reused" } })
    expect(valueOf(await store.once({ who: "bob", key, digest: "another" }, async () => "his own"))).toBe("his own")
    const broken = store.once({ who: "ann", key: failing, digest: "d" }, async (records) => {
      await records.sessions.create(session(failing), failing)
      throw new Error("stop")
    })
    expect(await broken.catch((error: unknown) => String(error))).toBe("Error: stop")
    expect(await store.sessions.get(failing)).toBeUndefined()
    expect(valueOf(await store.once({ who: "ann", key: failing, digest: "d" }, async () => 2))).toBe(2)
  })
}

function never(): never {
  throw new Error("there is none")
}
