/** The user's sessions for the tools that write to them, and how one is told that it has mail. */

import { openJobs } from "#fleet/background/jobs.ts"
import { systemClock } from "#lib/clock.ts"
import { ringBell } from "#team/sessions/mailbox.ts"
import type { OtherSessions } from "#team/sessions/message-tools.ts"
import type { Where } from "#faces/cli/where.ts"
import { sessionList } from "./session-list.ts"
import { startHost } from "./start-host.ts"

export const otherSessions = (where: Pick<Where, "state" | "catalog" | "projects">): OtherSessions => ({
  async list() {
    const { sessions } = await sessionList(where, systemClock.now())
    return sessions.map(({ id, name, cwd, state, pid, background }) => ({
      id,
      name,
      folder: cwd,
      state,
      isOpen: pid !== undefined,
      isBackground: background,
    }))
  },
  ring: (id) => ring(id, where.state),
})

export async function ring(id: string, state: string): Promise<void> {
  const jobs = openJobs(state, process.pid)
  if (jobs.get(id)) {
    jobs.mark(id, "mail")
    await startHost(state)
    return
  }
  // One in a terminal. Where nobody listens, the message waits until the session is opened.
  ringBell(state, id)
}
