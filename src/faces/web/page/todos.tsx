/** The agent's list of work. */

import type { ReactNode } from "react"
import type { Todo, TodoStatus } from "#agent/words/todo.ts"
import { legibleText } from "./legible.ts"

const marks: { readonly [status in TodoStatus]: readonly [mark: string, name: string] } = {
  pending: ["○", "to do"],
  in_progress: ["◐", "in progress"],
  completed: ["●", "done"],
}

export function Todos({ todos }: { readonly todos: readonly Todo[] }): ReactNode {
  return (
    <ul className="todos">
      {todos.map(({ content, activeForm, status }, i) => (
        <li key={i} className={status}>
          <span role="img" aria-label={marks[status][1]}>
            {marks[status][0]}
          </span>{" "}
          {legibleText(status === "in_progress" ? activeForm : content)}
        </li>
      ))}
    </ul>
  )
}
