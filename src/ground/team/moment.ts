/** A team as it stands at one moment: who is idle and what mail is unread belong together. */

import type { TeamStore } from "#agent/words/team.ts"
import { allMail } from "./mail.ts"
import { about, allMembers } from "./roster.ts"
import type { TeamSql } from "./sql.ts"
import { allTasks } from "./task-rows.ts"

export const openMoment =
  (sql: TeamSql): TeamStore["moment"] =>
  () =>
    sql.snapshot(function* () {
      return { ...(yield* about()), members: yield* allMembers(), tasks: yield* allTasks(), mail: yield* allMail() }
    })
