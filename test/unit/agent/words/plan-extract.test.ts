/** What a plan says it will touch, read from its headings, however it is written. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { extractPlan, planDetails, scopeOf } from "#agent/words/plan-extract.ts"

test("a plan with all four headings", () => {
  const plan = `# Login

Why: people ask for it.

## Files to create
- \`src/login.ts\`: the route
- src/session.ts - keeps sessions
1. [ ] \`test/login.test.ts\`

## Files to modify
* **src/app.ts** (mounts it)
* [src/config.ts](src/config.ts): adds a key
* everything that mentions users

### Notes on the files
- \`src/deep.ts\`

## Commands
\`\`\`sh
# tests
$ npm test
npm run build
\`\`\`
- \`npm run lint\` before the end

## How to verify
- \`npm test\`
- log in by hand

## Open questions
- \`src/not-this.ts\`
`
  expect(extractPlan(plan)).toEqual({
    create: ["src/login.ts", "src/session.ts", "test/login.test.ts"],
    modify: ["src/app.ts", "src/config.ts", "src/deep.ts"],
    commands: ["npm test", "npm run build", "npm run lint"],
    tests: ["npm test", "log in by hand"],
  })
})

test("the name of a plan opens nothing, a first heading beside others of its kind does", () => {
  const named = "# Fix the failing test\n\n## Steps\n1. Read it.\n\n## Verification\n- `npm test` passes\n"
  expect(extractPlan(named)?.tests).toEqual(["npm test"])
  expect(extractPlan("# Fix the failing test\n\n## Steps\n1. Read it.\n")).toBeUndefined()
  expect(extractPlan("# Tests\n- `npm test`\n\n# Commands\n- `npm run build`\n")).toMatchObject({
    tests: ["npm test"],
    commands: ["npm run build"],
  })
  expect(extractPlan("# Tests\n- `npm test`\n")?.tests).toEqual(["npm test"])
})

test.each([
  ["New files", "create"],
  ["2. Files to be created", "create"],
  ["Add files", "create"],
  ["Modified files", "modify"],
  ["Files changed", "modify"],
  ["Files to update ##", "modify"],
  ["Commands to run", "commands"],
  ["Testing", "tests"],
  ["Verification", "tests"],
] as const)("the heading %s opens %s", (heading, section) => {
  expect(extractPlan(`## ${heading}\n- \`x.ts\``)?.[section]).toEqual(["x.ts"])
  expect(extractPlan(`**${heading.replace(/ ##$/, "")}:**\n- \`x.ts\``)?.[section]).toEqual(["x.ts"])
})

test.each(["", "just words", "# Plan\n\n- `a.ts`", "```\n## Files to modify\n- `a.ts`\n```"])(
  "%j names nothing",
  (plan) => {
    expect(extractPlan(plan)).toBeUndefined()
  },
)

test("a heading in a code block is none, and an open block ends with the text", () => {
  expect(extractPlan("## Commands\n```\n## not a heading\nnpm test")).toEqual({
    create: [],
    modify: [],
    commands: ["npm test"],
    tests: [],
  })
})

test("no text at all breaks it", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom("#", " ", "\n", "`", "-", "*", "a", "/", ".", "files", "modify", "~~~"),
        maxLength: 400,
      }),
      (plan) => {
        const extract = extractPlan(plan)
        expect(
          extract === undefined ||
            Object.values(extract)
              .flat()
              .every((item) => item !== ""),
        ).toBe(true)
      },
    ),
  )
})

const word = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,12}$/)
const path = fc.array(word, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))
const command = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "))
const bullet = fc.constantFrom("- ", "* ", "+ ", "1. ", "2) ", "- [ ] ", "- [x] ")
const heading = (text: string) => fc.constantFrom(`## ${text}`, `### ${text} ###`, `**${text}**`, `**${text}:**`)

/** A section of a plan, with explanations that must not be taken for items. */
const section = (title: fc.Arbitrary<string>, item: fc.Arbitrary<string>) =>
  fc.record({
    title: title.chain(heading),
    items: fc.uniqueArray(item, { maxLength: 5 }),
    marks: fc.array(bullet, { minLength: 5, maxLength: 5 }),
    note: fc.constantFrom("", ": because it is needed", " - the core of it", " (new)"),
  })
