/** What the model is told about plan mode before a request, and how often. */

import type { Attachment } from "#agent/words/kit.ts"
import { attachmentNames, type Phase } from "./phase.ts"
import { exitWords, fullWords, reentryWords, sparseWords, subagentWords } from "./reminder-words.ts"

/** Minimum number of answers between two reminders. */
const patience = 5

export interface ReminderFacts {
  readonly isPlanning: boolean
  readonly agent: "main" | "sub"
  readonly path: string
  readonly exists: boolean
  readonly agents: { readonly explore: number; readonly plan: number } | undefined
  /** Tools that the text may name. */
  readonly canAsk: boolean
  readonly instructions?: string | undefined
}

/** The first reminder of a planning phase is full, and every third after it; the others are short. */
const isFull = (reminders: number): boolean => (reminders + 1) % 3 === 1

export function dueReminders(phase: Phase, facts: ReminderFacts): readonly Attachment[] {
  if (!facts.isPlanning) return phase.needsExitNote && facts.agent === "main" ? [exitNote(facts)] : []
  const due: Attachment[] = []
  if (phase.hasExited && facts.exists && facts.agent === "main")
    due.push({
      name: attachmentNames.reentry,
      text: reentryWords(facts),
      data: { planFilePath: facts.path },
    })
  if (phase.answersSince >= patience) due.push(reminder(facts, isFull(phase.reminders) ? "full" : "sparse"))
  return due
}

function reminder(facts: ReminderFacts, reminderType: "full" | "sparse"): Attachment {
  const { agent, path, exists } = facts
  const text = agent === "sub" ? subagentWords(facts) : reminderType === "full" ? fullWords(facts) : sparseWords(facts)
  return {
    name: attachmentNames.reminder,
    text,
    data: { reminderType, isSubAgent: agent === "sub", planFilePath: path, planExists: exists },
  }
}

const exitNote = ({ path, exists }: ReminderFacts): Attachment => ({
  name: attachmentNames.exit,
  text: exitWords({ path, exists }),
  data: { planFilePath: path, planExists: exists },
})
