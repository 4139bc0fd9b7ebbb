/** Which rules are the user's own, and which may have come with a project. */

import type { RuleSource } from "#agent/words/permission.ts"

/** A repository can contain local settings too, and the rules of a command may come from a project's file. */
export const isOfUser = (source: RuleSource): boolean =>
  source === "managed" || source === "command line" || source === "user settings" || source === "session"
