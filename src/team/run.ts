/** One life of a member: its session, in one process. */

import type { Owner } from "#ground/transcript/lock.ts"

export const runOf = (agentId: string, { pid, start }: Owner): string => `${agentId} ${pid} ${start}`
