/** The words that stories about plan mode share. */

import type { Entry } from "#agent/words/entry.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import type { ScenarioBlock } from "#sim/scenario.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { use, write } from "../../kit/script.ts"

/** Without chance the first words of each list are taken. */
export const plainChance: Partial<TestSessionOptions> = { random: () => 0 }

/** A session in plan mode, without chance. */
export const openPlanning = (options: Omit<TestSessionOptions, "mode" | "random">): Promise<TestSession> =>
  openTestSession({ ...plainChance, mode: "plan", ...options })

/** The plan file of a session without chance, as seen from the project. */
export const planPath = "../state/plans/agile-adding-acorn.md"

export const enter: ScenarioBlock = use("EnterPlanMode", {})
export const exit: ScenarioBlock = use("ExitPlanMode", {})
export const writePlan = (text: string): ScenarioBlock => write(planPath, text)

/** Answers plans with the next of these, and nothing else. */
export function planAnswers(...answers: readonly Answer[]): (question: Question) => Answer | undefined {
  const left = [...answers]
  return ({ ask }) => (ask.kind === "plan" ? left.shift() : { kind: "deny", interrupt: true })
}

type Approval = Answer & { readonly kind: "approve" }

export const approve = (mode: Approval["mode"] = "acceptEdits"): Approval => ({
  kind: "approve",
  mode,
  wishes: [],
})

/** The entries that plan mode is made of, in short. */
export const planStory = (t: TestSession): readonly string[] => t.entries().flatMap(planLine)

function planLine(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case "mode":
      return [`mode ${entry.mode}`]
    case "plan":
      return [`plan ${entry.change} ${entry.slug}`]
    case "attachment":
      if (!entry.name.startsWith("plan_")) return []
      return [entry.data?.reminderType === undefined ? entry.name : `${entry.name} ${String(entry.data.reminderType)}`]
    case "prompt":
      return [`prompt ${entry.content.map((block) => (block.type === "text" ? block.text : "")).join("")}`]
    default:
      return []
  }
}
