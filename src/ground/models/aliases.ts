/** The short names of models, and the ids behind them. */

import { newestModels } from "./anthropic/releases.ts"
import { splitWindow, withBigWindow } from "./model-id.ts"

/** As data; the environment and the settings may override them. */
export interface Aliases {
  readonly opus: string
  readonly sonnet: string
  readonly haiku: string
  readonly main: string
  /** For titles, summaries and other small work. */
  readonly small: string
}

/** The environment variables about models, unprocessed. */
export interface ModelEnvironment {
  readonly ANTHROPIC_MODEL?: string
  readonly ANTHROPIC_SMALL_FAST_MODEL?: string
  readonly ANTHROPIC_DEFAULT_OPUS_MODEL?: string
  readonly ANTHROPIC_DEFAULT_SONNET_MODEL?: string
  readonly ANTHROPIC_DEFAULT_HAIKU_MODEL?: string
}

export function aliasesFrom(environment: ModelEnvironment): Aliases {
  const tiers = {
    opus: said(environment.ANTHROPIC_DEFAULT_OPUS_MODEL) ?? newestModels.opus,
    sonnet: said(environment.ANTHROPIC_DEFAULT_SONNET_MODEL) ?? newestModels.sonnet,
    haiku: said(environment.ANTHROPIC_DEFAULT_HAIKU_MODEL) ?? newestModels.haiku,
  }
  return {
    ...tiers,
    main: said(environment.ANTHROPIC_MODEL) ?? tiers.opus,
    small: said(environment.ANTHROPIC_SMALL_FAST_MODEL) ?? tiers.haiku,
  }
}

/**
 * The full id behind a name. `opusplan` plans with one model and works with another; what is not an alias is already
 * an id.
 */
export function resolveModel(name: string, aliases: Aliases, phase: "planning" | "working" = "working"): string {
  const { id, big } = splitWindow(name.trim())
  const found = behind(id.toLowerCase(), aliases, phase)
  // The value of an override may itself be an alias; one that names itself ends here.
  const full = found === undefined ? id : (behind(found.toLowerCase(), aliases, phase) ?? found)
  return big ? withBigWindow(full) : full
}

function behind(alias: string, aliases: Aliases, phase: "planning" | "working"): string | undefined {
  switch (alias) {
    case "opus":
      return aliases.opus
    case "sonnet":
      return aliases.sonnet
    case "haiku":
      return aliases.haiku
    case "opusplan":
      return phase === "planning" ? aliases.opus : aliases.sonnet
    case "":
    case "default":
      return aliases.main
    default:
      return undefined
  }
}

const said = (value: string | undefined): string | undefined => (value?.trim() ? value.trim() : undefined)
