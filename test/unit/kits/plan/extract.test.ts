/** What a plan says it will touch, read from its headings, however it is written. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { extractPlan } from "#kits/plan/extract.ts"

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
