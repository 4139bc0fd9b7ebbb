/** Hooks around a compaction: they can forbid it, say what it should keep, and learn its result. */

import { optional } from "#lib/optional.ts"
import type { Dispatcher } from "./dispatch.ts"
import type { HookMoment } from "./moments.ts"
import { contextWords } from "./words.ts"

export interface CompactionMoments {
  readonly preCompact: (
    about: { readonly trigger: "auto" | "manual"; readonly instructions: string | undefined },
    signal: AbortSignal,
  ) => Promise<{ readonly instructions?: string; readonly blocked?: string }>
  readonly sessionStart: (source: "compact", signal: AbortSignal) => Promise<readonly string[]>
  readonly postCompact: (
    about: { readonly trigger: "auto" | "manual"; readonly summary: string },
    signal: AbortSignal,
  ) => Promise<void>
}

export function openCompactionMoments({
  fire,
  has,
  start,
}: Dispatcher & { readonly start: (source: "compact") => HookMoment }): CompactionMoments {
  return {
    async preCompact({ trigger, instructions }, signal) {
      if (!has("PreCompact")) return {}
      const fields = { trigger, custom_instructions: instructions ?? "" }
      const fired = await fire({ event: "PreCompact", subjects: [trigger], fields }, signal)
      const no = fired.verdict === "deny" ? (fired.reason ?? "It gave no reason.") : fired.stop
      return { ...optional("blocked", no), ...optional("instructions", fired.contexts.join("\n") || undefined) }
    },
    async sessionStart(source, signal) {
      if (!has("SessionStart")) return []
      const { contexts } = await fire(start(source), signal)
      return contexts.map((text) => contextWords("SessionStart", text))
    },
    async postCompact({ trigger, summary }, signal) {
      if (!has("PostCompact")) return
      await fire({ event: "PostCompact", subjects: [trigger], fields: { trigger, compact_summary: summary } }, signal)
    },
  }
}
