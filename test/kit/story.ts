/** Entries as short lines, so that a test can say what happened as a list. */

import type { Entry } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"

/**
 * One line for each entry; ids, costs and times are left out, and so is `reply_end`, which comes while calls already run,
 * and what is written at every start, request or act alike.
 */
export const story = (entries: readonly Entry[]): string[] =>
  entries.filter(({ kind }) => !["begun", "reply_end", "setup", "request", "snapshot"].includes(kind)).map(line)

function line(entry: Entry): string {
  switch (entry.kind) {
    case "prompt":
    case "queued":
      return `${entry.kind} ${textOf(entry.content)}`
    case "withdrawn":
      return `withdrawn ${entry.prompts.map(({ content }) => textOf(content)).join(", ")}`
    case "reply":
      return `reply ${entry.block.type === "tool_use" ? `calls ${entry.block.name}` : textOf([entry.block])}`
    case "result":
      return `result${entry.isError ? " error" : ""} ${textOf(entry.content)}`
    case "decision":
      return `decision ${entry.behavior} ${entry.tool} by ${entry.reason.kind}`
    case "hook":
      return `hook ${entry.event}${entry.decision === undefined ? "" : ` ${entry.decision}`}${entry.failure === undefined ? "" : ` failed: ${entry.failure}`}`
    case "intent":
      return `intent ${entry.title}`
    case "question":
      return `question ${entry.question.ask.kind}`
    case "answer":
      return `answer ${entry.answer.kind}`
    case "turn_end":
      return `turn_end ${entry.reason}${entry.cause === undefined ? "" : ` ${entry.cause}`}`
    case "mode":
      return `mode ${entry.mode}`
    case "model":
      return `model ${entry.model} ${entry.why}`
    case "cwd":
      return `cwd ${entry.path}`
    case "shrink":
      return `shrink ${entry.rung}`
    case "head":
      return `head ${entry.why}`
    case "shell":
      return `shell ${entry.command}: ${entry.output.trimEnd()}`
    case "attachment":
      return `attachment ${entry.name}`
    case "notice":
      return `notice ${entry.text}`
    default:
      return entry.kind
  }
}
