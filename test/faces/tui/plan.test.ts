/** What keys do to the question whether a plan is carried out. */

import { describe, expect, test } from "bun:test"
import { ok } from "#lib/result.ts"
import { openOnPaper } from "./on-paper.ts"
import { planQuestion } from "./panel-scenes.ts"

const enter = "\r"
const escape = "\u001b"
const down = "\u001b[B"

describe("a plan", () => {
  test.each([
    [enter, { kind: "approve", mode: "acceptEdits", wishes: ["run tests"] }],
    ["2", { kind: "approve", mode: "default", wishes: ["run tests"] }],
    ["4", { kind: "approve", mode: "bypassPermissions", wishes: ["run tests"] }],
    ["61", { kind: "approve", mode: "acceptEdits", wishes: [] }],
    ["661", { kind: "approve", mode: "acceptEdits", wishes: ["run tests"] }],
    // What grants nothing cannot be ticked.
    ["71", { kind: "approve", mode: "acceptEdits", wishes: ["run tests"] }],
    ["52", { kind: "approve", mode: "default", wishes: ["run tests"], fresh: true }],
    [`${down}${down}${down}${down} ${down} 2`, { kind: "approve", mode: "default", wishes: [], fresh: true }],
    [`3use a table${enter}`, { kind: "deny", words: "use a table", interrupt: false }],
    [`\tuse a table${enter}`, { kind: "approve", mode: "acceptEdits", wishes: ["run tests"], words: "use a table" }],
    [escape, { kind: "deny", interrupt: true }],
  ] as const)("%j", async (keys, answer) => {
    const paper = await openOnPaper(80, 50)
    paper.ask(planQuestion)
    await paper.pass(400)
    // oxlint-disable-next-line no-control-regex -- keys are control sequences.
    for (const key of keys.match(/\u001b\[.|./gs) ?? []) await paper.type(key)
    await paper.pass(100)
    expect(paper.ops).toEqual([{ type: "answer", questionId: "q9", digest: "q9", answer }])
  })

  test("is changed in one's own editor, shown again whole, and approved as changed", async () => {
    const given: string[] = []
    const editor = {
      async editText(text: string) {
        given.push(text)
        return ok("# Another plan\n\nonly **this**")
      },
      editFile: async () => ok(undefined),
    }
    const paper = await openOnPaper(100, 50, { editor })
    paper.ask(planQuestion)
    await paper.pass(400)
    await paper.type("\u0007")
    await paper.pass(400)
    expect(given).toEqual([planQuestion.ask.kind === "plan" ? planQuestion.ask.plan : ""])
    const shown = await paper.terminal.screen()
    expect(shown).toContain("Another plan")
    expect(shown).toContain("edited by you")
    await paper.type("1")
    expect(paper.ops).toEqual([
      {
        type: "answer",
        questionId: "q9",
        digest: "q9",
        answer: {
          kind: "approve",
          mode: "acceptEdits",
          wishes: ["run tests"],
          plan: "# Another plan\n\nonly **this**",
        },
      },
    ])
  })

  test.each([
    ["acceptEdits first", ["acceptEdits", "default"]],
    ["default first", ["default", "acceptEdits"]],
    ["others first", ["auto", "default", "acceptEdits", "bypassPermissions"]],
  ] as const)("has its answers in the same place whatever mode it came from: %s", async (_, modes) => {
    const paper = await openOnPaper(80, 50)
    if (planQuestion.ask.kind === "plan")
      paper.ask({ id: "q9", key: "q9", digest: "q9", ask: { ...planQuestion.ask, modes } })
    await paper.pass(400)
    const shown = await paper.terminal.screen()
    expect(shown).toContain("1. Yes, and accept edits")
    expect(shown).toContain("2. Yes, and ask before each edit")
    expect(shown).toContain("3. No, tell the model what to change")
  })

  test("longer than the screen is scrolled, never goes to the scrollback, and every answer can be reached", async () => {
    const ask = { ...planQuestion.ask, plan: Array.from({ length: 60 }, (_, i) => `- step ${i}`).join("\n") }
    const paper = await openOnPaper(60, 24)
    if (ask.kind === "plan") paper.ask({ id: "q9", key: "q9", digest: "q9", ask })
    await paper.pass(400)
    const seen = new Set<string>()
    for (let i = 0; i < 30; i++) {
      const screen = await paper.terminal.screen()
      expect(screen).toContain("Approve this plan?")
      for (const [step] of screen.matchAll(/step \d+/g)) seen.add(step)
      await paper.type("\u001b[6~")
    }
    expect(seen.size).toBe(60)
    for (let i = 0; i < 6; i++) {
      await paper.type(down)
      expect(await paper.terminal.screen()).toContain("❯")
    }
    expect(await paper.terminal.screen()).toContain("❯ 7. [ ] Don't ask before: dance")
    await paper.type("1")
    await paper.pass(400)
    expect((await paper.terminal.all()).match(/step \d+/g)).toBeNull()
  })

  test("that is empty says so", async () => {
    const paper = await openOnPaper(80, 50)
    if (planQuestion.ask.kind === "plan")
      paper.ask({ id: "q9", key: "q9", digest: "q9", ask: { ...planQuestion.ask, plan: " \n" } })
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("(the plan is empty)")
  })
})

test("paths in the home folder are shown as users write them", async () => {
  const shortPath = (path: string): string => path.replace("/home/ada/", "~/")
  const paper = await openOnPaper(100, 40, { shortPath })
  paper.ask(planQuestion)
  await paper.pass(100)
  const all = await paper.terminal.all()
  expect(all).toContain("Codewright in ~/project, with")
  expect(all).toMatch(/Approve this plan\? ~\/.*\.md/)
})
