/** What a member does next, and that nobody is idle while something is owed, whatever happens in between. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { TeamStore } from "#agent/words/team.ts"
import { systemClock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { nextFor } from "#team/next-work.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const about = { name: "crew", lead: "lead" }
const open = (path: string): Promise<TeamStore> => openTeamStore({ path, about, clock: systemClock })

/** The store, with something done by others before each of its calls that the member makes. */
function meddled(store: TeamStore, meddle: () => Promise<void>): TeamStore {
  const { board, mail, roster } = store
  const after = async <T>(go: () => Promise<T>): Promise<T> => {
    await meddle()
    return go()
  }
  return {
    ...store,
    board: { ...board, claim: (...given) => after(() => board.claim(...given)) },
    mail: { ...mail, after: (...given) => after(() => mail.after(...given)) },
    roster: { ...roster, idle: (...given) => after(() => roster.idle(...given)) },
  }
}

describe("what a member does next", () => {
  test("mail, then a task, then nothing; its own open task is named", async () => {
    using folder = temporaryFolder()
    const store = await open(folder.join("team.db"))
    for (const name of ["lead", "ann"]) valueOf(await store.roster.join(newcomer(name)))
    valueOf(await store.board.create({ subject: "one", description: "" }))
    valueOf(await store.mail.send({ from: "lead", to: "ann", type: "message", text: "hello", key: "k" }))
    expect(await nextFor("ann", 0, store)).toMatchObject({ kind: "mail", mail: [{ seq: 1, text: "hello" }] })
    const next = await nextFor("ann", 1, store)
    expect(next).toMatchObject({ kind: "task", claim: { task: { id: "1" } } })
    expect(await nextFor("ann", 1, store)).toEqual({ kind: "open", id: "1" })
    if (next.kind === "task") valueOf(await store.board.complete("1", next.claim.lease))
    expect(await nextFor("ann", 1, store)).toEqual({ kind: "idle" })
    await store.close()
  })

  test("mail that comes while it looks for its own task is read first", async () => {
    using folder = temporaryFolder()
    const store = await open(folder.join("team.db"))
    for (const name of ["lead", "ann"]) valueOf(await store.roster.join(newcomer(name)))
    valueOf(await store.board.create({ subject: "one", description: "" }))
    valueOf(await store.board.claim("ann"))
    let calls = 0
    const next = await nextFor(
      "ann",
      0,
      meddled(store, async () => {
        // Its mail was read and it found no other task: now it asks whether it is idle.
        if (++calls === 3)
          valueOf(await store.mail.send({ from: "lead", to: "ann", type: "message", text: "stop", key: "k" }))
      }),
    )
    expect(next).toMatchObject({ kind: "mail", mail: [{ text: "stop" }] })
    await store.close()
  })

  test("nobody is idle while work or mail is owed, whatever others do in between", async () => {
    const acts = fc.array(fc.constantFrom("nothing", "task", "mail", "take", "block"), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(acts, async (given) => {
        using folder = temporaryFolder()
        const store = await open(folder.join("team.db"))
        for (const name of ["lead", "ann", "bob"]) valueOf(await store.roster.join(newcomer(name)))
        const left = [...given]
        let sent = 0
        const next = await nextFor(
          "ann",
          0,
          meddled(store, async () => {
            const act = left.shift()
            if (act === "task") await store.board.create({ subject: "t", description: "" })
            if (act === "mail")
              await store.mail.send({ from: "bob", to: "ann", type: "message", text: "m", key: `${sent++}` })
            if (act === "take") await store.board.claim("bob")
            if (act === "block") await store.board.create({ subject: "t", description: "", blocks: ["1"] })
          }),
        )
        const ann = (await store.roster.members()).find(({ name }) => name === "ann")
        if (next.kind === "idle") {
          expect(await store.mail.after("ann", 0)).toEqual([])
          expect((await store.board.claim("ann")).ok).toBe(false)
        }
        expect(ann?.state).toBe(next.kind === "idle" ? "idle" : "working")
        await store.close()
      }),
      { numRuns: 60 },
    )
  })
})
