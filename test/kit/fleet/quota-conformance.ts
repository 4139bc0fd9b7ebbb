/** How many sessions may be at work at a time: never more, whoever takes them at once, and none is forgotten. */

import { expect } from "bun:test"
import type { Lease, SessionQuotas, WorkspaceSource } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { valueOf } from "../team/conformance.ts"
import type { Tell } from "../turns.ts"
import { longMs, session, worker } from "./records.ts"

export function quotasConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  /** Sessions of one label, and a worker for them. */
  async function begin(store: FleetStore, quotas: SessionQuotas) {
    const label = fresh()
    await store.leases.beat(worker(label, { labels: [label], slots: 100 }), [], longMs)
    const create = async (name: string, by: string, workspace: WorkspaceSource, lead?: string): Promise<string> => {
      const id = `${label} ${name}`
      const opening = { workspace }
      await store.sessions.create(session(id, { labels: [label], opening, ...(lead !== undefined && { lead }) }), by)
      return id
    }
    const take = (): Promise<Lease | undefined> => store.leases.acquire(label, longMs, { quotas })
    const queued = async (id: string): Promise<string | undefined> => (await store.sessions.get(id))?.queued
    return { label, create, take, queued }
  }

  test("beyond a person's quota a session waits and says why, others do not, and it starts when one is set aside", async () => {
    const store = open()
    const { label, create, take, queued } = await begin(store, { userSessions: 1 })
    const ann = `ann of ${label}`
    const first = await create("1", ann, { path: "/a" })
    const second = await create("2", ann, { path: "/b" })
    const others = await create("3", `bob of ${label}`, { path: "/c" })
    const lease = await take()
    expect(lease?.sessionId).toBe(first)
    expect((await take())?.sessionId).toBe(others)
    expect(await take()).toBeUndefined()
    expect(await queued(second)).toBe(
      `One session of ${ann} is at work, and no more may be at a time (server.quotas.userSessions). This one starts by itself when another ends or waits for an answer.`,
    )
    expect((await store.spending.atWork()).users.get(ann)).toEqual({ held: 1, queued: 1 })
    // What is asked of it meanwhile changes nothing.
    await store.sessions.wake(second)
    expect(await take()).toBeUndefined()
    if (lease) valueOf(await store.leases.park(lease, { stage: "completed" }))
    expect((await take())?.sessionId).toBe(second)
    expect(await queued(second)).toBeUndefined()
  })

  test("a repository is the same by whatever address, its members count once, and whoever is canceled makes room", async () => {
    const store = open()
    const { label, create, take, queued } = await begin(store, { repositorySessions: 1 })
    const path = label.replaceAll(/\W/g, "")
    const first = await create("1", "ann", { git: { url: `https://Git.example/${path}.git` } })
    const member = await create("member", "ann", { git: { url: `https://git.example/${path}` } }, first)
    const second = await create("2", "bob", { git: { url: `git@git.example:${path}.git` } })
    const canceled = await create("3", "bob", { git: { url: `ssh://git@git.example:22/${path}/` } })
    expect([(await take())?.sessionId, (await take())?.sessionId]).toEqual([first, member])
    expect(await take()).toBeUndefined()
    expect(await queued(second)).toContain(`One session in git.example/${path} is at work`)
    valueOf(await store.sessions.cancel(canceled, "bob"))
    expect(await queued(canceled)).toBeUndefined()
    expect(await take()).toBeUndefined()
    valueOf(await store.sessions.cancel(first, "ann"))
    expect((await take())?.sessionId).toBe(second)
    expect(await take()).toBeUndefined()
  })

  test("whoever takes sessions at once, there are never more at work than may be, and all get their turn", async () => {
    const store = open()
    const { label, create, take } = await begin(store, { userSessions: 2, repositorySessions: 3 })
    const ids = new Set<string>()
    for (let nth = 0; nth < 9; nth++)
      ids.add(await create(String(nth), `user ${nth % 3} of ${label}`, { path: `/${label}/${nth % 2}` }))
    const held = new Map<string, Lease>()
    while (ids.size > 0) {
      for (const lease of await Promise.all([take(), take(), take(), take()]))
        if (lease) held.set(lease.sessionId, lease)
      const { users, repositories } = await store.spending.atWork()
      for (let nth = 0; nth < 3; nth++) expect(users.get(`user ${nth} of ${label}`)?.held ?? 0).toBeLessThan(3)
      for (let nth = 0; nth < 2; nth++) expect(repositories.get(`/${label}/${nth}`)?.held ?? 0).toBeLessThan(4)
      const [lease] = held.values()
      if (!lease) {
        // Somebody looks now and then for whom nobody has told.
        await store.leases.beat(worker(label, { labels: [label], slots: 100 }), [], 600)
        await Bun.sleep(20)
        continue
      }
      valueOf(await store.leases.park(lease, { stage: "completed" }))
      held.delete(lease.sessionId)
      expect(ids.delete(lease.sessionId)).toBe(true)
    }
  })

  test("what sessions cost is counted once for their repository too, by day and month", async () => {
    const store = open()
    const { label, create, take } = await begin(store, {})
    await create("1", `payer of ${label}`, { path: `/${label}` })
    const lease = await take()
    for (const costUsd of [2, 5, 3]) if (lease) valueOf(await store.leases.report(lease, { costUsd }))
    const { users, repositories } = await store.spending.spent()
    const five = { day: 5, month: 5 }
    expect([users.get(`payer of ${label}`), repositories.get(`/${label}`)]).toEqual([five, five])
    expect((await store.spending.running()).find(({ id }) => id === lease?.sessionId)?.repository).toBe(`/${label}`)
  })
}
