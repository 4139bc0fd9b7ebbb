/** What every store of a team must do, whatever it is made of. */

import { describe, expect } from "bun:test"
import fc from "fast-check"
import type { Claim, Letter, NewMember, TaskChange, TaskFailure, TeamStore, TeamTask } from "#agent/words/team.ts"
import type { Result } from "#lib/result.ts"
import { runs } from "../runs.ts"
import type { Tell } from "../turns.ts"

/** A new team "crew" led by "lead", nobody in it yet. */
export type OpenStore = () => Promise<TeamStore & AsyncDisposable>

export const newcomer = (name: string, sessionId = `session of ${name}`): NewMember => ({
  name,
  sessionId,
  pid: process.pid,
  start: "",
  host: "here",
})

export function valueOf<T, F>(result: Result<T, F>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure))
  return result.value
}

export const failureOf = <T, F>(result: Result<T, F>): F | undefined => (result.ok ? undefined : result.failure)

const letter = (from: string, to: string, text: string, more: Partial<Letter> = {}): Letter => ({
  from,
  to,
  text,
  type: "message",
  key: text,
  ...more,
})

export function teamConformance(name: string, test: Tell, open: OpenStore): void {
  describe(`${name}: tasks`, () => boardConforms(test, open))
  describe(`${name}: claims`, () => claimsConform(test, open))
  describe(`${name}: mail`, () => mailConforms(test, open))
  describe(`${name}: members`, () => rosterConforms(test, open))
  describe(`${name}: any order of changes`, () => graphHolds(test, open))
}

const add = async ({ board }: TeamStore, subject: string, blockedBy: readonly string[] = []): Promise<TeamTask> =>
  valueOf(await board.create({ subject, description: "", blockedBy }))

const take = async ({ board }: TeamStore, worker: string, id?: string): Promise<Claim> =>
  valueOf(await board.claim(worker, id === undefined ? {} : { id }))

function boardConforms(test: Tell, open: OpenStore): void {
  test("a task is kept as it was given, and found by its number", async () => {
    await using store = await open()
    const metadata = { size: 3 }
    const task = valueOf(
      await store.board.create({ subject: "Ünïcode 🙂", description: "a\nb", activeForm: "Doing it", metadata }),
    )
    expect(task).toEqual({
      id: "1",
      subject: "Ünïcode 🙂",
      description: "a\nb",
      activeForm: "Doing it",
      status: "pending",
      blocks: [],
      blockedBy: [],
      attempts: 0,
      notes: [],
      metadata,
    })
    expect(await store.board.get("1")).toEqual(task)
    expect(await store.board.list()).toEqual([task])
  })

  test("numbers are not used again", async () => {
    await using store = await open()
    await add(store, "one")
    await add(store, "two")
    await store.board.change("2", { status: "deleted" })
    expect((await add(store, "three")).id).toBe("3")
    expect(await store.board.get("2")).toBeUndefined()
    expect((await store.board.list()).map(({ id }) => id)).toEqual(["1", "3"])
  })

  test("both ends of an edge say the same", async () => {
    await using store = await open()
    await add(store, "one")
    await add(store, "two", ["1"])
    valueOf(await store.board.create({ subject: "zero", description: "", blocks: ["1"] }))
    valueOf(await store.board.change("3", { addBlocks: ["2"] }))
    const edges = async () => (await store.board.list()).map(({ id, blocks, blockedBy }) => [id, blocks, blockedBy])
    expect(await edges()).toEqual([
      ["1", ["2"], ["3"]],
      ["2", [], ["1", "3"]],
      ["3", ["1", "2"], []],
    ])
    valueOf(await store.board.change("2", { removeBlockedBy: ["1"] }))
    valueOf(await store.board.change("3", { removeBlocks: ["1"] }))
    expect(await edges()).toEqual([
      ["1", [], []],
      ["2", [], ["3"]],
      ["3", ["2"], []],
    ])
  })

  test("a circle is refused and named, and nothing of the change is kept", async () => {
    await using store = await open()
    for (const [subject, by] of [["a"], ["b", "1"], ["c", "2"]] as const) await add(store, subject, by ? [by] : [])
    const before = await store.board.list()
    const closing = await store.board.change("1", { subject: "changed", addBlockedBy: ["3"] })
    expect(failureOf(closing)).toEqual({ kind: "cycle", ids: ["3", "1", "2", "3"] })
    expect(failureOf(await store.board.change("1", { addBlocks: ["1"] }))).toEqual({ kind: "cycle", ids: ["1", "1"] })
    expect(await store.board.list()).toEqual(before)
    const made = await store.board.create({ subject: "d", description: "", blocks: ["1"], blockedBy: ["3"] })
    expect(failureOf(made)).toEqual({ kind: "cycle", ids: ["3", "4", "1", "2", "3"] })
    expect(await store.board.list()).toEqual(before)
  })

  test("a task that is not there is named", async () => {
    await using store = await open()
    await add(store, "one")
    for (const id of ["2", "x", "", "1e0", "-1", "99999999999999999999"]) {
      const failure: TaskFailure = { kind: "no_such_task", id }
      expect(failureOf(await store.board.change(id, { subject: "s" }))).toEqual(failure)
      expect(failureOf(await store.board.change("1", { addBlocks: [id] }))).toEqual(failure)
      expect(failureOf(await store.board.claim("w", { id }))).toEqual(failure)
    }
  })

  test("metadata is merged, and null removes", async () => {
    await using store = await open()
    valueOf(await store.board.create({ subject: "s", description: "", metadata: { a: 1, b: 2 } }))
    const task = valueOf(await store.board.change("1", { metadata: { b: null, c: [3] }, activeForm: "Doing" }))
    expect([task.metadata, task.activeForm]).toEqual([{ a: 1, c: [3] }, "Doing"])
    expect(valueOf(await store.board.change("1", { activeForm: null })).activeForm).toBeUndefined()
  })
}

