/** Where a rule is saved, as it is typed after `--to`. */

import type { GrantDestination } from "#agent/words/permission.ts"

export const rulePlaceNames: { readonly [word: string]: GrantDestination } = {
  session: "session",
  local: "local settings",
  project: "project settings",
  user: "user settings",
}
