/** The modes that one key goes through: those of the session, and auto once it was chosen. */

import type { PermissionMode } from "#agent/words/permission.ts"

export function openModeCycle(first: readonly PermissionMode[]): (now: PermissionMode) => readonly PermissionMode[] {
  let cycle = first
  return (now) => {
    if (now === "auto" && !cycle.includes(now)) {
      const at = cycle.indexOf("plan") + 1
      cycle = cycle.toSpliced(at, 0, now)
    }
    return cycle
  }
}
