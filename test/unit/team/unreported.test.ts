/** What a member paid while its lead was away: booked when the member is resumed, and only what the lead does not know yet. */

import { expect, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import type { AgentSpending } from "#agent/words/budget.ts"
import { failed } from "#lib/result.ts"
import { openLeadPort } from "#session/adapters/member-adapter.ts"
import type { SpawnerParts } from "#session/adapters/spawn.ts"
import { beginningState } from "#session/journal/state.ts"
import type { ResumeMember } from "#team/hosts/host.ts"
import { openProcessHost, type ProcessParts } from "#team/hosts/process.ts"

const state = { mode: "default", model: "m", cwd: "/", thinking: { kind: "off" }, budget: {} } as const

function booked(paid: AgentSpending, known: { readonly [who: string]: AgentSpending }): readonly unknown[] {
  const found: unknown[] = []
  const own = { kind: "spent", turns: 1, models: [], agents: { main: paid } } as unknown as Entry
  const parts = {
    state: () => ({ ...beginningState(state as never), agents: known }),
    onSpent: ({ who, costUsd }: { who: string; costUsd: number }) => found.push(["log", who, costUsd]),
    parent: () => ({
      ledger: {
        book: ({ who, costUsd, tokens }: AgentSpending & { who: string }) => found.push([who, costUsd, tokens]),
      },
    }),
  } as unknown as SpawnerParts
  openLeadPort(parts, {}, () => [own]).bookUnreported("1", "ann 1")
  return found
}

test("only what the lead has not heard of is booked, in its log and in its ledger", () => {
  const paid = { costUsd: 3, tokens: 300 }
  const all = [
    ["log", "ann 1", 3],
    ["ann 1", 3, 300],
  ]
  expect(booked(paid, {})).toEqual(all)
  expect(booked(paid, { "ann 10": paid, bob: paid })).toEqual(all)
  expect(booked(paid, { "ann 1": { costUsd: 1, tokens: 100 }, "ann 1, search": { costUsd: 1, tokens: 50 } })).toEqual([
    ["log", "ann 1", 1],
    ["ann 1", 1, 150],
  ])
  expect(booked(paid, { "ann 1": paid })).toEqual([])
})

test("a member in a process is resumed after what it paid is booked", async () => {
  const did: string[] = []
  const host = openProcessHost({
    port: {
      onRules: () => () => undefined,
      inherited: () => ({}),
      bookUnreported: (id: string, who: string) => did.push(`book ${id} ${who}`),
    },
    ports: {
      crew: {
        start: async () => {
          did.push("start")
          return failed("no more")
        },
      },
    },
  } as unknown as ProcessParts)
  const ask = { id: "1", name: "ann", before: {} } as unknown as ResumeMember
  expect(await host.resume(ask)).toEqual(failed("no more"))
  expect(did).toEqual(["book 1 ann 1", "start"])
})
