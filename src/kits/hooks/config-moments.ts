/** Hooks when settings files change: they can keep the change from counting in this session. */

import type { SettingsChange } from "#agent/words/settings-change.ts"
import type { Dispatcher } from "./dispatch.ts"

export interface ConfigMoments {
  /** Why a change is not to count; undefined if it is. The managed policy always counts. */
  readonly configChanged: (changes: readonly SettingsChange[], signal: AbortSignal) => Promise<string | undefined>
}

export const openConfigMoments = ({ fire }: Pick<Dispatcher, "fire">): ConfigMoments => ({
  async configChanged(changes, signal) {
    const objections: string[] = []
    for (const { source, path } of changes) {
      const fields = { source, file_path: path }
      const fired = await fire({ event: "ConfigChange", subjects: [source], fields }, signal)
      const no = fired.verdict === "deny" ? (fired.reason ?? "It gave no reason.") : fired.stop
      if (no !== undefined && source !== "policy_settings") objections.push(no)
    }
    return objections.length > 0 && objections.length === changes.length ? objections[0] : undefined
  },
})
