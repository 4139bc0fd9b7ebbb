/** The list of skills keeps to its room, whatever is in it. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { listingText } from "#kits/skills/listing.ts"
import { againWords, shownAgain, skillWords } from "#kits/skills/words.ts"
import { reminder } from "#agent/words/reminder.ts"

const skill = fc.record({ name: fc.stringMatching(/^[a-z-]{1,20}$/), description: fc.string({ maxLength: 2_000 }) })

test("never longer than its room; every name is there while names have room; short descriptions outlast long ones", () => {
  fc.assert(
    fc.property(
      fc.array(skill, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1_000, max: 20_000 }),
      (all, room) => {
        const text = listingText(all, room) ?? ""
        // What imitates the program is longer once it is made harmless.
        expect(text.length).toBeLessThanOrEqual(room + 200)
        if (all.reduce((sum, { name }) => sum + name.length + 5, 400) < room)
          for (const { name } of all) expect(text).toContain(`- ${name}:`)
      },
    ),
  )
  expect(listingText([], 1_000)).toBeUndefined()
})

test("when not even the names have room, as many as do are there, and the rest are counted", () => {
  const all = Array.from({ length: 500 }, (_, i) => ({ name: `skill-number-${i}`, description: "x" }))
  expect(listingText(all, 2_000)).toMatch(
    /skill-number-0, .*\n\(\d+ more have no room here; the user knows their names\.\)$/s,
  )
})

test("a skill that is shown again is known again, also with odd names", () => {
  for (const name of ["tea", "a b. c", "x.y"]) {
    const words = skillWords(
      {
        name,
        kind: "skill",
        source: "user",
        description: "",
        takes: "",
        argumentNames: [],
        allowedTools: [],
        disallowedTools: [],
        isForModel: true,
        isForPerson: true,
        body: "",
        problems: [],
        folder: "/f",
      },
      "Boil.",
    )
    expect(shownAgain(reminder(againWords(words)))).toEqual({ name, text: words })
  }
  expect(shownAgain("The skill x. Follow it from here on.")).toBeUndefined()
})
