/** One item of an agent's to-do list. */

export const todoStatuses = ["pending", "in_progress", "completed"] as const
export type TodoStatus = (typeof todoStatuses)[number]

export interface Todo {
  /** Imperative: "Fix the parser". */
  readonly content: string
  readonly status: TodoStatus
  /** Present participle: "Fixing the parser". */
  readonly activeForm: string
}
