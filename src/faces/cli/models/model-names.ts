/** The models that names stand for, by the providers that are configured. */

import { type Aliases, resolveModel } from "#ground/models/aliases.ts"
import { isSimulated, splitWindow } from "#ground/models/model-id.ts"
import type { Provider } from "#ground/models/provider.ts"
import { optional } from "#lib/optional.ts"
import type { ModelChoice } from "#session/opening/options.ts"

interface BesidesParts {
  readonly id: string
  readonly aliases: Aliases
  /** As the user named them. */
  readonly small: string | undefined
  readonly subagents: string | undefined
  readonly servers: readonly Provider[]
  /** Whether Anthropic's models can be reached. */
  readonly isAnthropic: boolean
}

export interface OtherModels {
  readonly small: string
  readonly forAgents: Pick<ModelChoice, "middle" | "forAgents" | "resolve">
}

/**
 * The models besides the main one. With the simulator it does everything, so that nobody is paid. Where Anthropic's,
 * which the short names mean, cannot be reached, they mean their counterparts at the provider of the main one.
 */
export function besides({ id, aliases, small, subagents, servers, isAnthropic }: BesidesParts): OtherModels {
  if (isSimulated(id)) return { small: id, forAgents: { resolve: () => id } }
  const provider = servers.find(({ owns }) => owns(id))
  const isAlone = provider !== undefined && !isAnthropic
  const resolve = (name: string): string => {
    const found = fullName(resolveModel(name, aliases), servers)
    return isAlone && found !== name && !found.includes("/") ? counterpart(name, id, provider) : found
  }
  return {
    small:
      provider === undefined || small !== undefined
        ? fullName(resolveModel(small ?? aliases.small, aliases), servers)
        : counterpart("small", id, provider),
    forAgents: {
      middle: isAlone ? counterpart("sonnet", id, provider) : aliases.sonnet,
      resolve,
      ...optional("forAgents", subagents),
    },
  }
}

/** The provider's model for a short name; the main one if it has none. */
function counterpart(alias: string, main: string, provider: Provider): string {
  if (provider.resolve === undefined) return main
  const asked = `${provider.name}/${splitWindow(alias.trim().toLowerCase()).id}`
  const found = provider.resolve(asked)
  return found === asked ? main : found
}

/** A provider's name alone means its default; a short name after it, the model behind it. Any other name stands for itself. */
export function fullName(id: string, servers: readonly Provider[]): string {
  if (id.includes("/")) return servers.find(({ owns }) => owns(id))?.resolve?.(id) ?? id
  const alone = id.toLowerCase()
  const lone = servers.find(({ name }) => name === alone)
  return lone ? counterpart("default", id, lone) : id
}
