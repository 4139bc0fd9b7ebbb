/** Claims are kept alive, and taken back from those that went silent. */

import { describe, expect, test } from "bun:test"
import type { TeamStore } from "#agent/words/team.ts"
import { systemClock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { type Leases, openLeases } from "#team/leases.ts"
import { openMember } from "#team/member.ts"
import { openHandClock } from "../../kit/hand-clock.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

async function place() {
  const folder = temporaryFolder()
  const store: TeamStore = await openTeamStore({
    path: folder.join("team.db"),
    about: { name: "crew", lead: "lead" },
    clock: systemClock,
  })
  for (const name of ["lead", "ann", "bob"]) valueOf(await store.roster.join(newcomer(name)))
  valueOf(await store.board.create({ subject: "one", description: "" }))
  return {
    store,
    task: async () => {
      const task = await store.board.get("1")
      return task && [task.status, task.owner, ...task.notes]
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

function process(store: TeamStore, gone: readonly string[] = []) {
  const clock = openHandClock()
  const back: string[] = []
  const leases: Leases = openLeases({
    board: store.board,
    clock,
    everyMs: 1000,
    isGone: async (owner) => gone.includes(owner),
    noteAbout: ({ owner }) => `${owner} went silent`,
    onBack: ({ id }) => void back.push(id),
    onFailure: (error) => {
      throw error
    },
  })
  return { clock, leases, back }
}

describe("leases", () => {
  test("who gives signs of life keeps the task; who does not loses it", async () => {
    await using here = await place()
    const [worker, other] = [process(here.store), process(here.store)]
    const { lease } = valueOf(await here.store.board.claim("ann"))
    worker.leases.keepAlive(lease)
    other.leases.attend()
    for (let i = 0; i < 10; i++) {
      await worker.clock.pass(1000)
      await other.clock.pass(1000)
    }
    expect(await here.task()).toEqual(["in_progress", "ann"])
    await other.clock.pass(3000)
    expect(await here.task()).toEqual(["in_progress", "ann"])
    await other.clock.pass(1000)
    expect(await here.task()).toEqual(["pending", undefined, "ann went silent"])
    expect(other.back).toEqual(["1"])
    // The worker wakes up: it learns that the task is no longer its own.
    await worker.clock.pass(1000)
    expect(await here.store.board.complete("1", lease)).toEqual({ ok: false, failure: { kind: "lost", id: "1" } })
  })

  test("whose process is known to be gone is not waited for", async () => {
    await using here = await place()
    const other = process(here.store, ["ann"])
    valueOf(await here.store.board.claim("ann"))
    other.leases.attend()
    await other.clock.pass(1000)
    expect(await here.task()).toEqual(["pending", undefined, "ann went silent"])
  })

  test("a member that continues in the middle of a turn keeps its task alive from the start", async () => {
    await using here = await place()
    const [own, other] = [process(here.store), process(here.store)]
    valueOf(await here.store.board.claim("ann"))
    const {
      kits: [kit],
    } = openMember({
      team: "crew",
      name: "ann",
      id: "session",
      lead: "lead",
      store: here.store,
      leases: own.leases,
      clock: own.clock,
      taskTools: () => [],
      idleHook: () => undefined,
      where: () => ({ log: undefined }),
      mailTo: 0,
      plans: false,
      askAboutPlan: undefined,
      wasLeft: "working",
      costUsd: 0,
      isClosing: () => true,
      onFailure: (error) => {
        throw error
      },
    })
    // Its question waited for a person, so the turn of before goes on.
    kit?.onEntry?.({ kind: "turn_start", turnId: "t", uuid: "u", parentUuid: null, at: 0 } as never)
    kit?.stirs?.(() => {})
    other.leases.attend()
    for (let i = 0; i < 10; i++) {
      await own.clock.pass(1000)
      await other.clock.pass(1000)
    }
    expect(await here.task()).toEqual(["in_progress", "ann"])
    await kit?.close?.()
    own.leases.close()
    other.leases.close()
  })

  test("where nobody works, nothing wakes up", async () => {
    await using here = await place()
    let timers = 0
    const clock = openHandClock()
    const counted = { ...clock, after: (ms: number, ring: () => void) => (timers++, clock.after(ms, ring)) }
    const leases = openLeases({
      board: here.store.board,
      clock: counted,
      everyMs: 1000,
      isGone: async () => false,
      noteAbout: () => "",
      onBack: () => {},
      onFailure: () => {},
    })
    leases.attend()
    await clock.pass(60_000)
    expect(timers).toBe(1)
    leases.close()
  })
})
