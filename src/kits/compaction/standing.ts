/** The list of work and the plan, as the conversation left them. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Todo } from "#agent/words/todo.ts"

export interface PlanFile {
  readonly path: string
  readonly isApproved: boolean
}

export interface StandingFold {
  readonly take: (entry: Entry) => void
  readonly forget: () => void
  readonly todos: () => readonly Todo[]
  readonly plan: () => PlanFile | undefined
}

export function openStandingFold(): StandingFold {
  let todos: readonly Todo[] = []
  let plan: PlanFile | undefined

  function fold(body: EntryBody): void {
    if (body.kind === "todo") todos = body.todos
    if (body.kind === "plan")
      plan = body.change === "forgotten" ? undefined : { path: body.path, isApproved: body.change === "approved" }
    // What held at a compaction: whoever reads from there on has nothing else.
    if (body.kind === "compaction") for (const held of body.standing) fold(held)
  }

  return {
    take: fold,
    todos: () => todos,
    plan: () => plan,
    forget() {
      todos = []
      plan = undefined
    },
  }
}
