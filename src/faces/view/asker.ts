/** Who asks a question, in words: a member of a team by its name, any other agent by its type. */

import type { AskingAgent } from "#agent/words/child.ts"
import { bared } from "#lib/printable.ts"

export const askerOf = ({ type, name }: AskingAgent): string =>
  name === undefined ? `the ${bared(type)} agent` : `${bared(name)}, a member of the team`
