/** What members in other processes ask of their lead: one budget for all, questions answered once, and nothing that cannot be read. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { noUsage } from "#agent/words/model.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { Ledger, Reservation } from "#kits/budget/ledger.ts"
import { deferred } from "#lib/deferred.ts"
import { type JsonObject, objectIn } from "#lib/json.ts"
import { readFromLead, readFromMember } from "#team/hosts/messages.ts"
import { type LinkedPair, openLinkedLead } from "../../kit/team/linked.ts"

const price = { input: 1_000_000, output: 1_000_000, cacheRead: 0, cacheWrite: 1_000_000 }
const prices = () => price
const usd = 100

type Step =
  | { readonly do: "reserve"; readonly who: number; readonly most: number }
  | { readonly do: "settle" | "release"; readonly who: number; readonly share: number }
  | { readonly do: "die"; readonly who: number }

const who = fc.nat({ max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("reserve" as const), who, most: fc.integer({ min: 1, max: 40 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("settle" as const, "release" as const),
      who,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("die" as const), who: fc.integer({ min: 1, max: 3 }) }) },
)

interface Spender {
  readonly pair: LinkedPair | undefined
  readonly ledger: Pick<Ledger, "reserve">
  readonly open: { readonly reservation: Reservation; readonly most: number }[]
}

test("whatever several processes do, together they never exceed the budget, and the lead has all of it in its books", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), async (steps) => {
      const lead = openLinkedLead({ prices, usd })
      const begin = (at: number): Spender => {
        const pair = at === 0 ? undefined : lead.link(`${at}`)
        return { pair, ledger: pair?.calls.up.ledger ?? lead.ledger, open: [] }
      }
      const all = [0, 1, 2, 3].map(begin)
      let paid = 0
      let byLead = 0
      const reserved = (): number => all.flatMap(({ open }) => open).reduce((sum, { most }) => sum + most, 0)
      for (const each of steps) {
        const spender = all[each.who]
        if (!spender) continue
        if (each.do === "die") {
          spender.pair?.server.close()
          all[each.who] = begin(each.who)
        } else if (each.do === "reserve") {
          const left = usd - paid - reserved()
          const got = await spender.ledger.reserve({
            who: "x",
            model: "m",
            inputTokens: each.most,
            maxOutput: 0,
          })
          // Exactly what fits is admitted.
          expect(got.ok).toBe(each.most <= left + 1e-6)
          if (got.ok) spender.open.push({ reservation: got.value, most: each.most })
        } else {
          const next = spender.open.shift()
          const input = next ? Math.floor(next.most * each.share) : 0
          if (each.do === "release") next?.reservation.release()
          else if (next) {
            expect(next.reservation.settle({ ...noUsage, input_tokens: input })).toBe(input)
            paid += input
            if (each.who === 0) byLead += input
          }
        }
        expect(paid + reserved()).toBeLessThanOrEqual(usd + 1e-6)
      }
      const booked = lead.spent.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)
      expect(booked).toBeCloseTo(paid - byLead, 6)
    }),
    { numRuns: 60 },
  )
})

test("one that finds the budget reserved waits until a process is paid, and goes on", async () => {
  const lead = openLinkedLead({ prices, usd: 10 })
  const ann = lead.link("ann").calls.up.ledger
  const bob = lead.link("bob").calls.up.ledger
  const ask = { who: "x", model: "m", inputTokens: 8, maxOutput: 0 }
  const first = await ann.reserve(ask)
  const second = await bob.reserve(ask)
  expect(second).toMatchObject({ ok: false, failure: { kind: "over_cap", held: "here" } })
  const returned = bob.returned(new AbortController().signal)
  if (first.ok) first.value.settle({ ...noUsage, input_tokens: 1 })
  await returned
  expect((await bob.reserve(ask)).ok).toBe(true)
})

test("a process that ends while its reservation is being made holds nothing", async () => {
  const lead = openLinkedLead({ prices, usd: 10 })
  const { server } = lead.link("ann")
  const ask = { who: "x", model: "m", inputTokens: 8, maxOutput: 0 }
  server.receive({ kind: "reserve", number: 1, ask })
  server.close()
  await Bun.sleep(0)
  expect((await lead.ledger.reserve({ ...ask, inputTokens: 10 })).ok).toBe(true)
})

test("what is paid is booked once, also if a process says it twice", async () => {
  const lead = openLinkedLead({ prices, usd: 10 })
  const { server } = lead.link("ann")
  server.receive({ kind: "reserve", number: 1, ask: { who: "x", model: "m", inputTokens: 8, maxOutput: 0 } })
  await Bun.sleep(0)
  const usage = { ...noUsage, input_tokens: 3 }
  for (const _ of ["once", "twice"]) server.receive({ kind: "settle", reservation: 1, usage })
  expect(lead.spent).toEqual([{ who: "x", model: "m", usage, costUsd: 3 }])
})

describe("questions", () => {
  const question: QuestionAsk = {
    kind: "choice",
    callId: "own:x",
    questions: [{ question: "Go?", header: "Go", options: [], multiSelect: false }],
  }
  const yes: Answer = { kind: "choices", answers: { "Go?": "Yes" } }

  test("an answer arrives as it was given", async () => {
    const asked: unknown[] = []
    const lead = openLinkedLead({
      prices,
      ask: async (ask, _, agent) => {
        asked.push(ask, agent)
        return yes
      },
    })
    const { up } = lead.link("ann").calls
    const agent = { id: "1", type: "general", name: "ann" }
    expect(await up.ask(question, new AbortController().signal, agent)).toEqual(yes)
    expect(asked).toEqual([question, agent])
  })

  test("leaving is not answering: what a closing lead says stays unsaid", async () => {
    const answer = deferred<Answer>()
    const lead = openLinkedLead({ prices, ask: () => answer.promise })
    const { calls, server } = lead.link("ann")
    let heard: Answer | undefined
    void calls.up.ask(question, new AbortController().signal).then((said) => (heard = said))
    lead.isClosing = true
    answer.resolve({ kind: "unanswered", why: "the session is closed" })
    server.close()
    calls.lose()
    calls.close()
    await Bun.sleep(20)
    expect(heard).toBeUndefined()
  })

  test("one that is answered in the member's window is withdrawn at the lead; a later answer is told to be unused", async () => {
    const signals: AbortSignal[] = []
    const answer = deferred<Answer>()
    const lead = openLinkedLead({
      prices,
      ask(_, signal) {
        signals.push(signal)
        return answer.promise
      },
    })
    const { calls, server } = lead.link("ann")
    const closed = new AbortController()
    const asked = calls.up.ask(question, closed.signal)
    closed.abort()
    await asked
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    answer.resolve(yes)
    await Bun.sleep(5)
    // The two crossed on their way: the lead had answered already.
    const second = calls.up.ask(question, new AbortController().signal)
    await second
    server.receive({ kind: "cancel", number: 2 })
    expect(lead.recorded).toMatchObject([{ kind: "notice", text: expect.stringContaining("was not used") }])
  })

  test("what waits for a lead that is gone says so, and the rest is given up", async () => {
    let stuck = 0
    const lead = openLinkedLead({ prices, usd: 1, onStuck: () => void stuck++ })
    const { calls } = lead.link("ann")
    calls.lose()
    expect(stuck).toBe(0)
    void calls.up.ask(question, new AbortController().signal)
    expect(stuck).toBe(1)
  })
})

test("grants, folders, updates, facts and warnings reach the lead as they were", async () => {
  const lead = openLinkedLead({ prices })
  const { up } = lead.link("ann").calls
  up.grants.remember({ rule: "Bash(ls)", destination: "session" })
  up.widen?.({ folders: ["/a"], mode: "acceptEdits" })
  await up.update([{ kind: "mode", mode: "plan", destination: "session" }])
  up.gates.note({ gate: "testFirst", state: "failing", about: "npm test" })
  up.warn("Careful.")
  expect(lead.heard).toEqual([
    ["grant", { rule: "Bash(ls)", destination: "session" }],
    ["widen", { folders: ["/a"], mode: "acceptEdits" }],
    ["update", [{ kind: "mode", mode: "plan", destination: "session" }]],
    ["gate", { gate: "testFirst", state: "failing", about: "npm test" }],
    ["warn", "Careful."],
  ])
})

test.each<JsonObject>([
  { kind: "grant", grant: { rule: "Bash", destination: "everywhere" } },
  { kind: "grant", grant: { rule: 1, destination: "session" } },
  { kind: "widen", mode: "root" },
  { kind: "update", number: 1, updates: [{ kind: "rules", act: "add", rules: "Bash" }] },
  { kind: "gate", fact: { gate: "testFirst", state: "done", about: "" } },
  { kind: "ask", number: 1, ask: { kind: "permission" } },
  { kind: "settle", reservation: 1, usage: { input_tokens: -1 } },
  { kind: "unknown" },
  {},
])("a message of a wrong shape is refused: %j", (message) => {
  expect(readFromMember(message).ok).toBe(false)
})

test("no random object is taken for a message, nor for what is inherited", () => {
  const kinds = ["inherited", "answer", "reserved", "refused", "done", "prompt", "stop_command", "end", "grant"]
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.jsonValue(), (kind, body) => {
      const message: JsonObject = { ...objectIn(JSON.stringify({ body })), kind }
      expect(readFromMember(message).ok).toBe(false)
      expect(readFromLead(message).ok).toBe(false)
    }),
  )
})
