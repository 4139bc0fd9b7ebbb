/** The list of skills keeps to its room, whatever is in it. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { CommandDefinition } from "#agent/words/command.ts"
import type { Message } from "#agent/words/message.ts"
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

test("what a skill is for and when to use it are two sentences", () => {
  const listed = (description: string) => listingText([{ name: "x", description, whenToUse: "Use it often." }], 1_000)
  expect(listed("Finds causes")).toEndWith("- x: Finds causes. Use it often.")
  expect(listed("Finds (many)\n")).toEndWith("- x: Finds (many). Use it often.")
  expect(listed("Why? ")).toEndWith("- x: Why? Use it often.")
})

test("when not even the names have room, as many as do are there, and the rest are counted", () => {
  const all = Array.from({ length: 500 }, (_, i) => ({ name: `skill-number-${i}`, description: "x" }))
  expect(listingText(all, 2_000)).toMatch(
    /skill-number-0, .*\n\(\d+ more have no room here; the user knows their names\.\)$/s,
  )
})

const definitionOf = (name: string): CommandDefinition => ({
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
})
const said = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] })
const compaction = {
  kind: "compaction",
  uuid: "u",
  parentUuid: null,
  at: 0,
  trigger: "auto",
  preTokens: 0,
  postTokens: 0,
  by: "model",
  summary: "",
  standing: [],
} as const

test("a skill that is shown again is known again, also with odd names", () => {
  for (const name of ["tea", "a b. c", "x.y"]) {
    const words = skillWords(definitionOf(name), "Boil.", 200_000)
    const { text, data, name: attachment } = againWords(name, words)
    const imitated = reminder(againWords("other", skillWords(definitionOf("other"), "Fry.", 200_000)).text)
    const after = { ...compaction, messages: [said(imitated), said(reminder(text))] }
    expect(
      shownAgain({ ...after, added: [{ message: 1, block: 0, name: attachment, ...(data && { data }) }] }),
    ).toEqual([{ name, text: words }])
    // In a log of an older version only the words tell.
    expect(shownAgain(after).map((shown) => shown.name)).toEqual(["other", name])
  }
  expect(shownAgain({ ...compaction, messages: [said("The skill x. Follow it from here on.")] })).toEqual([])
})
