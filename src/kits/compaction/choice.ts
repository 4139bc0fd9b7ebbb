/** The compaction choice from settings and environment. */

import type { JsonObject } from "#lib/json.ts"
import type { CompactionChoice } from "./kit.ts"
import { readTrigger } from "./levels.ts"

export interface CompactionSettings {
  readonly autoCompact?: boolean
  readonly autoCompactEnabled?: boolean
  readonly compaction?: JsonObject
}

export interface CompactionEnvironment {
  readonly disableCompact: boolean
  readonly disableAutoCompact: boolean
  readonly autoCompactPercent: number | undefined
}

export function compactionChoice(
  settings: CompactionSettings,
  environment: CompactionEnvironment,
): { readonly choice: CompactionChoice; readonly warnings: readonly string[] } {
  const { compaction = {} } = settings
  const { disableCompact, disableAutoCompact, autoCompactPercent } = environment
  const wanted = autoCompactPercent ?? compaction.trigger
  const trigger = wanted === undefined ? { kind: "formula" as const } : readTrigger(wanted)
  const isManual = disableAutoCompact || settings.autoCompact === false || settings.autoCompactEnabled === false
  return {
    choice: {
      when: disableCompact ? "never" : isManual ? "manual" : "auto",
      trigger: trigger ?? { kind: "formula" },
      ...(compaction.background === false && { inBackground: false }),
    },
    warnings: [
      ...(trigger === undefined
        ? [
            `${autoCompactPercent === undefined ? "The setting compaction.trigger" : "CODEWRIGHT_AUTO_COMPACT_PERCENT"} is ${JSON.stringify(wanted)}, so the usual level is used. Write "formula", or a percentage from 1 to 100.`,
          ]
        : []),
      ...Object.keys(compaction)
        .filter((key) => key !== "trigger" && key !== "background")
        .map(
          (key) =>
            `The setting compaction.${key} is not known and does nothing; there are only compaction.trigger and compaction.background.`,
        ),
      ...(compaction.background === undefined || typeof compaction.background === "boolean"
        ? []
        : [
            `The setting compaction.background is ${JSON.stringify(compaction.background)}, so summaries are prepared in the background. Write true or false.`,
          ]),
    ],
  }
}
