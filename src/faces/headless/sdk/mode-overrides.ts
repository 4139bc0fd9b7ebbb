/** Servers whose tools are asked about although the mode would allow them: a client can only tighten. */

import { plainServerName } from "#agent/words/named-servers.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Session } from "#session/port/session.ts"

export interface ModeOverrides {
  readonly set: (server: string, isAsked: boolean) => Promise<void>
  /** The mode may be another one now. */
  readonly follow: () => Promise<void>
}

/** In these modes a server's tools would run unasked; in any other, rules decide as they are. */
const permissive: readonly PermissionMode[] = ["bypassPermissions", "auto"]

export function openModeOverrides({ submit, ask }: Pick<Session, "submit" | "ask">): ModeOverrides {
  const wanted = new Set<string>()
  const added = new Set<string>()
  /** One after the other, so that a rule is never added twice. */
  let work = Promise.resolve()

  async function settle(): Promise<void> {
    const { mode } = await ask({ type: "state" })
    const due = new Set(permissive.includes(mode) ? wanted : [])
    for (const server of new Set([...due, ...added])) {
      const rule = `mcp__${plainServerName(server)}`
      if (due.has(server) && !added.has(server))
        await submit({ type: "add_rule", behavior: "ask", rule, destination: "session" })
      if (!due.has(server)) await submit({ type: "drop_rule", behavior: "ask", rule })
    }
    added.clear()
    for (const server of due) added.add(server)
  }

  const follow = (): Promise<void> => (work = work.then(settle, settle))

  return {
    async set(server, isAsked) {
      if (isAsked) wanted.add(server)
      else wanted.delete(server)
      await follow()
    },
    follow: async () => (wanted.size + added.size > 0 ? follow() : undefined),
  }
}
