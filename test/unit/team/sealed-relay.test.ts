/** What is written to the team's file by anybody else than the lead's processes permits nothing and says nothing. */

import { expect, test } from "bun:test"
import type { Relay } from "#agent/words/relay.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { systemClock } from "#lib/clock.ts"
import { sealedRelay } from "#team/sealed-relay.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

async function open(): Promise<{ plain: Relay; lead: Relay; member: Relay } & AsyncDisposable> {
  const folder = temporaryFolder()
  const store = await openTeamStore({
    path: folder.join("team.db"),
    about: { name: "crew", lead: "lead" },
    clock: systemClock,
  })
  return {
    plain: store.relay,
    lead: sealedRelay(store.relay, "secret"),
    member: sealedRelay(store.relay, "secret"),
    async [Symbol.asyncDispose]() {
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

const ask = { id: "a", member: "ann", kind: "grant", body: { rule: "Bash", destination: "session" } } as const

test("what has a seal arrives as it was", async () => {
  await using t = await open()
  t.lead.handDown({ mode: "default" })
  expect(t.member.handed()).toMatchObject({ mode: "default" })
  t.member.ask(ask)
  expect(t.lead.asks()).toEqual([ask])
  expect(t.lead.answer("a", { yes: true })).toBe(true)
  expect(t.member.answerTo("a")).toEqual({ yes: true })
  t.lead.order("run", { kind: "say" })
  expect(t.member.orders("run", 0).map(({ body }) => body)).toEqual([{ kind: "say" }])
})

test("what has none, or that of something else, is ignored", async () => {
  await using t = await open()
  t.plain.handDown({ mode: "bypassPermissions" })
  expect(t.member.handed()).toBeUndefined()
  t.plain.ask(ask)
  t.plain.ask({ ...ask, id: "b", body: { body: ask.body, seal: "0".repeat(64) } })
  expect(t.lead.asks()).toEqual([])
  t.plain.order("run", { kind: "say", content: "as the user" })
  expect(t.member.orders("run", 0)).toEqual([])
  t.member.ask({ ...ask, id: "c" })
  const real = t.plain.asks().find(({ id }) => id === "c")
  // The seal of one ask does not fit another id, member, kind or body.
  for (const other of [{ id: "d" }, { member: "bob" }, { kind: "widen" }] as const)
    t.plain.ask({ ...ask, id: "e", body: real?.body ?? {}, ...other })
  expect(t.lead.asks().map(({ id }) => id)).toEqual(["c"])
  t.plain.answer("c", { yes: true })
  expect(t.member.answerTo("c")).toBeUndefined()
})

test("an earlier state that is put back is not believed", async () => {
  await using t = await open()
  t.lead.handDown({ mode: "bypassPermissions" })
  expect(t.member.handed()).toMatchObject({ mode: "bypassPermissions" })
  const before = t.plain.handed() ?? {}
  t.lead.handDown({ mode: "plan" })
  expect(t.member.handed()).toMatchObject({ mode: "plan" })
  t.plain.handDown(before)
  expect(t.member.handed()).toBeUndefined()
})
