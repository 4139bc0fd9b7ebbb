/** Looking back in the terminal: the plan, what was sent, and what a turn changed. */

import { expect, test } from "bun:test"
import { ok } from "#lib/result.ts"
import { shortPath as shortened } from "#lib/tilde.ts"
import { openOnPaper } from "./on-paper.ts"

const enter = "\r"
const shortPath = (path: string): string => shortened(path, { cwd: "/home/ada/project", home: "/home/ada" })
const plan = { path: "/home/ada/.codewright/plans/bold-baking-fox.md", text: "# Plan\n\n- one\n- two\n" }

test("/plan shows the plan and where it lies, /plan edit opens it, and without one planning begins", async () => {
  const edited: string[] = []
  const editor = {
    editText: async () => ok(""),
    editFile: async (path: string) => {
      edited.push(path)
      return ok(undefined)
    },
  }
  const paper = await openOnPaper(80, 30, { answers: { plan: () => plan }, editor, shortPath })
  await paper.type(`/plan ${enter}`)
  await paper.pass(100)
  const screen = await paper.terminal.screen()
  expect(screen).toContain("The plan, in ~/.codewright/plans/bold-baking-fox.md (/plan edit opens it):")
  expect(screen).toContain("• one")
  await paper.type(`/plan edit${enter}`)
  await paper.pass(100)
  expect(edited).toEqual([plan.path])
  expect(paper.ops).toEqual([])
  await paper.type(`/plan mend the parser${enter}`)
  expect(paper.ops.map(({ type }) => type)).toEqual(["set_mode", "prompt"])

  const other = await openOnPaper(80, 30, { answers: { plan: () => ({ ...plan, text: undefined }) }, editor })
  await other.type(`/plan edit${enter}`)
  await other.pass(100)
  expect(await other.terminal.screen()).toContain("There is no plan yet. /plan to start one.")
  await other.type(`/plan ${enter}`)
  expect(other.ops).toEqual([{ type: "set_mode", mode: "plan" }])
})

test("/plan names a plan of the project by its path in the project, also in plain lines", async () => {
  const kept = { ...plan, path: "/home/ada/project/plans/fox.md" }
  const paper = await openOnPaper(80, 30, { answers: { plan: () => kept }, shortPath })
  await paper.type(`/plan ${enter}`)
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("The plan, in plans/fox.md (/plan edit opens it):")
  const answer = await paper.session.ask({ type: "command", name: "plan", args: "" })
  expect(answer).toEqual({ text: `The plan is in plans/fox.md.\n\n${plan.text}` })
})

test("/inspect shows what was sent, or that nothing was", async () => {
  const request = {
    number: 1,
    at: 0,
    model: "claude-sonnet-5",
    maxTokens: 8000,
    thinking: "off",
    blocks: [{ role: "user", source: "prompt", text: "hello", tokens: 2, cached: false }],
    sameAsBefore: 0,
    usage: undefined,
    proved: true,
  } as const
  const paper = await openOnPaper(80, 30, {
    answers: { requests: () => ({ total: 1, rows: [] }), request: () => request },
  })
  await paper.type(`/inspect ${enter}`)
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("1  user  prompt  ~2")
  const empty = await openOnPaper(80, 30)
  await empty.type(`/inspect ${enter}`)
  await empty.pass(100)
  expect(await empty.terminal.screen()).toContain("✗ Nothing was sent to the model yet.")
})

test("what commands changed is told at the end of the turn", async () => {
  const summary = async () => ok({ created: ["a"], modified: [], removed: ["b"], text: "1 file created, 1 removed" })
  const paper = await openOnPaper(80, 30, { answers: { summary } })
  paper.entry({ kind: "turn_start", turnId: "t" })
  paper.entry({ kind: "prompt", promptId: "p", content: [{ type: "text", text: "go" }] })
  paper.entry({ kind: "snapshot", snapshotId: "s", when: "before", uncovered: [] })
  await paper.pass(12_000)
  paper.entry({ kind: "turn_end", turnId: "t", reason: "completed" })
  await paper.pass(200)
  const rows = (await paper.terminal.screen()).split("\n")
  const at = (words: string): number => rows.findIndex((row) => row.includes(words))
  expect(at("> go")).toBeGreaterThan(-1)
  expect(at("2 files changed (1 created, 1 removed) · 12 s · /rewind to undo")).toBeGreaterThan(at("> go"))
})
