/** Several answers become one: whatever order they come in, the same comes of them. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { fold, type HookStatement } from "#kits/hooks/fold.ts"
import { type Meaning, nothing, verdicts } from "#kits/hooks/meaning.ts"
import { optional } from "#lib/optional.ts"

const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 2 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })

const meanings: fc.Arbitrary<Meaning> = fc
  .record({
    verdict: maybe(fc.constantFrom(...verdicts)),
    reason: maybe(fc.constantFrom("because", "so")),
    updatedInput: maybe(fc.integer().map((n) => ({ n }))),
    updatedOutput: maybe(fc.string()),
    stop: maybe(fc.constantFrom("stop", "halt")),
    title: maybe(fc.string()),
    failure: maybe(fc.string()),
    grants: texts,
    contexts: texts,
    says: texts,
    complaints: texts,
  })
  .map(({ verdict, reason, updatedInput, updatedOutput, stop, title, failure, ...lists }) => ({
    ...lists,
    ...optional("verdict", verdict),
    ...optional("reason", reason),
    ...optional("updatedInput", updatedInput),
    ...optional("updatedOutput", updatedOutput),
    ...optional("stop", stop),
    ...optional("title", title),
    ...optional("failure", failure),
  }))

const several: fc.Arbitrary<readonly HookStatement[]> = fc
  .array(meanings, { maxLength: 6 })
  .map((all) => all.map((meaning, order) => ({ name: `hook ${order}`, order, meaning })))

const shuffled = several.chain((said) =>
  fc.tuple(fc.constant(said), fc.shuffledSubarray([...said], { minLength: said.length })),
)

test("the order in which they end changes nothing", () => {
  fc.assert(fc.property(shuffled, ([said, other]) => expect(fold(other)).toEqual(fold(said))))
})

test("the configuration's order decides which changed input counts, and nothing else but the order of texts", () => {
  fc.assert(
    fc.property(shuffled, ([said, other]) => {
      const renumbered = other.map((one, order) => ({ ...one, order }))
      const [a, b] = [fold(said), fold(renumbered)]
      expect(b.verdict).toBe(a.verdict as never)
      expect(b.contexts.toSorted()).toEqual(a.contexts.toSorted())
      expect(b.grants.toSorted()).toEqual(a.grants.toSorted())
      expect(b.says.toSorted()).toEqual(a.says.toSorted())
      expect((b.reason ?? "").split("\n").toSorted()).toEqual((a.reason ?? "").split("\n").toSorted())
      expect(b.stop === undefined).toBe(a.stop === undefined)
      expect(b.updatedInput === undefined).toBe(a.updatedInput === undefined)
      const first = renumbered.find(({ meaning }) => meaning.updatedInput !== undefined)
      if (b.verdict !== "deny") expect(b.updatedInput).toEqual(first?.meaning.updatedInput as never)
    }),
  )
})

test("no is stronger than defer, defer than ask, and ask than yes, however many of each there are", () => {
  const strongestFirst = ["deny", "defer", "ask", "allow"] as const
  expect([...verdicts].toSorted()).toEqual(strongestFirst.toSorted())
  fc.assert(
    fc.property(several, (said) => {
      const all = said.map(({ meaning }) => meaning.verdict)
      expect(fold(said).verdict).toBe(strongestFirst.find((verdict) => all.includes(verdict)) as never)
    }),
  )
})

test("a no takes what was changed and granted with it", () => {
  const yes = { ...nothing, verdict: "allow", updatedInput: { a: 1 }, grants: ["Bash"] } as const
  const no = { ...nothing, verdict: "deny", reason: "no", grants: ["Write"] } as const
  const said = [yes, no].map((meaning, order) => ({ name: String(order), order, meaning }))
  expect(fold(said)).toEqual({ ...nothing, verdict: "deny", by: "1", reason: "no" })
})
