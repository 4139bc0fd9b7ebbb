/** Gives a task to somebody because the user says so; whoever works on it is told to stop. */

import type { AssignTask, TeamStore } from "#agent/words/team.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok } from "#lib/result.ts"

export const assigning =
  ({ board, mail }: TeamStore, { lead, ids }: { readonly lead: string; readonly ids: Ids }): AssignTask =>
  async (id, to) => {
    const before = await board.get(id)
    if (!before) return failed(`There is no task #${id}.`)
    const { owner, status } = before
    if (status === "completed") return failed(`#${id} is completed.`)
    if (owner === (to ?? undefined)) return ok(undefined)
    const changed = await board.change(id, { owner: to })
    if (!changed.ok) return failed(`#${id} could not be assigned.`)
    if (status === "in_progress" && owner !== undefined && owner !== lead)
      await mail.send({
        from: lead,
        to: owner,
        type: "message",
        text: `The user gave #${id} to ${to ?? "whoever is free"}. Stop working on it.`,
        summary: `#${id} is no longer yours`,
        key: ids.uuid(),
      })
    return ok(undefined)
  }
