/** What a face may see of hooks: those that are configured, what is wrong with others, and how they ran. */

import type { Entry } from "#agent/words/entry.ts"
import type { ConfiguredHook, HookConfiguration } from "#kits/hooks/config.ts"

export interface HooksLook {
  readonly configured: readonly Pick<
    ConfiguredHook,
    "event" | "matcher" | "name" | "work" | "source" | "file" | "timeoutMs" | "required"
  >[]
  readonly problems: readonly string[]
  /** The last runs, oldest first. */
  readonly runs: readonly (Entry & { readonly kind: "hook" })[]
}

const shownRuns = 100

export function lookAtHooks(configuration: HookConfiguration | undefined, entries: readonly Entry[]): HooksLook {
  return {
    configured: configuration?.hooks ?? [],
    problems: configuration?.problems ?? [],
    runs: entries.filter((entry): entry is Entry & { kind: "hook" } => entry.kind === "hook").slice(-shownRuns),
  }
}
