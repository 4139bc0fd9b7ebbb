/** How much the model thinks, from the command line, the environment and the settings. */

import { effortLevels, isEffort, type Thinking } from "#agent/words/thinking.ts"
import type { Environment } from "#ground/settings/environment.ts"
import type { Settings } from "#ground/settings/settings.ts"
import { optional } from "#lib/optional.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "#faces/cli/failure.ts"
import type { FlagName } from "./flags.ts"
import { readNumber } from "./numbers.ts"

export interface ThinkingChoice {
  readonly thinking: Thinking
  readonly given: boolean
  readonly warnings: readonly string[]
}

/** What the command line says. */
export interface AskedThinking {
  readonly effort?: string
  readonly tokens?: number
  readonly type?: Thinking["type"]
  readonly summaries?: "shown" | "hidden"
}

const types: { readonly [word: string]: Thinking["type"] } = { adaptive: "auto", enabled: "on", disabled: "off" }

const displays: { readonly [word: string]: "shown" | "hidden" } = {
  summarized: "shown",
  highlights: "shown",
  omitted: "hidden",
}

export function askedThinking(args: Pick<Arguments<FlagName>, "value">): Result<AskedThinking, StartFailure> {
  const written = args.value("max-thinking-tokens")
  const tokens =
    written === undefined
      ? undefined
      : readNumber("--max-thinking-tokens", written, { least: 0, most: 1e9, whole: true })
  if (tokens && !tokens.ok) return usage(tokens.failure)
  return ok({
    ...optional("effort", args.value("effort")),
    ...optional("tokens", tokens?.value),
    ...optional("type", types[args.value("thinking") ?? ""]),
    ...optional("summaries", displays[args.value("thinking-display") ?? ""]),
  })
}

/** The command line overrides the environment, which overrides settings. */
export function thinkingChoice(
  asked: AskedThinking,
  { maxThinkingTokens, effortLevel }: Pick<Environment, "maxThinkingTokens" | "effortLevel">,
  settings: Pick<Settings, "effortLevel" | "alwaysThinkingEnabled" | "showThinkingSummaries">,
): ThinkingChoice {
  const said = [
    { from: "--effort", level: asked.effort },
    { from: "CODEWRIGHT_EFFORT_LEVEL", level: effortLevel },
    { from: "effortLevel", level: settings.effortLevel },
  ].flatMap(({ from, level }) => (level === undefined ? [] : [{ from, level: level.trim().toLowerCase() }]))
  const known = said.filter(({ level }) => level === "auto" || isEffort(level))
  const effort = known[0]?.level
  const isHidden =
    asked.summaries === undefined ? settings.showThinkingSummaries === false : asked.summaries === "hidden"
  const tokens = asked.tokens ?? (asked.type === undefined ? maxThinkingTokens : undefined)
  return {
    given: Object.keys(asked).length > 0,
    thinking: {
      type: asked.type ?? typeOf(tokens, settings.alwaysThinkingEnabled),
      ...(isEffort(effort) && { effort }),
      ...optional("tokens", tokens === 0 ? undefined : tokens),
      ...(isHidden && { summaries: "hidden" }),
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