function claimsConform(test: Tell, open: OpenStore): void {
  test("the first that is pending, nobody's, and not blocked", async () => {
    await using store = await open()
    await add(store, "one")
    await add(store, "two", ["1"])
    await add(store, "three")
    const first = await take(store, "w")
    expect([first.task.id, first.task.status, first.task.owner]).toEqual(["1", "in_progress", "w"])
    expect((await take(store, "v")).task.id).toBe("3")
    expect(failureOf(await store.board.claim("u"))).toEqual({ kind: "nothing" })
    valueOf(await store.board.complete("1", first.lease))
    expect((await take(store, "u")).task.id).toBe("2")
  })

  test("why a named task cannot be had", async () => {
    await using store = await open()
    await add(store, "one")
    await add(store, "two", ["1"])
    const claim = await take(store, "w", "1")
    const tried = async (worker: string, id: string) => failureOf(await store.board.claim(worker, { id }))
    expect(await tried("v", "1")).toEqual({ kind: "claimed", id: "1", owner: "w" })
    expect(await tried("v", "2")).toEqual({ kind: "blocked", id: "2", by: ["1"] })
    expect(failureOf(await store.board.claim("w", { onlyIfFree: true }))).toEqual({ kind: "busy", id: "1" })
    valueOf(await store.board.complete("1", claim.lease))
    expect(await tried("v", "1")).toEqual({ kind: "resolved", id: "1", status: "completed" })
    valueOf(await store.board.change("2", { owner: "w" }))
    expect(await tried("v", "2")).toEqual({ kind: "claimed", id: "2", owner: "w" })
  })

  test("what is meant for a worker comes first, and is nobody else's; the lead takes only what is meant for it", async () => {
    await using store = await open()
    await add(store, "one")
    await add(store, "two")
    await add(store, "three")
    valueOf(await store.board.change("2", { owner: "w" }))
    valueOf(await store.board.change("3", { owner: "lead" }))
    expect((await take(store, "w")).task.id).toBe("2")
    expect((await take(store, "lead")).task.id).toBe("3")
    expect(failureOf(await store.board.claim("lead"))).toEqual({ kind: "nothing" })
    expect((await take(store, "v")).task.id).toBe("1")
  })

  test("a deleted blocker blocks nothing", async () => {
    await using store = await open()
    await add(store, "one")
    await add(store, "two", ["1"])
    valueOf(await store.board.change("1", { status: "deleted" }))
    const { task } = await take(store, "w")
    expect([task.id, task.blockedBy]).toEqual(["2", []])
  })

  test("only who holds the lease finishes", async () => {
    await using store = await open()
    await add(store, "one")
    const old = await take(store, "w")
    valueOf(await store.board.giveBack("1", old.lease, "the tests did not start"))
    const now = await take(store, "v")
    expect(now.lease).toBeGreaterThan(old.lease)
    expect(now.task.notes).toEqual(["the tests did not start"])
    expect(failureOf(await store.board.complete("1", old.lease))).toEqual({ kind: "lost", id: "1" })
    expect(failureOf(await store.board.giveBack("1", old.lease, "x"))).toEqual({ kind: "lost", id: "1" })
    expect(valueOf(await store.board.complete("1", now.lease)).status).toBe("completed")
    expect(failureOf(await store.board.complete("1", now.lease))).toEqual({ kind: "lost", id: "1" })
  })

  test("given back three times, it is the lead's", async () => {
    await using store = await open()
    await add(store, "one")
    for (const worker of ["a", "b", "c"]) {
      const { lease } = await take(store, worker)
      valueOf(await store.board.giveBack("1", lease, `not by ${worker}`))
    }
    expect(await store.board.get("1")).toMatchObject({
      status: "pending",
      owner: "lead",
      attempts: 3,
      notes: ["not by a", "not by b", "not by c"],
    })
    expect(failureOf(await store.board.claim("a"))).toEqual({ kind: "nothing" })
  })

  test("a claim is taken back only if nothing was heard since", async () => {
    await using store = await open()
    await add(store, "one")
    const { lease } = await take(store, "w")
    const [seen] = await store.board.claims()
    if (!seen) throw new Error("no claim")
    expect(seen).toMatchObject({ id: "1", owner: "w", lease })
    await store.board.beat([lease])
    expect(failureOf(await store.board.takeBack(seen, "silent"))).toEqual({ kind: "claimed", id: "1", owner: "w" })
    const [again] = await store.board.claims()
    if (!again) throw new Error("no claim")
    expect(valueOf(await store.board.takeBack(again, "silent"))).toMatchObject({ status: "pending", attempts: 1 })
    expect(failureOf(await store.board.takeBack(again, "silent"))).toEqual({ kind: "lost", id: "1" })
  })

  test("a task that is stopped, deleted or given to somebody else is lost to its worker", async () => {
    for (const change of [{ status: "pending" }, { status: "deleted" }, { owner: "v" }] as const) {
      await using store = await open()
      await add(store, "one")
      const { lease } = await take(store, "w")
      const task = valueOf(await store.board.change("1", change))
      expect([task.status, task.owner]).toEqual([
        "status" in change ? change.status : "pending",
        "owner" in change ? "v" : undefined,
      ])
      expect(failureOf(await store.board.complete("1", lease))).toEqual({ kind: "lost", id: "1" })
    }
  })

  test("members leave the work of others alone; the lead may take it away, and the worker is told", async () => {
    await using store = await open()
    for (const name of ["lead", "ann", "bob"]) valueOf(await store.roster.join(newcomer(name)))
    for (const subject of ["one", "two", "three"]) await add(store, subject)
    for (const id of ["1", "2", "3"]) await take(store, "ann", id)
    const before = await store.board.list()
    for (const [at, change] of [
      { status: "deleted" },
      { status: "pending" },
      { owner: "bob" },
      { owner: null },
    ].entries())
      expect(failureOf(await store.board.change("1", change as TaskChange, { caller: "bob", id: `b${at}` }))).toEqual({
        kind: "claimed",
        id: "1",
        owner: "ann",
      })
    expect(await store.board.list()).toEqual(before)
    valueOf(await store.board.change("1", { subject: "uno" }, { caller: "bob", id: "words" }))
    valueOf(await store.board.change("1", { status: "deleted" }, { caller: "lead", id: "l1" }))
    valueOf(await store.board.change("2", { owner: "BOB" }, { caller: "lead", id: "l2" }))
    valueOf(await store.board.change("3", { owner: null }, { caller: "ann", id: "a3" }))
    expect((await store.mail.after("ann", 0)).map(({ from, text }) => [from, text])).toEqual([
      ["lead", "#1 uno was deleted. Stop working on it."],
      ["lead", "#2 two is bob's now. Stop working on it."],
    ])
  })

  test("a call that is repeated changes nothing more, and gives what came of it", async () => {
    await using store = await open()
    const call = { caller: "lead", id: "call" }
    const task = { subject: "one", description: "" }
    const first = valueOf(await store.board.create(task, call))
    expect(valueOf(await store.board.create({ ...task, subject: "other" }, call))).toEqual(first)
    valueOf(await store.board.create(task, { caller: "ann", id: "call" }))
    expect((await store.board.list()).map(({ subject }) => subject)).toEqual(["one", "one"])
    const claim = valueOf(await store.board.claim("ann", { id: "1" }, call))
    expect(valueOf(await store.board.claim("ann", { id: "1" }, call))).toEqual(claim)
    const done = valueOf(await store.board.complete("1", claim.lease, call))
    expect(valueOf(await store.board.complete("1", claim.lease, call))).toEqual(done)
    expect(await store.callRecord(call)).toEqual({ create: first, claim, complete: done })
    // What was refused has no trace, so it may be tried again.
    expect(failureOf(await store.board.change("9", { subject: "x" }, call))).toMatchObject({ kind: "no_such_task" })
    expect(await store.callRecord({ caller: "lead", id: "another" })).toEqual({})
  })

  test("of many claims at once, one wins", async () => {
    await using store = await open()
    for (let i = 0; i < 20; i++) await add(store, `task ${i}`)
    const all = await Promise.all(Array.from({ length: 30 }, (_, i) => store.board.claim(`w${i}`)))
    const got = all.flatMap((each) => (each.ok ? [each.value.task.id] : []))
    expect(got.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 20 }, (_, i) => String(i + 1)))
  })
}

