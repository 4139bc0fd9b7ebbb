/** The steps of a plan in Markdown, as entries of the editor's plan, until the agent keeps a list of its own. */

import type { JsonObject } from "#lib/json.ts"

const mostSteps = 30
const longestStep = 300

/** Items at the top level, outside of code; the whole plan as one step if it has none. */
export function planSteps(markdown: string): readonly JsonObject[] {
  let inCode = false
  const items: string[] = []
  for (const line of markdown.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) inCode = !inCode
    const item = inCode ? undefined : /^(?:\d+[.)]|[-*+])\s+(?:\[[ xX]\]\s+)?(\S.*)$/.exec(line)?.[1]
    if (item !== undefined) items.push(item.trim())
  }
  const first = markdown.split("\n").find((line) => line.trim() !== "")
  const steps = items.length > 0 ? items : first === undefined ? [] : [first.replace(/^#+\s*/, "")]
  return steps
    .slice(0, mostSteps)
    .map((step) => ({ content: step.slice(0, longestStep).toWellFormed(), status: "pending", priority: "medium" }))
}
