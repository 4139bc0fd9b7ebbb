/** A task of a team for tests that only look at it. */

import type { TeamTask } from "#agent/words/team.ts"

export const taskOf = (id: number | string, more: Partial<TeamTask> = {}): TeamTask => ({
  id: `${id}`,
  subject: `task ${id}`,
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
  attempts: 0,
  notes: [],
  metadata: {},
  ...more,
})
