/** The modes that one key goes through: those of the session, auto once it was chosen, and delegate while there is a team. */

import type { PermissionMode } from "#agent/words/permission.ts"

export function openModeCycle(
  first: readonly PermissionMode[],
): (now: PermissionMode, hasTeam: boolean) => readonly PermissionMode[] {
  let cycle = first
  return (now, hasTeam) => {
    if (now === "auto" && !cycle.includes(now)) {
      const at = cycle.indexOf("plan") + 1
      cycle = cycle.toSpliced(at, 0, now)
    }
    // Right after the first, which asks: members work in the mode before it, and none is widened on the way.
    return hasTeam ? cycle.toSpliced(1, 0, "delegate") : cycle
  }
}
