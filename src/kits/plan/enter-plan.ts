/** Enters plan mode when the model thinks that the task needs a plan. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { type AnyTool, answered, refused } from "#agent/words/tool.ts"
import * as shape from "#lib/shape.ts"

const description = `Starts plan mode: you explore and design without changing anything, write a plan, and the user approves it before you implement. It needs no permission; agreeing on the way first saves work.
Use it before implementing when: it is a new feature; several approaches are sound; existing behaviour or structure changes; an architecture decision is due; more than two or three files will change; the request is unclear until you have explored; or the user's taste decides.
Do not use it for one-line fixes, a single clear function, detailed instructions, or pure research. If you would ask the user which way to go, plan instead.
Good: "add user authentication" (sessions or tokens, where, which routes), "make the dashboard faster" (find out what is slow first). Not: "fix the typo in the README", "what does this function do".`

export interface EnterPlanPorts {
  readonly agent: "main" | "sub"
  readonly mode: () => PermissionMode
  /** Turns plan mode on and returns the path of the plan file. */
  readonly enter: () => string
}

const input = shape.object({})

export const enterPlanTool = ({ agent, mode, enter }: EnterPlanPorts): AnyTool =>
  defineTool({
    name: "EnterPlanMode",
    description,
    input,
    title: () => "Enter plan mode",
    footprint: touchesNothing,
    async run() {
      if (agent === "sub")
        return refused(
          "Only the main agent can enter plan mode. Continue with your task, and say in your answer that it should be planned first.",
        )
      if (mode() === "plan")
        return answered(
          "Plan mode is already on. Continue exploring and designing; call ExitPlanMode when the plan is ready.",
        )
      const path = enter()
      return answered(words(path), {
        display: { kind: "text", text: "Entered plan mode" },
        data: { message: "Entered plan mode", planFilePath: path },
      })
    },
  })

const words = (
  path: string,
): string => `Plan mode is on. Do not edit files or run anything that changes something; such calls are refused.
1. Explore the code until you understand what the task touches.
2. Find features and patterns in it that are similar, and use them.
3. Weigh the approaches that make sense, with what speaks for and against each.
4. Ask with AskUserQuestion where the choice is the user's.
5. Design one approach in concrete steps and write it to ${path}, the only file you may write.
6. Call ExitPlanMode, so that the user can approve the plan. Implement nothing before that.`
