/** Sessions and agents that begin alike share one value, and what is known of it. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { textWeight } from "#agent/words/weight.ts"
import { openSetups, type SetupValue } from "#session/request/setups.ts"

const tool = (name: string, deferred = false) => ({
  name,
  description: `Does ${name}.`,
  input_schema: { type: "object" as const, properties: {} },
  ...(deferred && { deferred: true as const }),
})
const setup = (text: string, ...tools: SetupValue["tools"]): SetupValue => ({ system: [{ text }], tools })

describe("setups", () => {
  test("what says the same is the same value; what differs in anything is another", () => {
    const setups = openSetups()
    const first = setups.shared(setup("Work.", tool("Read")))
    expect(setups.shared(setup("Work.", tool("Read")))).toBe(first)
    const others = [
      setup("Work!", tool("Read")),
      setup("Work.", tool("Write")),
      setup("Work.", tool("Read", true)),
      setup("Work."),
      setup("Work.", tool("Read"), tool("Write")),
    ]
    for (const other of others) {
      expect(setups.shared(other)).toBe(other)
      expect(setups.digestOf(other)).not.toBe(setups.digestOf(first))
    }
  })

  test("a digest is that of the text, known or not, and deferred tools weigh nothing", () => {
    const value = setup("Work.", tool("Read"), tool("Late", true))
    const known = openSetups()
    known.shared(value)
    const digest = Bun.SHA256.hash(JSON.stringify(value), "hex").slice(0, 32)
    for (const setups of [known, openSetups()]) {
      expect(setups.digestOf(value)).toBe(digest)
      expect(setups.weightOf(value)).toEqual(textWeight(`Work.\n${JSON.stringify([tool("Read")])}`))
    }
    // The same tools with other words are another setup.
    const other = { ...value, system: [{ text: "Rest." }] }
    expect(known.digestOf(other)).not.toBe(digest)
  })

  test("however many there are, each value is equal to what was asked for, and the latest ones are kept", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 60 }), (asked) => {
        const setups = openSetups()
        let last: SetupValue | undefined
        for (const each of asked) {
          const wanted = setup(`Kind ${each}.`, tool(`T${each}`))
          const got = setups.shared(wanted)
          expect(got).toEqual(wanted)
          expect(setups.shared(wanted)).toBe(got)
          if (last) expect(setups.shared({ ...last })).toBe(last)
          last = got
        }
      }),
    )
  })
})
