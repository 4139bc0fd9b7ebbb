/** A task that the user gives to somebody else. */

import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { seededIds } from "#lib/ids.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { assigning } from "#team/assign.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

test("whoever works on it loses it and is told; others and the lead are not", async () => {
  using folder = temporaryFolder()
  const about = { name: "crew", lead: "lead" }
  const store = await openTeamStore({ path: folder.join("team.db"), about, clock: systemClock })
  for (const name of ["lead", "ann", "bob"]) valueOf(await store.roster.join(newcomer(name)))
  valueOf(await store.board.create({ subject: "one", description: "" }))
  const assign = assigning(store, { lead: "lead", ids: seededIds(1) })
  const owner = async () => {
    const task = await store.board.get("1")
    return [task?.status, task?.owner]
  }

  valueOf(await assign("1", "bob"))
  expect([await owner(), await store.mail.all()]).toEqual([["pending", "bob"], []])
  valueOf(await assign("1", null))
  expect(await owner()).toEqual(["pending", undefined])

  const { lease } = valueOf(await store.board.claim("ann"))
  valueOf(await assign("1", "bob"))
  expect(await owner()).toEqual(["pending", "bob"])
  expect((await store.board.complete("1", lease)).ok).toBe(false)
  expect(await store.mail.after("ann", 0)).toMatchObject([
    { from: "lead", text: "The user gave #1 to bob. Stop working on it." },
  ])
  expect(await store.mail.after("bob", 0)).toEqual([])

  const again = valueOf(await store.board.claim("bob"))
  valueOf(await store.board.complete("1", again.lease))
  expect(await assign("1", "ann")).toEqual({ ok: false, failure: "#1 is completed." })
  expect(await assign("9", "ann")).toEqual({ ok: false, failure: "There is no task #9." })
  await store.close()
})
