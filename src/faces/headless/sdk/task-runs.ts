/** Which run of a task a message is about: a task that is resumed keeps its id, and begins another run. */

import { isObject, type JsonObject } from "#lib/json.ts"

export interface TaskRuns {
  /** The message with the run of each task it names; as it is if it names none that began in this process. */
  readonly mark: (message: object) => object
}

export function openTaskRuns(now: () => number): TaskRuns {
  const runs = new Map<string, string>()
  let begun = 0

  const runOf = (task: object): object => {
    const run = "task_id" in task && typeof task.task_id === "string" ? runs.get(task.task_id) : undefined
    return run === undefined ? task : { ...task, run_id: run }
  }

  return {
    mark(message) {
      const { type, subtype, task_id, tasks } = message as JsonObject
      if (type !== "system") return message
      if (subtype === "task_started" && typeof task_id === "string") runs.set(task_id, runId(now(), begun++))
      if (subtype === "background_tasks_changed" && Array.isArray(tasks))
        return { ...message, tasks: tasks.filter(isObject).map(runOf) }
      return typeof subtype === "string" && subtype.startsWith("task_") ? runOf(message) : message
    },
  }
}

/** Later runs come after earlier ones in the order of strings, also those of another process. */
const runId = (at: number, count: number): string =>
  `run_${at.toString(36).padStart(9, "0")}${count.toString(36).padStart(4, "0")}`
