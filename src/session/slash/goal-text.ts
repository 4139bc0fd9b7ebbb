/** What follows `/goal`: nothing, the word clear, or what must hold. */

import { goalCheck, goalPrompt } from "#agent/words/goal.ts"
import type { SlashAct } from "#session/port/command.ts"

const endWords: readonly string[] = ["clear", "stop", "off", "none"]

export function goalAct(rest: string): SlashAct {
  if (rest === "") return { kind: "show", what: "goal", words: "" }
  if (endWords.includes(rest.toLowerCase())) return { kind: "ops", ops: [{ type: "set_goal", goal: null }] }
  const goal = goalCheck(rest)
  if (!goal) return { kind: "wrong", text: "Write the command that must succeed: /goal $ npm test" }
  const content = [{ type: "text", text: goalPrompt(goal) }] as const
  return {
    kind: "ops",
    ops: [
      { type: "set_goal", goal },
      { type: "prompt", content, when: "queue", as: "text" },
    ],
  }
}
