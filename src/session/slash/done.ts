/** What an op of a command did, in words for the user. */

import { gateDone } from "#agent/words/gate-words.ts"
import { goalText } from "#agent/words/goal.ts"
import { intervalText } from "#agent/words/loop.ts"
import { modeNames } from "#agent/words/mode-names.ts"
import { budgetText } from "#kits/budget/amount.ts"
import type { Op } from "#agent/words/op.ts"
import { forConsent } from "#lib/printable.ts"

/** Empty for ops that show themselves: the turn of a prompt, a command's output. */
export function doneText(op: Op): string {
  switch (op.type) {
    case "clear":
      return "Started a new conversation. /redo to return to the last one."
    case "compact":
      return "Compacted the conversation."
    case "uncompact":
      return "Restored the full conversation."
    case "redo":
      return "Undid the last rewind."
    case "rewind":
      // What was restored, and what was not, is said where it happened.
      return "/redo to undo the rewind."
    case "feedback":
      return `Noted in the log: ${op.rating}. Nothing was sent.`
    case "switch":
      return "Switched to another branch. Files stay as they are."
    case "set_mode":
      return `Mode: ${modeNames[op.mode]}`
    case "set_gate":
      return gateDone(op.gate, op.on)
    case "set_goal":
      return op.goal === null ? "Goal ended." : `Goal: ${forConsent(goalText(op.goal))}`
    case "set_loop":
      return op.loop === null ? "Loop ended." : `Every ${intervalText(op.loop.everyMs)}: ${forConsent(op.loop.prompt)}`
    case "set_model":
      return `Model: ${forConsent(op.model)}`
    case "set_effort":
      return `Effort: ${op.effort}`
    case "set_budget":
      return `Budget: ${budgetText(op.budget)}`
    case "set_style":
      return `Output style: ${forConsent(op.style)}, after /clear and in new sessions. This conversation keeps its style.`
    case "add_rule":
      return `Added: ${op.behavior} ${forConsent(op.rule)} (${op.destination}). It applies now.`
    case "add_folder":
      return `Added ${forConsent(op.path)} to the workspace.`
    case "rename":
      return `Renamed to "${forConsent(op.title)}".`
    case "stop_agent":
      return `Stopped ${forConsent(op.agentId)}.`
    default:
      return ""
  }
}
