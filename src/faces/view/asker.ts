/** Who asks a question, and where it works, in words: a member of a team by its name, any other agent by its type. */

import type { AskingAgent } from "#agent/words/child.ts"
import { forConsent } from "#lib/printable.ts"

export function askerOf({ type, name, folder }: AskingAgent): string {
  const who = name === undefined ? `the ${forConsent(type)} agent` : `${forConsent(name)}, a member of the team`
  return folder === undefined ? who : `${who}, in the worktree ${forConsent(folder.split("/").at(-1) ?? "")}`
}
