/** How much the model thinks, from the command line, the environment and the settings. */

import { effortLevels, isEffort, type Thinking } from "#agent/words/thinking.ts"
import type { Environment } from "#ground/settings/environment.ts"
import type { Settings } from "#ground/settings/settings.ts"
import { given } from "#lib/given.ts"

export interface ThinkingChoice {
  readonly thinking: Thinking
  readonly given: boolean
  readonly warnings: readonly string[]
}

/** The command line overrides the environment, which overrides settings. */
export function thinkingChoice(
  flag: string | undefined,
  { maxThinkingTokens: tokens, effortLevel }: Pick<Environment, "maxThinkingTokens" | "effortLevel">,
  settings: Pick<Settings, "effortLevel" | "alwaysThinkingEnabled" | "showThinkingSummaries">,
): ThinkingChoice {
  const said = [
    { from: "--effort", level: flag },
    { from: "CODEWRIGHT_EFFORT_LEVEL", level: effortLevel },
    { from: "effortLevel", level: settings.effortLevel },
  ].flatMap(({ from, level }) => (level === undefined ? [] : [{ from, level: level.trim().toLowerCase() }]))
  const known = said.filter(({ level }) => level === "auto" || isEffort(level))
  const effort = known[0]?.level
  return {
    given: flag !== undefined,
    thinking: {
      type: typeOf(tokens, settings.alwaysThinkingEnabled),
      ...(isEffort(effort) && { effort }),
      ...given("tokens", tokens === 0 ? undefined : tokens),
      ...(settings.showThinkingSummaries === false && { summaries: "hidden" }),
    },
    warnings: said.flatMap((one) =>
      known.includes(one)
        ? []
        : [
            `${one.from}: "${one.level}" is not an effort level and is ignored. Use ${effortLevels.join(", ")} or auto.`,
          ],
    ),
  }
}

function typeOf(tokens: number | undefined, always: boolean | undefined): Thinking["type"] {
  if (tokens !== undefined) return tokens === 0 ? "off" : "on"
  return always === undefined ? "auto" : always ? "on" : "off"
}
