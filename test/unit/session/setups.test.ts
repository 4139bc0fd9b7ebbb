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
      expect(setups.isSame(other, first)).toBe(false)
    }
  })

  test("it is the same after it was written and read, known or not, and deferred tools weigh nothing", () => {
    const value = setup("Work.", tool("Read"), tool("Late", true))
    const known = openSetups()
    known.shared(value)
    for (const setups of [known, openSetups()]) {
      expect(setups.isSame(value, JSON.parse(JSON.stringify(value)) as SetupValue)).toBe(true)
      expect(setups.weightOf(value)).toEqual(textWeight(`Work.\n${JSON.stringify([tool("Read")])}`))
    }
    // The same tools with other words are another setup.
    expect(known.isSame(value, { ...value, system: [{ text: "Rest." }] })).toBe(false)
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
