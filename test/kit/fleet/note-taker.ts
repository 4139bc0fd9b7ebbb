/** A scripted model that makes one note in a file of its own, perhaps after a plan, whatever happens to whoever runs it. */

import type { ScenarioFunction } from "#sim/scenario.ts"
import { type Job, nextReply } from "../steady-worker.ts"
import { hasty } from "./fault-points.ts"

export const noteFile = (nth: number): string => `note-${nth}.txt`
export const notePrompt = (nth: number): string => `Make note-${nth}.txt.`
/** Its approval expires soon. */
export const hastyFile = (nth: number): string => `${hasty}-${nth}.txt`
export const hastyPrompt = (nth: number): string => `Make ${hasty}-${nth}.txt.`
export const plannedPrompt = (nth: number): string => `Make note-${nth}.txt after a plan.`
/** It is made only if the answer is the first one offered. */
export const questionPrompt = (nth: number): string => `Make note-${nth}.txt after a question.`

export const question = "Make the note?"
export const yes = "Make it"
export const no = "Leave it"

export const lastText = "The note is dealt with."
/** Somebody ended while the note was made. */
export const unknownText = "Nobody knows whether the note was made."

export const planText = "# Plan\n\n## Files to create\n- the note\n"

const asked = {
  questions: [
    {
      question,
      header: "Note",
      options: [yes, no].map((label) => ({ label, description: "" })),
      multiSelect: false,
    },
  ],
}

export const noteTaker: ScenarioFunction = (request) => {
  const text = JSON.stringify(request.messages)
  if (text.includes("may have taken effect") && text.includes("echo once")) return { content: unknownText }
  const [, file = "", first] = /Make ([a-z]+-\d+\.txt)(?: after a (plan|question))?\./.exec(text) ?? []
  const [path = ""] = /\/[^"\\ ]*\/plans\/[a-z0-9-]+\.md/.exec(text) ?? []
  const jobs: readonly Job[] = [
    // It may hear of the approval only from being told that there is nothing to ask any more.
    ...(first !== "plan" || text.includes("Plan mode is not on")
      ? []
      : [[{ tool: "Write", input: { file_path: path, content: planText } }], [{ tool: "ExitPlanMode", input: {} }]]),
    ...(first === "question" ? [[{ tool: "AskUserQuestion", input: asked }]] : []),
    [{ tool: "Bash", input: { command: `echo once >> ${file}` } }],
  ]
  // A refusal is an answer too.
  if (/Do not try the same in another way|Nobody decided in time/.test(text)) return { content: lastText }
  if (text.includes(`${question} ${no}`)) return { content: lastText }
  const reply = nextReply(jobs, request)
  return reply.content === "All jobs are done." ? { content: lastText } : reply
}
