/** Members that pull while others give them work and mail, over all orders of their steps and timers: nobody is idle too early, and nothing is forgotten. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { TeamStore, TeamTask } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { openLeases } from "#team/leases.ts"
import { nextFor } from "#team/next-work.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"

const names = ["ann", "bob", "cid"]

/** From a start to a kill. */
interface Life {
  isOver: boolean
}

const act = fc.oneof(
  fc.record({ do: fc.constant("task" as const), waitsFor: fc.uniqueArray(fc.nat(5), { maxLength: 2 }) }),
  fc.record({ do: fc.constant("mail" as const), to: fc.constantFrom(...names, "*") }),
  fc.record({ do: fc.constant("assign" as const), id: fc.nat(5), to: fc.constantFrom(...names) }),
  fc.record({ do: fc.constant("die" as const), who: fc.constantFrom(...names) }),
)

test("nobody is idle while work or mail is owed, and all of it is done, in whatever order things happen", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(act, { maxLength: 14 }), async (s, acts) => {
      const clock = scheduledClock(s)
      const store = await openTeamStore({ path: ":memory:", about: { name: "crew", lead: "lead" }, clock })
      for (const name of ["lead", ...names]) valueOf(await store.roster.join(newcomer(name)))
      const logs = new Map(names.map((name) => [name, [] as number[]]))
      const failures: unknown[] = []
      // Closing the last watch lets others run in the middle of a call.
      const unwatch = store.watch(() => {})
      const lives = new Map<string, Life>()
      const begin = (name: string): void => {
        const life: Life = { isOver: false }
        lives.set(name, life)
        live(name, logs.get(name) ?? [], life, scheduledStore(s, store, life), clock).catch((error: unknown) => {
          failures.push(error)
        })
      }
      for (const name of names) begin(name)
      for (const [at, each] of acts.entries()) {
        await s.waitFor(s.schedule(Promise.resolve(), `act ${at}`))
        if (each.do === "task") {
          const blockedBy = each.waitsFor.map(String)
          await store.board.create({ subject: "t", description: "", blockedBy })
        } else if (each.do === "mail")
          valueOf(await store.mail.send({ from: "lead", to: each.to, type: "message", text: "m", key: `${at}` }))
        else if (each.do === "assign") await store.board.change(`${each.id}`, { owner: each.to })
        else {
          // Killed between two of its calls, and started again with the log that it has.
          const life = lives.get(each.who)
          if (life) life.isOver = true
          begin(each.who)
        }
      }
      // Those who were woken need a moment until their next call is there to be scheduled.
      do {
        await s.waitIdle()
        await Bun.sleep(0)
      } while (s.count() > 0)

      for (const { status, owner } of await store.board.list())
        expect(status === "completed" || owner === "lead").toBe(true)
      for (const [name, log] of logs) expect(log).toEqual((await store.mail.after(name, 0)).map(({ seq }) => seq))
      const states = (await store.roster.members()).flatMap(({ name, state }) => (name === "lead" ? [] : [state]))
      expect(states).toEqual(["idle", "idle", "idle"])
      expect(failures).toEqual([])
      for (const life of lives.values()) life.isOver = true
      unwatch()
      await store.close()
    }),
    { numRuns: 200 },
  )
})

/** A member, until it is killed; its log is the mail it has seen. */
async function live(name: string, log: number[], life: Life, store: TeamStore, clock: Clock): Promise<void> {
  const leases = openLeases({
    board: store.board,
    clock: { ...clock, after: (ms, ring) => clock.after(ms, () => life.isOver || ring()) },
    everyMs: 1000,
    isGone: async () => false,
    noteAbout: ({ owner }) => `${owner} went silent`,
    onBack: () => {},
    onFailure: (error) => {
      throw error
    },
  })
  while (!life.isOver) {
    const changed = new Promise<void>((resolve) => {
      const end = store.watch(() => {
        end()
        resolve()
      })
    })
    const next = await nextFor(name, log.at(-1) ?? 0, store)
    if (next.kind === "mail") {
      log.push(...next.mail.map(({ seq }) => seq))
      await store.mail.delivered(name, log.at(-1) ?? 0)
    } else if (next.kind === "task") {
      leases.keepAlive(next.claim.lease)
      await store.board.complete(next.claim.task.id, next.claim.lease)
      leases.drop(next.claim.lease)
    } else if (next.kind === "open") {
      const claim = (await store.board.claims()).find(({ id }) => id === next.id)
      if (claim) await store.board.takeBack(claim, "begun before a crash")
    } else {
      leases.attend()
      await changed
    }
  }
}

/** Every call happens when it is its turn; and at the moment the store agrees that a member is idle, nothing is owed to it. */
function scheduledStore(s: fc.Scheduler, store: TeamStore, life: Life): TeamStore {
  const { board, mail, roster } = store
  const turn = async <T>(what: string, go: () => Promise<T>): Promise<T> => {
    await s.schedule(Promise.resolve(), what)
    return life.isOver ? await new Promise<never>(() => {}) : go()
  }
  return {
    ...store,
    board: {
      ...board,
      claim: (...given) => turn("claim", () => board.claim(...given)),
      complete: (...given) => turn("complete", () => board.complete(...given)),
      beat: (...given) => turn("beat", () => board.beat(...given)),
      claims: () => turn("claims", () => board.claims()),
      takeBack: (...given) => turn("take back", () => board.takeBack(...given)),
    },
    mail: {
      ...mail,
      after: (...given) => turn("mail", () => mail.after(...given)),
      delivered: (...given) => turn("delivered", () => mail.delivered(...given)),
    },
    roster: {
      ...roster,
      idle: (name, cursor) =>
        turn("idle", async () => {
          const [idle, tasks, unread] = await Promise.all([
            roster.idle(name, cursor),
            board.list(),
            mail.after(name, cursor),
          ])
          if (idle.ok) expect([unread, tasks.filter((task) => isOwed(task, name, tasks))]).toEqual([[], []])
          return idle
        }),
    },
  }
}

function isOwed({ status, owner, blockedBy }: TeamTask, name: string, tasks: readonly TeamTask[]): boolean {
  if (status === "in_progress") return owner === name
  const waits = tasks.some(({ id, status: of }) => of !== "completed" && blockedBy.includes(id))
  return status === "pending" && !waits && (owner === undefined || owner === name)
}

/** A timer may ring at any moment after it was set. */
const scheduledClock = (s: fc.Scheduler): Clock => ({
  now: () => 0,
  sleep: () => s.schedule(Promise.resolve(), "sleep"),
  after(_, ring) {
    let isSet = true
    void s.schedule(Promise.resolve(), "timer").then(() => isSet && ring())
    return () => void (isSet = false)
  },
})