function mailConforms(test: Tell, open: OpenStore): void {
  const withThree = async (): Promise<TeamStore & AsyncDisposable> => {
    const store = await open()
    for (const name of ["lead", "ann", "bob"]) valueOf(await store.roster.join(newcomer(name)))
    return store
  }

  test("each box is in order, and read from where its reader is", async () => {
    await using store = await withThree()
    for (const text of ["a", "b", "c"]) valueOf(await store.mail.send(letter("lead", "ann", text)))
    valueOf(await store.mail.send(letter("ann", "bob", "for bob", { summary: "s", answers: 2 })))
    const all = await store.mail.after("ann", 0)
    expect(all.map(({ text, from }) => `${from}: ${text}`)).toEqual(["lead: a", "lead: b", "lead: c"])
    expect((await store.mail.after("ann", all[1]?.seq ?? 0)).map(({ text }) => text)).toEqual(["c"])
    expect(await store.mail.after("bob", 0)).toMatchObject([{ text: "for bob", summary: "s", answers: 2 }])
  })

  test("the sender learns how many are ahead", async () => {
    await using store = await withThree()
    const sent = async (text: string) => valueOf(await store.mail.send(letter("lead", "ann", text)))
    expect([await sent("a"), await sent("b")]).toMatchObject([[{ ahead: 0, to: "ann" }], [{ ahead: 1 }]])
    await store.mail.delivered("ann", 1)
    expect(await sent("c")).toMatchObject([{ ahead: 1 }])
  })

  test("a message that is sent again is not there twice", async () => {
    await using store = await withThree()
    const first = valueOf(await store.mail.send(letter("lead", "*", "hello", { key: "k" })))
    const again = valueOf(await store.mail.send(letter("lead", "*", "hello", { key: "k" })))
    expect(again.map(({ seq, to }) => [seq, to])).toEqual(first.map(({ seq, to }) => [seq, to]))
    expect(first.map(({ to }) => to)).toEqual(["ann", "bob"])
    expect((await store.mail.all()).length).toBe(2)
    valueOf(await store.mail.send(letter("bob", "ann", "hello", { key: "k" })))
    expect((await store.mail.after("ann", 0)).length).toBe(2)
  })

  test("the lead is told what becomes of tasks, once, and not of its own", async () => {
    await using store = await withThree()
    for (const subject of ["one", "two", "three"]) await add(store, subject)
    valueOf(await store.board.complete("1", (await take(store, "ann")).lease))
    for (const worker of ["ann", "bob", "ann"])
      valueOf(await store.board.giveBack("2", (await take(store, worker, "2")).lease, "No."))
    valueOf(await store.board.complete("3", (await take(store, "lead", "3")).lease))
    expect((await store.mail.after("lead", 0)).map(({ from, type, text }) => [from, type, text])).toEqual([
      ["ann", "task_notification", "#1 one: completed"],
      ["ann", "task_notification", "#2 two: given back. No."],
      ["bob", "task_notification", "#2 two: given back. No."],
      ["ann", "task_notification", "#2 two: given back, and yours now after 3 attempts. No."],
    ])
  })

  test("an answer to a request says yes or no", async () => {
    await using store = await withThree()
    for (const approve of [true, false])
      valueOf(await store.mail.send(letter("ann", "lead", `${approve}`, { type: "shutdown_response", approve })))
    expect((await store.mail.after("lead", 0)).map(({ approve }) => approve)).toEqual([true, false])
  })

  test("a name that is not there is refused, with those that are", async () => {
    await using store = await withThree()
    await store.roster.leave("bob", "done")
    expect(failureOf(await store.mail.send(letter("lead", "eve", "x")))).toEqual({
      kind: "no_such_member",
      name: "eve",
      members: ["lead", "ann"],
    })
  })

  test("names are the same in every case", async () => {
    await using store = await withThree()
    expect(failureOf(await store.roster.join(newcomer("Ann")))).toEqual({ kind: "name_taken", name: "Ann" })
    expect(valueOf(await store.mail.send(letter("lead", "ANN", "x")))).toMatchObject([{ to: "ann" }])
    expect(valueOf(await store.board.create({ subject: "s", description: "", owner: "Bob" })).owner).toBe("bob")
    expect(await store.board.othersThan("BOB")).toBeUndefined()
    expect(await store.board.othersThan("eve")).toEqual(["lead", "ann", "bob"])
  })

  test("what is too long is cut, and a box holds so many of one sender's calls", async () => {
    await using store = await withThree()
    valueOf(await store.mail.send(letter("bob", "ann", "x".repeat(20_000), { key: "long" })))
    const [long] = await store.mail.after("ann", 0)
    expect(long?.text).toBe(`${"x".repeat(16_000)}\n[4000 more characters were left out. Ask for them in a file.]`)
    const send = (from: string, i: number) => store.mail.send(letter(from, "ann", `${i}`), { caller: from, id: `${i}` })
    for (let i = 0; i < 100; i++) valueOf(await send("lead", i))
    expect(failureOf(await send("lead", 100))).toEqual({ kind: "too_many", to: "ann", unread: 100 })
    valueOf(await send("lead", 99))
    valueOf(await send("bob", 0))
    await store.mail.delivered("ann", 50)
    valueOf(await send("lead", 100))
  })

  test("mail for somebody who has left is the lead's, with a note; so is what they had not read", async () => {
    await using store = await withThree()
    valueOf(await store.mail.send(letter("ann", "bob", "read")))
    await store.mail.delivered("bob", 1)
    valueOf(await store.mail.send(letter("ann", "bob", "unread")))
    await store.roster.leave("bob", "done")
    const late = valueOf(await store.mail.send(letter("ann", "bob", "late")))
    expect(late).toMatchObject([{ to: "lead", meantFor: "bob" }])
    expect(await store.mail.after("lead", 0)).toMatchObject([
      { text: "unread", from: "ann", meantFor: "bob" },
      { text: "late", from: "ann", meantFor: "bob" },
    ])
    await store.roster.leave("bob", "again")
    expect((await store.mail.after("lead", 0)).length).toBe(2)
  })

  test("what was read is pruned some time later, what was not is not", async () => {
    await using store = await withThree()
    valueOf(await store.mail.send(letter("lead", "bob", "waits")))
    for (let i = 0; i < 300; i++) valueOf(await store.mail.send(letter("lead", "ann", `${i}`)))
    const seqs = (await store.mail.after("ann", 0)).map(({ seq }) => seq)
    await store.mail.delivered("ann", seqs[279] ?? 0)
    expect((await store.mail.all()).length).toBeLessThan(230)
    expect((await store.mail.after("ann", seqs[279] ?? 0)).length).toBe(20)
    expect((await store.mail.after("bob", 0)).map(({ text }) => text)).toEqual(["waits"])
  })
}

