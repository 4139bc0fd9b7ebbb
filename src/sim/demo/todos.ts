/** The demo's to-do list: the same few items, ticked off as it goes. */

import type { JsonObject } from "#lib/json.ts"
import type { Move } from "./move.ts"
import type { Story } from "./story.ts"

export interface Todo {
  readonly content: string
  readonly activeForm: string
}

/** Adds a list update to a move, with the item at `current` in progress, unless the list already says so. */
export function withTodos(story: Story, todos: readonly Todo[], current: number, move: Move): Move {
  const input: JsonObject = {
    todos: todos.map((todo, index) => ({
      ...todo,
      status: index < current ? "completed" : index === current ? "in_progress" : "pending",
    })),
  }
  const last = story.done.findLast(({ tool }) => tool === "TodoWrite")
  if (!story.offers("TodoWrite") || last?.failed || JSON.stringify(last?.input) === JSON.stringify(input)) return move
  return { ...move, calls: [{ tool: "TodoWrite", input }, ...move.calls] }
}
