/** A program that dies between the answer to a plan and the result of the call that asked: what was decided stays decided. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"
import type { TestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { approve, openPlanning, planAnswers, planPath, writePlan } from "./plan.ts"

setDefaultTimeout(300_000)

const text = "# Plan\n\n## Files to modify\n- `a.ts`\n"
const changed = "# Plan\n\n## Files to modify\n- `b.ts`\n"
const exitWithWish = use("ExitPlanMode", { allowedPrompts: [{ tool: "Bash", prompt: "run tests" }] })

const decisions: {
  readonly [name: string]: { readonly answer: Answer; readonly mode: PermissionMode; readonly says: string }
} = {
  approved: { answer: approve(), mode: "acceptEdits", says: text },
  "approved with its wish": {
    answer: { ...approve("default"), wishes: ["run tests"] },
    mode: "default",
    says: "You may now do this without asking: run tests.",
  },
  "approved as the person changed it": { answer: { ...approve(), plan: changed }, mode: "acceptEdits", says: changed },
  "approved to begin afresh": { answer: { ...approve(), fresh: true }, mode: "acceptEdits", says: "approved the plan" },
  "declined as the person changed it": {
    answer: { kind: "deny", words: "Name the tests.", interrupt: false, plan: changed },
    mode: "plan",
    says: "Name the tests.",
  },
}

for (const [name, decision] of Object.entries(decisions))
  test(`a plan that was ${name}, cut at each line up to its result`, async () => {
    await using t = await openPlanning({
      script: [calls(writePlan(text)), calls(exitWithWish), ...Array.from({ length: 40 }, () => says("Done."))],
      answers: planAnswers(decision.answer),
    })
    await t.prompt("plan it")
    await t.settled()
    await t.session.close()
    const whole = facts(t)
    const lines = readFileSync(t.logPath, "utf8").split("\n")
    const kept = readFileSync(t.path(planPath), "utf8")
    const answered = lines.findIndex((line) => line.includes('"subtype":"answer"'))
    const result = lines.findIndex((line, at) => at > answered && line.includes('"tool_result"'))
    expect(result - answered).toBeGreaterThan(1)
    for (let cut = answered + 1; cut <= result; cut++) {
      writeFileSync(t.logPath, `${lines.slice(0, cut).join("\n")}\n`)
      writeFileSync(t.path(planPath), kept)
      let asked = 0
      await using again = await t.reopen({
        answers() {
          asked++
          return { kind: "deny", interrupt: true }
        },
      })
      await again.settled()
      const outcome = again.results().findLast(({ tool }) => tool === "ExitPlanMode")
      expect([cut, asked, outcome?.isError]).toEqual([cut, 0, decision.answer.kind === "deny"])
      expect([cut, String(outcome?.content)]).toEqual([cut, expect.stringContaining(decision.says)])
      expect([cut, (await again.ask({ type: "state" })).mode]).toEqual([cut, decision.mode])
      expect(again.read(planPath)).toBe(kept)
      if (decision.answer.kind === "approve") expect([cut, facts(again)]).toEqual([cut, whole])
      await again.session.close()
    }
  })

const facts = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry): string[] => (entry.kind === "plan" ? [entry.change] : []))
