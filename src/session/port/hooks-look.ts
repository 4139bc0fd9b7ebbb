/** What a face can see of hooks: those configured, problems with others, and their runs. */

import type { Entry } from "#agent/words/entry.ts"
import type { ConfiguredHook, HookConfiguration } from "#kits/hooks/config.ts"
import type { Past } from "#session/journal/past.ts"

export interface HooksLook {
  readonly configured: readonly Pick<
    ConfiguredHook,
    "event" | "matcher" | "name" | "work" | "source" | "file" | "timeoutMs" | "required"
  >[]
  readonly problems: readonly string[]
  /** Oldest first. */
  readonly runs: readonly (Entry & { readonly kind: "hook" })[]
}

const shownRuns = 100

export async function lookAtHooks(
  configuration: HookConfiguration | undefined,
  past: Pick<Past, "lastOf">,
): Promise<HooksLook> {
  const runs = await past.lastOf("hook", shownRuns)
  return {
    configured: (configuration?.hooks ?? []).map(
      ({ event, matcher, name, work, source, file, timeoutMs, required }) => ({
        event,
        matcher,
        name,
        work,
        source,
        file,
        timeoutMs,
        required,
      }),
    ),
    problems: configuration?.problems ?? [],
    runs: runs.filter((entry) => entry.kind === "hook"),
  }
}
