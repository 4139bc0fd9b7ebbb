/** The permissions kit: one layer around every call, and what it follows in the log. */

import { byKind, onEntryOfAll } from "#agent/words/follower.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Call } from "#agent/words/middleware.ts"
import { lazily } from "#lib/lazily.ts"
import type { JudgedCall } from "./call.ts"
import { openGrants } from "./grants.ts"
import type { AskForHost } from "./host-question.ts"
import type { PermissionPorts } from "./ports.ts"

export interface Permissions extends Kit {
  /** Loads the decision code and runs it once: the first decision takes ten times as long as later ones. */
  readonly warm: () => Promise<void>
  /** What is known of a call, as decisions see it. */
  readonly judged: (call: Call) => Promise<JudgedCall>
  /** Whether a confined command may reach a host that no rule covers. */
  readonly askForHost: AskForHost
}

const mostCommands = 500

export function permissionsKit(ports: PermissionPorts): Permissions {
  const grants = ports.grants ?? openGrants(ports)
  const layer = lazily(async () => (await import("./layer.ts")).openLayer(ports, grants))
  /** Commands of recent calls: a background command may ask for a host long after its call. */
  const commands = new Map<string, string>()
  const note = ({ callId, footprint }: Call): void => {
    if (footprint.runs.length === 0) return
    commands.set(callId, footprint.runs.join("\n"))
    const [oldest] = commands.keys()
    if (commands.size > mostCommands && oldest !== undefined) commands.delete(oldest)
  }
  const hosts = lazily(async () => {
    const [{ openHostQuestions }, { judge }] = await Promise.all([import("./host-question.ts"), layer()])
    return openHostQuestions({ ...ports, judge, grants, commandOf: (callId) => commands.get(callId) })
  })
  return {
    name: "permissions",
    async middleware(call, next) {
      note(call)
      return (await layer()).middleware(call, next)
    },
    async judged(call) {
      if (call.footprint.runs.length > 0) await Promise.all([ports.analyzer?.load(), ports.walls.load()])
      return (await layer()).judged(call)
    },
    askForHost: async (wanted, signal) => (await hosts())(wanted, signal),
    warm: async () => (await layer()).warm(),
    onEntry: onEntryOfAll(byKind({ grant: grants.apply }), ...(ports.auto?.onEntry ? [ports.auto.onEntry] : [])),
    ...(ports.auto?.conversation && { conversation: ports.auto.conversation }),
  }
}