function rosterConforms(test: Tell, open: OpenStore): void {
  test("a member has a name of its own, and may come back under it", async () => {
    await using store = await open()
    const ann = valueOf(await store.roster.join({ ...newcomer("ann"), color: "blue", folder: "/a", branch: "b" }))
    expect(ann).toMatchObject({ name: "ann", state: "working", tokens: 0, costUsd: 0, color: "blue", branch: "b" })
    expect(failureOf(await store.roster.join(newcomer("ann", "another")))).toEqual({ kind: "name_taken", name: "ann" })
    await store.roster.report("ann", { activity: "Reading", tokens: 10, costUsd: 0.5 })
    await store.mail.delivered("ann", 7)
    valueOf(await store.roster.join({ ...newcomer("ann"), pid: 1 }))
    expect(await store.roster.members()).toMatchObject([{ pid: 1, activity: "Reading", tokens: 10, costUsd: 0.5 }])
    await store.roster.leave("ann", "done")
    valueOf(await store.roster.join(newcomer("ann", "another")))
    expect(await store.roster.members()).toMatchObject([{ name: "ann", sessionId: "another", state: "working" }])
    expect(await store.roster.about()).toEqual({ name: "crew", lead: "lead" })
  })

  test("nobody is idle while work or mail is owed", async () => {
    await using store = await open()
    for (const name of ["lead", "ann"]) valueOf(await store.roster.join(newcomer(name)))
    const idle = async (cursor: number) => failureOf(await store.roster.idle("ann", cursor))
    const state = async () => (await store.roster.members()).find(({ name }) => name === "ann")?.state
    await add(store, "one")
    expect(await idle(0)).toEqual({ readyTask: "1", unread: 0 })
    const { lease } = await take(store, "ann")
    expect(await idle(0)).toEqual({ openTask: "1", unread: 0 })
    valueOf(await store.mail.send(letter("lead", "ann", "hello")))
    valueOf(await store.board.complete("1", lease))
    expect(await idle(0)).toEqual({ unread: 1 })
    expect(await state()).toBe("working")
    expect(await idle(1)).toBeUndefined()
    expect(await state()).toBe("idle")
    await store.roster.working("ann")
    expect(await state()).toBe("working")
  })

  test("the tasks of somebody who leaves go back with a note", async () => {
    await using store = await open()
    for (const name of ["lead", "ann"]) valueOf(await store.roster.join(newcomer(name)))
    await add(store, "one")
    await take(store, "ann")
    await store.roster.leave("ann", "It failed.")
    expect(await store.board.get("1")).toMatchObject({ status: "pending", attempts: 1, notes: ["It failed."] })
    expect(await store.roster.members()).toMatchObject([{ name: "lead" }, { name: "ann", state: "gone" }])
  })

  test("the tasks of somebody whom the user stopped were not tried in vain", async () => {
    await using store = await open()
    for (const name of ["lead", "ann"]) valueOf(await store.roster.join(newcomer(name)))
    await add(store, "one")
    for (const note of ["once", "twice", "three times", "four times"]) {
      valueOf(await store.roster.join(newcomer("ann")))
      await take(store, "ann")
      await store.roster.leave("ann", note, "stopped")
    }
    const task = await store.board.get("1")
    expect(task).toMatchObject({
      status: "pending",
      attempts: 0,
      notes: ["once", "twice", "three times", "four times"],
    })
    expect(task?.owner).toBeUndefined()
  })

  test("a moment has all of a team", async () => {
    await using store = await open()
    await store.roster.join(newcomer("lead"))
    await store.roster.join(newcomer("ann"))
    await add(store, "one")
    await store.mail.send(letter("lead", "ann", "hi"))
    expect(await store.moment()).toEqual({
      ...(await store.roster.about()),
      members: await store.roster.members(),
      tasks: await store.board.list(),
      mail: await store.mail.all(),
    })
  })

  test("changes are told, until nobody listens", async () => {
    await using store = await open()
    let told = 0
    const end = store.watch(() => void told++)
    await add(store, "one")
    expect(told).toBeGreaterThan(0)
    end()
    const before = told
    await add(store, "two")
    expect(told).toBe(before)
  })
}

