/** Sentences of the documents that were untrue: each fact that can be tested is kept true here. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { commands } from "#faces/cli/commands.ts"
import { defaultLimits } from "#ground/snapshots/limits.ts"
import { notPlanningWords } from "#kits/plan/exit-words.ts"
import { runCodewright } from "../kit/run-codewright.ts"

const root = resolve(import.meta.dir, "../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

for (const name of ["sessions", "mcp"])
  test(`the list of commands names every verb of ${name}`, async () => {
    const { stdout } = await runCodewright({ argv: [name, "--help"] })
    const takes = commands.find((command) => command.name === name)?.takes.split("|") ?? []
    // A row of the help begins with one verb, or with several.
    const heads = [...stdout.matchAll(/^ {2}(?=[a-z])(.*?)(?: {2,}|$)/gm)].flatMap(([, head = ""]) => head.split(", "))
    const all = new Set(heads.map((head) => head.split(" ", 1)[0] ?? ""))
    expect(takes.filter((verb) => !all.has(verb))).toEqual([])
    expect([...all].filter((verb) => verb !== "codewright" && !takes.includes(verb))).toEqual([])
  })

test("README says how far undo reaches, and nothing is missing that is there", () => {
  const readme = read("README.md")
  expect(readme).toContain(`more than ${defaultLimits.paths.toLocaleString("en-US")} files`)
  expect(readme).not.toContain("members of a team on other machines")
  expect(read("docs/guides/coming-from-claude-code.md")).not.toContain("in progress")
  expect(readdirSync(join(root, "src/team/hosts"))).toContain("fleet.ts")
})

test("no row of the reference begins with what is left of a comment", () => {
  expect(read("docs/reference/events.md").match(/\| \* /g)).toBeNull()
})

test("where EnterPlanMode may not be offered, it is not advised", () => {
  expect(notPlanningWords).not.toContain("EnterPlanMode")
})

test("every number of a decision is used, or said to be empty", () => {
  const numbers = readdirSync(join(root, "docs/decisions")).flatMap((name) => /^\d{4}/.exec(name)?.map(Number) ?? [])
  const all = Array.from({ length: Math.max(...numbers) }, (_, i) => i + 1)
  const empty = /That is why ([\d, and]+) do not exist/.exec(read("docs/decisions/README.md"))?.[1] ?? ""
  expect(all.filter((number) => !numbers.includes(number))).toEqual(empty.match(/\d+/g)?.map(Number) ?? [])
})
