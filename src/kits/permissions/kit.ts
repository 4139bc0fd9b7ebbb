/** The permissions kit: one layer around every call, and what it follows of the log. */

import type { Kit } from "#agent/words/kit.ts"
import { lazily } from "#lib/lazily.ts"
import { openGrants } from "./grants.ts"
import type { PermissionPorts } from "./ports.ts"

export interface Permissions extends Kit {
  /** Loads what decides and tries it out: the first decision takes ten times as long as those after it. */
  readonly warm: () => Promise<void>
}

export function permissionsKit(ports: PermissionPorts): Permissions {
  const grants = ports.grants ?? openGrants(ports)
  const layer = lazily(async () => (await import("./layer.ts")).openLayer(ports, grants))
  return {
    name: "permissions",
    middleware: async (call, next) => (await layer()).middleware(call, next),
    warm: async () => (await layer()).warm(),
    take(entry) {
      if (entry.kind === "grant") grants.take(entry)
      ports.auto?.take?.(entry)
    },
    ...(ports.auto?.conversation && { conversation: ports.auto.conversation }),
  }
}