/** Whatever is changed in whatever order: no circles, both ends agree, and nothing begins before its blockers. */
function graphHolds(test: Tell, open: OpenStore): void {
  const id = fc.integer({ min: 1, max: 8 }).map(String)
  const change = fc.oneof(
    fc.record({ do: fc.constant("add" as const), by: fc.uniqueArray(id, { maxLength: 2 }) }),
    fc.record({ do: fc.constant("link" as const), id, other: id }),
    fc.record({ do: fc.constant("unlink" as const), id, other: id }),
    fc.record({ do: fc.constant("delete" as const), id }),
    fc.record({ do: fc.constant("claim" as const), id: fc.option(id, { nil: undefined }) }),
    fc.record({ do: fc.constant("complete" as const) }),
    fc.record({ do: fc.constant("back" as const) }),
  )

  test("the graph holds together", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), async (changes) => {
        await using store = await open()
        const held: Claim[] = []
        for (const each of changes) {
          if (each.do === "add") await store.board.create({ subject: "s", description: "", blockedBy: each.by })
          else if (each.do === "link") await store.board.change(each.id, { addBlocks: [each.other] })
          else if (each.do === "unlink") await store.board.change(each.id, { removeBlocks: [each.other] })
          else if (each.do === "delete") await store.board.change(each.id, { status: "deleted" })
          else if (each.do === "claim") {
            const before = await store.board.list()
            const claim = await store.board.claim("w", each.id === undefined ? {} : { id: each.id })
            if (!claim.ok) continue
            held.push(claim.value)
            const isOpen = (task: string): boolean =>
              before.some((other) => other.id === task && other.status !== "completed")
            expect(claim.value.task.blockedBy.filter(isOpen)).toEqual([])
          } else {
            const claim = held.pop()
            if (!claim) continue
            const { task, lease } = claim
            await (each.do === "complete"
              ? store.board.complete(task.id, lease)
              : store.board.giveBack(task.id, lease, "n"))
          }
          wellFormed(await store.board.list())
        }
      }),
      runs(15),
    )
  })
}

function wellFormed(tasks: readonly TeamTask[]): void {
  const by = new Map(tasks.map((task) => [task.id, task]))
  for (const { id, blocks, blockedBy } of tasks) {
    for (const other of blocks) expect(by.get(other)?.blockedBy).toContain(id)
    for (const other of blockedBy) expect(by.get(other)?.blocks).toContain(id)
  }
  const done = new Set<string>()
  for (let last = -1; last !== done.size;) {
    last = done.size
    for (const { id, blockedBy } of tasks) if (blockedBy.every((other) => done.has(other))) done.add(id)
  }
  expect(done.size).toBe(tasks.length)
}
