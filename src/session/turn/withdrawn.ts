/** The entry for queued prompts that were withdrawn. */

import type { EntryBody } from "#agent/words/entry.ts"
import { optional } from "#lib/optional.ts"
import type { WaitingPrompt } from "#session/journal/inbox.ts"

export const withdrawn = (prompts: readonly WaitingPrompt[], by: string): EntryBody => ({
  kind: "withdrawn",
  by,
  prompts: prompts.map(({ promptId, content, as }) => ({ promptId, content, ...optional("as", as) })),
})