type Section = { title: string; items: string[]; marks: string[]; note: string }
const written = ({ title, items, marks, note }: Section): string =>
  [title, "", ...items.map((item, i) => `${marks[i]}\`${item}\`${note}`), "", "Some words about it."].join("\n")

test("what is written under the headings is found, in order, whatever marks and headings look like", () => {
  fc.assert(
    fc.property(
      section(fc.constantFrom("Files to create", "New files"), path),
      section(fc.constantFrom("Files to modify", "Changed files", "Files to edit"), path),
      section(fc.constantFrom("Commands", "Commands to run"), command),
      section(fc.constantFrom("Tests", "Verification", "Testing"), command),
      fc.constantFrom("\n", "\r\n"),
      (create, modify, commands, tests, end) => {
        const plan = ["# Plan", "", ...[create, modify, commands, tests].map(written)].join("\n").replaceAll("\n", end)
        expect(scopeOf(plan)).toEqual({
          filesToCreate: create.items,
          filesToModify: modify.items,
          commands: commands.items,
          tests: tests.items,
        })
      },
    ),
  )
})

test("any text at all: no failure, no empty item, nothing that the text does not say", () => {
  const lines = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom("## Files to create", "```", "~~~", "- `a`", "**Tests**", "* [x](y)", "#", "- ", "``", "1. x: y"),
    ),
  )
  fc.assert(
    fc.property(lines, (all) => {
      const plan = all.join("\n")
      const found = extractPlan(plan)
      for (const item of Object.values(found ?? {}).flat()) {
        expect(item.trim()).toBe(item)
        expect(item).not.toBe("")
        expect(item).not.toContain("\n")
      }
      expect(extractPlan(plan)).toEqual(found)
    }),
  )
})

// Each of these took minutes with a pattern that tries every beginning.
test.each([
  ["open links", `## Commands\n- ${"[".repeat(100_000)}`],
  ["broken links", `## Commands\n- ${"[a](".repeat(25_000)}`],
  ["spaces in a path", `## Files to create\n- a${" ".repeat(100_000)}x`],
  ["marks behind a heading", `# a${" ".repeat(50_000)}${"#".repeat(50_000)}x`],
  ["closing marks", `## Tests ${"#".repeat(100_000)}\n- \`a\``],
  ["ticks", `## Tests\n- ${"`".repeat(100_000)}`],
  ["bold", `**${"a:".repeat(50_000)}`],
])("the longest plan is read at once: %s", (_what, plan) => {
  expect(Object.values(extractPlan(plan) ?? {}).flat().length).toBeLessThanOrEqual(1)
})

test("with each file comes what the plan says about it, and with each test what it covers", () => {
  const plan = `# Add a greeting

## Files to create
- \`src/greet.ts\`: says hello in the user's language
- src/words.ts — the **words** of each language
- src/plain.ts

## Files to modify
1. \`src/main.ts\` (call the greeting before the first prompt)
2. \`README.md\` - one line

## Tests
- \`test/greet.test.ts\`: three languages and none
- \`npm test\`
`
  expect(planDetails(plan)).toEqual({
    create: [
      { path: "src/greet.ts", purpose: "says hello in the user's language" },
      { path: "src/words.ts", purpose: "the words of each language" },
      { path: "src/plain.ts" },
    ],
    modify: [
      { path: "src/main.ts", changes: "call the greeting before the first prompt" },
      { path: "README.md", changes: "one line" },
    ],
    tests: [{ path: "test/greet.test.ts", coverage: "three languages and none" }, { path: "npm test" }],
  })
  expect(planDetails("## Files to create\n- src/a.ts\n")).toBeUndefined()
  expect(planDetails("Just text.")).toBeUndefined()
})
