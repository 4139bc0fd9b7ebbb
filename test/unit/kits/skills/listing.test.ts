/** The list of skills keeps to its room, whatever is in it. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { CommandDefinition } from "#agent/words/command.ts"
import type { Message } from "#agent/words/message.ts"
import { laterListing, listing } from "#kits/skills/listing.ts"
import { relevantTo } from "#kits/skills/relevant.ts"
import { againWords, shownAgain, skillWords } from "#kits/skills/words.ts"
import { reminder } from "#agent/words/reminder.ts"

const skill = fc.record({ name: fc.stringMatching(/^[a-z-]{1,20}$/), description: fc.string({ maxLength: 2_000 }) })

test("never longer than its room; every name is there while names have room; short descriptions outlast long ones", () => {
  fc.assert(
    fc.property(
      fc.array(skill, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1_000, max: 20_000 }),
      (all, room) => {
        const { text, whole } = listing(all, room, () => all.slice(0, 5)) ?? { text: "", whole: [] }
        // What imitates the program is longer once it is made harmless.
        expect(text.length).toBeLessThanOrEqual(room + 200)
        for (const name of whole) expect(text).toContain(`- ${name}:`)
        if (all.reduce((sum, { name }) => sum + name.length + 5, 400) < room * 0.37)
          for (const { name } of all) expect(text).toContain(`- ${name}:`)
      },
    ),
  )
  expect(listing([], 1_000)).toBeUndefined()
})

test("what a skill is for and when to use it are two sentences", () => {
  const listed = (description: string) => listing([{ name: "x", description, whenToUse: "Use it often." }], 1_000)?.text
  expect(listed("Finds causes")).toEndWith("- x: Finds causes. Use it often.")
  expect(listed("Finds (many)\n")).toEndWith("- x: Finds (many). Use it often.")
  expect(listed("Why? ")).toEndWith("- x: Why? Use it often.")
})

test("when not even the names have room, as many as do are there, and the rest are counted", () => {
  const all = Array.from({ length: 500 }, (_, i) => ({ name: `skill-number-${i}`, description: "x" }))
  expect(listing(all, 2_000)?.text).toMatch(
    /skill-number-0, .*\n\(\d+ more have no room here; those that fit a prompt are named with it\.\)$/s,
  )
})

const catalog = [
  { name: "pdf", description: "Read, fill in and merge PDF documents" },
  { name: "sheets", description: "Work with spreadsheets and tables (xlsx, csv)", whenToUse: "Use it for budgets." },
  { name: "deploying", description: "Deploy a service to the cluster" },
  { name: "書類", description: "請求書を作成する" },
  ...Array.from({ length: 60 }, (_, i) => ({
    name: `house-rule-${i}`,
    description: `A rule of the house, number ${i}`,
  })),
]

test("a prompt finds the skills that share its rare words, and none by its usual ones", () => {
  const found = (prompt: string) => relevantTo(prompt, catalog, 3).map(({ name }) => name)
  expect(found("Please merge these two pdf files")).toEqual(["pdf"])
  expect(found("put the budget into a spreadsheet")).toEqual(["sheets"])
  expect(found("can you deploy this to the clusters?")).toEqual(["deploying"])
  expect(found("請求書をお願いします")).toEqual(["書類"])
  expect(found("please make this work, you should use the files")).toEqual([])
  expect(found("")).toEqual([])
})

test("those that are wanted are told whole although there is no room for all, first and later", () => {
  const [pdf] = catalog
  const first = listing(catalog, 800, () => (pdf ? [pdf] : []))
  expect(first?.text).toContain("- pdf: Read, fill in and merge PDF documents")
  expect(first?.text.length).toBeLessThanOrEqual(800)
  expect(laterListing(catalog.slice(0, 1), 200)).toEqual({
    text: "Skills that may fit this, to be loaded with the Skill tool:\n- pdf: Read, fill in and merge PDF documents",
    whole: ["pdf"],
  })
  expect(laterListing(catalog, 60)).toBeUndefined()
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
