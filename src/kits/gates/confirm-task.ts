/** Restates the task: with this the clarification is over. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { type AnyTool, answered, refused } from "#agent/words/tool.ts"
import * as shape from "#lib/shape.ts"
import type { GateRoom } from "./room.ts"
import { confirmedWords } from "./words.ts"

const description = `Records the task as you understood it, and so ends the clarification at the beginning of a conversation: before, nothing can be changed.
Ask what is unclear with AskUserQuestion first. The task is what you will be held to: say all of it, in the user's sense, with every answer they gave, and nothing they did not ask for.`

const longestTask = 20_000

export function confirmTaskTool({
  progress,
  note,
  isUnanswered,
}: Pick<GateRoom, "progress" | "note" | "isUnanswered">): AnyTool {
  return defineTool({
    name: "ConfirmTask",
    description,
    input: shape.object({
      task: shape.string().trim().min(1).max(longestTask, `must be at most ${longestTask} characters`),
      nothingUnclear: shape
        .boolean()
        .default(false)
        .describe("True if you asked nothing because nothing about the task is unclear"),
    }),
    title: () => "Restate the task",
    footprint: () => ({ ...touchesNothing(), alone: true }),
    maxResultChars: longestTask + 1_000,
    async run({ task, nothingUnclear }) {
      const { clarified, asked } = progress()
      if (clarified !== undefined) return refused("The task is confirmed already. Continue with the work.")
      if (asked === "open" || isUnanswered())
        return refused(
          "You asked the user something, and they have not answered, so the task is not clear. End your turn by saying what you need to know.",
        )
      if (asked === "never" && !nothingUnclear)
        return refused(
          "You have not asked anything. Ask what is unclear with AskUserQuestion; if really nothing is, set nothingUnclear to true.",
        )
      note({ gate: "clarify", text: task, asked: asked === "answered" })
      return answered(confirmedWords(task), { display: { kind: "text", text: task } })
    },
  })
}
