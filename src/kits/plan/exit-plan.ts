/** Presents the plan to the user; once approved, the work begins. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { interrupterOf } from "#agent/words/interruption.ts"
import { type AnyTool, interrupted, type Outcome, refused } from "#agent/words/tool.ts"
import { optional } from "#lib/optional.ts"
import { ok, type Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import { approved, declined, type ExitPorts, extractKept, longestPlan, modesOffered, unanswered } from "./decided.ts"
import { scopeOf } from "#agent/words/plan-extract.ts"
import {
  missingShown,
  missingWords,
  notPlanningShown,
  notPlanningWords,
  tooLongWords,
  unansweredWords,
} from "./exit-words.ts"
import { begunDecision } from "./begun-decision.ts"
import { wishesFor } from "./wishes.ts"

const description = `Asks the user to approve your plan and so ends plan mode. The plan is read from the plan file, not from this call: write it there first.
Use it when the plan for an implementation is complete and unambiguous; settle open questions with AskUserQuestion before. Do not use it after pure research, where nothing will be implemented. Never ask in text or with AskUserQuestion whether the plan is all right: this call asks exactly that.
allowedPrompts may name kinds of commands that the plan needs, by meaning ("run tests", "install dependencies", "build", "lint"), so that they need no question each time. Ask only for what the plan needs.`

const input = shape.object({
  allowedPrompts: shape
    .array(
      shape.object({
        tool: shape.choice(["Bash"]),
        prompt: shape.string().trim().min(1).describe("What kind of command, by meaning"),
      }),
    )
    .optional(),
  plan: shape.string().optional().describe("Only where the plan could not be written to its file"),
})

/** What is in the plan file counts. Older models and clients give the plan in the call: where there is no file, it becomes the file. */
function planText({ files, mode, notYet }: ExitPorts, path: string, said: string): Result<string | undefined, string> {
  const kept = files.read(path)
  if (!kept.ok || kept.value !== undefined || said.trim() === "" || mode() !== "plan" || notYet?.() !== undefined)
    return kept
  const written = files.write(path, said)
  return written.ok ? ok(said) : written
}

export function exitPlanTool(ports: ExitPorts): AnyTool {
  return defineTool({
    name: "ExitPlanMode",
    description,
    input,
    title: () => "Present the plan",
    footprint: () => ({ ...touchesNothing(), asks: true }),
    // The words around the plan are short.
    maxResultChars: longestPlan + 5_000,
    async run({ allowedPrompts = [], plan: said = "" }, { callId, signal }) {
      const decided = ports.decided?.(callId)
      if (!decided && ports.mode() !== "plan") return refused(notPlanningWords, shownAs(notPlanningShown))
      const plan = ports.plan()
      const text = planText(ports, plan.path, said)
      const before = decided && begunDecision(ports, decided, text.ok ? text.value : undefined)
      const prompts = allowedPrompts.map(({ prompt }) => prompt)
      if (before) {
        const shown = { ...plan, text: before.shown, wishes: await wishesFor(prompts, ports, signal) }
        const { answer } = before
        return answer.kind === "approve" ? approved(ports, shown, answer, callId) : declined(ports, shown, answer)
      }
      if (ports.mode() !== "plan") return refused(notPlanningWords, shownAs(notPlanningShown))
      const early = ports.notYet?.()
      if (early !== undefined) return refused(early)
      if (!text.ok) return refused(`The plan could not be read: ${text.failure} Write it again to ${plan.path}.`)
      if (text.value === undefined) return refused(missingWords(plan.path), shownAs(missingShown))
      if (text.value.length > longestPlan) return refused(tooLongWords(plan.path, text.value.length, longestPlan))
      // Clients may want it in parts, and may decide elsewhere.
      extractKept(ports, plan, text.value)
      const wishes = await wishesFor(prompts, ports, signal)
      const shown = { ...plan, text: text.value, wishes }
      const answer = await ports.ask(
        {
          kind: "plan",
          callId,
          plan: text.value,
          path: plan.path,
          modes: modesOffered(ports),
          ...optional("scope", scopeOf(text.value)),
          wishes: wishes.map(({ prompt, meaning }) => ({ prompt, ...(meaning && { covers: meaning.covers }) })),
        },
        signal,
      )
      if (signal.aborted)
        return interrupted(
          `Interrupted by ${interrupterOf(signal)} before the plan was decided on. Plan mode is still on.`,
          "before",
        )
      switch (answer.kind) {
        case "approve":
          return approved(ports, shown, answer, callId)
        case "deny":
          return declined(ports, shown, answer)
        case "allow":
        case "elicited":
        case "choices":
          return refused(unansweredWords(plan.path, "the answer was to another question"))
        case "unanswered":
          return unanswered(ports, callId, unansweredWords(plan.path, answer.why))
      }
    },
  })
}

const shownAs = (text: string): Pick<Outcome, "display"> => ({ display: { kind: "text", text } })
