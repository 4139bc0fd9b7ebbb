/** What a face can see of hooks: those configured, problems with others, and their runs. */

import type { Entry } from "#agent/words/entry.ts"
import type { ConfiguredHook, HookConfiguration } from "#kits/hooks/config.ts"
import { factsOf, type HookEvent, hookEvents } from "#kits/hooks/moments.ts"
import { optional } from "#lib/optional.ts"
import type { Past } from "#session/journal/past.ts"

export interface HookRow extends Pick<
  ConfiguredHook,
  "event" | "matcher" | "name" | "work" | "source" | "file" | "timeoutMs" | "required" | "rule" | "status"
> {
  readonly runs?: "once" | "background"
}

export type HookEntry = Entry & { readonly kind: "hook" }

export interface HooksOverview {
  readonly configured: readonly HookRow[]
  readonly problems: readonly string[]
  /** Oldest first. */
  readonly runs: readonly HookEntry[]
}

export interface HookEventRow {
  readonly event: HookEvent
  readonly about: string
  /** Whether a matcher narrows it. */
  readonly hasMatcher: boolean
}

/** Every event that hooks can be configured for. */
export const hookEventRows = (): readonly HookEventRow[] =>
  hookEvents.map((event) => {
    const { about, matches } = factsOf(event)
    return { event, about, hasMatcher: matches !== undefined }
  })

const shownRuns = 100

export async function describeHooks(
  configuration: HookConfiguration | undefined,
  past: Pick<Past, "lastOf">,
): Promise<HooksOverview> {
  const runs = await past.lastOf("hook", shownRuns)
  return {
    configured: (configuration?.hooks ?? []).map(
      ({ event, matcher, name, work, source, file, timeoutMs, required, rule, status, once, isAsync }) => ({
        event,
        matcher,
        name,
        work,
        source,
        file,
        timeoutMs,
        required,
        ...optional("rule", rule),
        ...optional("status", status),
        ...optional("runs", once ? ("once" as const) : isAsync ? ("background" as const) : undefined),
      }),
    ),
    problems: configuration?.problems ?? [],
    runs: runs.filter((entry) => entry.kind === "hook"),
  }
}
