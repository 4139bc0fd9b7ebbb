/** The results of calls that were begun before the program ended, from what the team's store has of them. */

import type { ToolUseBlock } from "#agent/words/message.ts"
import type { CallRecord, TeamStore } from "#agent/words/team.ts"
import { type Outcome, refused } from "#agent/words/tool.ts"
import { sentOutcome } from "./send-message.ts"
import { createdWords, deletedWords, taskOutcome, updatedWords, withStranger } from "./task-tools.ts"

/** Undefined for calls that are not about the team's store. */
export async function outcomeOfCall(
  { callRecord, board }: Pick<TeamStore, "callRecord" | "board">,
  caller: string,
  { id, name, input }: ToolUseBlock,
): Promise<Outcome | undefined> {
  if (name !== "SendMessage" && name !== "TaskCreate" && name !== "TaskUpdate") return undefined
  const record = await callRecord({ caller, id })
  if (name === "SendMessage") return record.send ? sentOutcome(record.send) : notRun
  const { create } = record
  const outcome =
    name === "TaskUpdate" ? updated(record, input.status) : create ? taskOutcome(createdWords(create), create) : notRun
  return withStranger(board, outcome, input.status === undefined ? input.owner : undefined)
}

/** A change and a new status are two steps, and the program may have ended between them. */
function updated({ change, claim, complete, giveBack }: CallRecord, status: unknown): Outcome {
  const ended = status === "completed" ? complete : status === "pending" ? (giveBack ?? change) : undefined
  if (ended && (status === "completed" || status === "pending")) return taskOutcome(updatedWords(status)(ended), ended)
  if (status === "in_progress" && claim) return taskOutcome(updatedWords(status)(claim.task), claim.task)
  if (status === "deleted" && change) return taskOutcome(deletedWords(change.id), change)
  if (status === undefined && change) return taskOutcome(updatedWords(undefined)(change), change)
  const first = change ?? claim?.task
  return first
    ? refused(`#${first.id} was changed, but the program ended before its status was ${String(status)}. Set it again.`)
    : notRun
}

export const notRun: Outcome = refused(
  "Not run: the program ended before this took effect. Call it again if it is still needed.",
)
