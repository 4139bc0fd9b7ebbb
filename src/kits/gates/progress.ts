/** How far a conversation is at its gates, folded from its entries. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type GateName, gateNames, type TestState } from "#agent/words/gates.ts"
import type { JsonObject } from "#lib/json.ts"

export interface GateProgress {
  /** The task as it was restated. */
  readonly clarified: string | undefined
  /** What became of the questions that were asked before that. */
  readonly asked: "never" | "open" | "answered"
  readonly tests: TestState | undefined
  /** Reminders given in this turn, by name. */
  readonly told: readonly string[]
  /** The gates that the model was told about last; undefined before that. */
  readonly introduced: readonly GateName[] | undefined
  readonly turn: string | undefined
  /** Questions to the user by id, of the main agent. */
  readonly open: readonly string[]
}

export const beginning: GateProgress = {
  clarified: undefined,
  asked: "never",
  tests: undefined,
  told: [],
  introduced: undefined,
  turn: undefined,
  open: [],
}

export const reminderNames = {
  rules: "gate_rules",
  clarify: "gate_clarify",
  clarified: "gate_task",
  unclear: "gate_unclear",
  tests: "gate_tests",
} as const

export function foldProgress(progress: GateProgress, entry: EntryBody): GateProgress {
  switch (entry.kind) {
    case "gate":
      return entry.gate === "clarify" ? { ...progress, clarified: entry.text } : { ...progress, tests: entry.state }
    case "question": {
      const { id, ask, agent } = entry.question
      if (ask.kind !== "choice" || agent || progress.clarified !== undefined) return progress
      return { ...progress, asked: "open", open: [...progress.open, id] }
    }
    case "answer": {
      if (!progress.open.includes(entry.questionId)) return progress
      const open = progress.open.filter((id) => id !== entry.questionId)
      const { answer } = entry
      const isAnswer = answer.kind === "choices" || (answer.kind === "deny" && answer.words !== undefined)
      return { ...progress, open, ...(isAnswer && open.length === 0 && { asked: "answered" }) }
    }
    case "prompt":
      // Whoever is asked may also answer with a prompt of their own.
      return progress.asked === "open" ? { ...progress, asked: "answered", open: [] } : progress
    case "turn_start": {
      if (progress.turn === entry.turnId) return progress
      // What passed is done: the next task begins with a test of its own.
      const tests = progress.tests === "passing" ? undefined : progress.tests
      return { ...progress, turn: entry.turnId, told: [], tests }
    }
    case "attachment":
      if (entry.name === reminderNames.rules) return { ...progress, introduced: gatesIn(entry.data) }
      return entry.name.startsWith("gate_") ? { ...progress, told: [...progress.told, entry.name] } : progress
    case "compaction":
      return entry.standing.reduce(foldProgress, { ...progress, told: [], introduced: undefined })
    default:
      return progress
  }
}

/** In logs of versions in which gates could not be switched nothing is said: then it is as if there were none, and what holds is told once more. */
function gatesIn(data: JsonObject | undefined): readonly GateName[] {
  const { gates } = data ?? {}
  return Array.isArray(gates) ? gateNames.filter((name) => gates.includes(name)) : []
}
