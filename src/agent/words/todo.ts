/** One item of an agent's own list of work. */

export const todoStatuses = ["pending", "in_progress", "completed"] as const
export type TodoStatus = (typeof todoStatuses)[number]

export interface Todo {
  /** What is to be done: "Fix the parser". */
  readonly content: string
  readonly status: TodoStatus
  /** The same while it is being done: "Fixing the parser". */
  readonly activeForm: string
}
