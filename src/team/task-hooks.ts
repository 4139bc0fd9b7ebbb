/** The hooks about tasks: one may refuse a new task, or that a task is done. */

import type { Board } from "#agent/words/team.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed } from "#lib/result.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import type { Claims } from "./claims.ts"

export interface HookedTasks {
  readonly board: Board
  readonly claims: Claims
}

const unending = new AbortController().signal

export function hookTasks(
  { board, claims }: HookedTasks,
  { hook, who, team }: { readonly hook: TeamPorts["hook"]; readonly who: string; readonly team: string },
): HookedTasks {
  const fieldsOf = (task: { id: string; subject: string; description: string }): JsonObject => ({
    task_id: task.id,
    task_subject: task.subject,
    task_description: task.description,
    teammate_name: who,
    team_name: team,
  })
  return {
    board: {
      ...board,
      async create(task, call) {
        const agree = hook("TaskCreated")
        if (!agree) return board.create(task, call)
        // It is there once the hooks have agreed, not before: nobody can take it, and a crash leaves nothing behind.
        const id = await board.reserve()
        const why = await agree(fieldsOf({ ...task, id }), unending)
        return why === undefined ? board.create(task, call, { id }) : failed({ kind: "refused_by_hook", id, why })
      },
    },
    claims: {
      ...claims,
      async finish(id, call) {
        const agree = hook("TaskCompleted")
        const task = agree && (await board.get(id))
        const why = task && (await agree(fieldsOf(task), unending))
        return why === undefined ? claims.finish(id, call) : failed({ kind: "refused_by_hook", id, why })
      },
    },
  }
}
