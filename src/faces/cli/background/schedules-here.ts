/** The schedules of this user. */

import type { Jobs } from "#fleet/background/jobs.ts"
import { openSchedules, type Schedules } from "#fleet/background/schedules.ts"
import { systemIds } from "#lib/ids.ts"
import { logsOf } from "./job-places.ts"

export const schedulesHere = (state: string, jobs: Jobs): Schedules =>
  openSchedules({
    state,
    pid: process.pid,
    jobs,
    ids: systemIds,
    hasBegun: (sessionId, cwd) => logsOf(state, cwd).find(sessionId) !== undefined,
  })
