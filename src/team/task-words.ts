/** Tasks and what went wrong with them, in words for the model. */

import { escapeImitations } from "#agent/words/reminder.ts"
import type { TaskFailure, TeamTask } from "#agent/words/team.ts"
import { never } from "#lib/never.ts"

const listOf = (ids: readonly string[]): string => ids.map((id) => `#${id}`).join(", ")

/** One line. What is left of its blockers says whether it can begin. */
function taskLine({ id, subject, status, owner, blockedBy }: TeamTask, open: ReadonlySet<string>): string {
  const waits = blockedBy.filter((blocker) => open.has(blocker))
  const facts = [
    ...(owner === undefined ? [] : [owner]),
    ...(status === "pending" && waits.length > 0 ? [`waits for ${listOf(waits)}`] : []),
  ]
  return escapeImitations(`#${id} [${status}] ${subject}${facts.length === 0 ? "" : ` (${facts.join("; ")})`}`)
}

export const taskLines = (tasks: readonly TeamTask[]): string => {
  const open = new Set(tasks.filter(({ status }) => status !== "completed").map(({ id }) => id))
  return tasks.map((task) => taskLine(task, open)).join("\n")
}

export function taskText(task: TeamTask): string {
  const { id, subject, status, owner, description, blocks, blockedBy, attempts, notes, metadata } = task
  const lines = [
    `#${id} ${subject}`,
    `status: ${status}${owner === undefined ? "" : `, owner: ${owner}`}`,
    ...(blockedBy.length === 0 ? [] : [`blocked by: ${listOf(blockedBy)}`]),
    ...(blocks.length === 0 ? [] : [`blocks: ${listOf(blocks)}`]),
    ...(attempts === 0 ? [] : [`begun and given back ${attempts} ${attempts === 1 ? "time" : "times"}`]),
    ...notes.map((note) => `note: ${note}`),
    ...(typeof metadata.evidence === "string" ? [`evidence: ${metadata.evidence}`] : []),
    ...(description === "" ? [] : ["", description]),
  ]
  return escapeImitations(lines.join("\n"))
}

export function taskFailureWords(failure: TaskFailure): string {
  switch (failure.kind) {
    case "no_such_task":
      return `There is no task #${failure.id}. TaskList shows all tasks.`
    case "cycle":
      return `Not changed: the tasks would wait for each other in a circle (${failure.ids.map((id) => `#${id}`).join(" blocks ")}).`
    case "blocked":
      return `#${failure.id} cannot begin yet: it waits for ${listOf(failure.by)}.`
    case "claimed":
      return `#${failure.id} is ${failure.owner}'s.`
    case "resolved":
      return `#${failure.id} is already ${failure.status}.`
    case "busy":
      return `You are still working on #${failure.id}. Finish it first.`
    case "nothing":
      return "No task can begin now."
    case "refused_by_hook":
      return `A hook did not accept it: ${failure.why}`
    case "lost":
      return `#${failure.id} is no longer yours: it was given to someone else, stopped or deleted. TaskGet shows how it stands.`
    default:
      return never(failure)
  }
}
