/** What the model is told while and after it carries out a plan. */

import { escapeImitations } from "#agent/words/reminder.ts"
import type { PlanItem } from "./contract.ts"
import type { PlanSummary } from "./progress.ts"

export const outsideWords = (items: readonly string[]): string =>
  `The approved plan does not name ${escapeImitations(items.join(", "))}. The user was told. Keep to the plan; where it must be left, say why in your final answer.`

/** For the user, who would otherwise see two closing answers in a row. */
export const verifyShown = "Checking the work against the plan."

/** Given once, when the work seems to be done. */
export function verifyWords(path: string, summary: PlanSummary | undefined): string {
  const lists = summary
    ? [
        ...line("Done", summary.done),
        ...line("Not seen to be done", summary.skipped),
        ...line("Done beside the plan", summary.added),
      ].join("\n")
    : ""
  return `You have implemented from the plan at ${path}. Before you end, verify it: go through the plan item by item, run what it names for that (tests, build, the change itself from end to end), and look at what you changed. ${
    lists === "" ? "" : `By the calls you made:\n${escapeImitations(lists)}\n`
  }If it is verified already, do not do it again; end with which items were done, skipped or added, and how each was checked.`
}

const line = (head: string, items: readonly PlanItem[]): readonly string[] =>
  items.length === 0 ? [] : [`- ${head}: ${items.map(({ name }) => name).join(", ")}`]
