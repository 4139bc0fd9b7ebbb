/** After the approval the plan's path was whole, and its second row began at the left edge; everything else shows `~`. */

import { expect, test } from "bun:test"
import { displayRows } from "#faces/tui/parts/display.ts"
import { calls, says } from "../kit/script.ts"
import { approve, exit, openPlanning, planAnswers, writePlan } from "../suite/plan/plan.ts"

test("it is shown with ~, in rows that fit", async () => {
  await using t = await openPlanning({
    script: [calls(writePlan("# Plan\n")), calls(exit), says("Done.")],
    answers: planAnswers(approve()),
  })
  await t.prompt("plan it")
  const display = t.results().find(({ tool }) => tool === "ExitPlanMode")?.display
  expect(display).toEqual({ kind: "plan", text: "# Plan\n", path: "~/state/plans/agile-adding-acorn.md" })
  if (!display) return
  const rows = displayRows(display, 40, "full")
  expect(Math.max(...rows.map((row) => Bun.stringWidth(row)))).toBeLessThanOrEqual(40)
  expect(Bun.stripANSI(rows.join(" "))).toMatch(/Approved ·\s+~\/state\/plans\//)
})
