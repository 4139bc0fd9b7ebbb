/** Which model answers in which mode: planning uses the stronger one, as long as that is sensible. */

import type { PermissionMode } from "#agent/words/permission.ts"
import { type Aliases, resolveModel } from "#ground/models/aliases.ts"

/** Beyond this the strongest model would read the whole context at its own price. */
const mostTokens = 200_000

/** The model for the next request; `chosen` is the user's choice, an alias or an id. */
export function modelForMode({
  mode,
  chosen,
  contextTokens,
  aliases,
}: {
  readonly mode: PermissionMode
  readonly chosen: string
  /** As reported by the last answer. */
  readonly contextTokens: number
  readonly aliases: Aliases
}): string {
  const isPlanning = mode === "plan"
  if (/^opusplan\b/i.test(chosen.trim()))
    return resolveModel(chosen, aliases, isPlanning && contextTokens < mostTokens ? "planning" : "working")
  const model = resolveModel(chosen, aliases)
  return isPlanning && isSmall(model, aliases) ? aliases.sonnet : model
}

const isSmall = (model: string, { haiku, small, sonnet, opus }: Aliases): boolean =>
  model !== sonnet && model !== opus && (model === haiku || model === small || /\bhaiku\b/i.test(model))
