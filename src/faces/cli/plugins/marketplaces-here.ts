/** The marketplaces that settings and records name, and what the managed policy says about them. */

import { isObject, type JsonValue } from "#lib/json.ts"
import { failed } from "#lib/result.ts"
import type { MarketplacePolicy } from "#ground/plugins/policy.ts"
import { marketplaceSource, type MarketplaceSource } from "#ground/plugins/source.ts"
import type { PluginRecords } from "#ground/plugins/store.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface NamedMarketplace {
  readonly name: string
  readonly source: MarketplaceSource
  readonly from: "added" | "settings"
}

/** Added ones come first: a project cannot put another marketplace in the place of one that the user knows. */
export function namedMarketplaces(
  { loaded, cwd }: Pick<StartupContext, "loaded" | "cwd">,
  records: PluginRecords,
): { readonly all: readonly NamedMarketplace[]; readonly problems: readonly string[] } {
  const problems: string[] = []
  const added = Object.entries(records.marketplaces).map(([name, { source }]): NamedMarketplace => ({
    name,
    source,
    from: "added",
  }))
  const named = Object.entries(loaded.settings.extraKnownMarketplaces ?? {}).flatMap(
    ([name, value]): readonly NamedMarketplace[] => {
      if (added.some((one) => one.name === name)) return []
      const source = isObject(value) ? marketplaceSource(value, cwd) : failed("it is not an object")
      if (!source.ok) problems.push(`extraKnownMarketplaces.${name} cannot be used: ${source.failure}.`)
      return source.ok ? [{ name, source: source.value, from: "settings" }] : []
    },
  )
  return { all: [...added, ...named], problems }
}

export function policyOf({ loaded }: Pick<StartupContext, "loaded">): MarketplacePolicy {
  const { strictKnownMarketplaces, blockedMarketplaces } = loaded.settings
  return {
    ...(strictKnownMarketplaces && { allowed: strictKnownMarketplaces as readonly JsonValue[] }),
    blocked: (blockedMarketplaces ?? []) as readonly JsonValue[],
  }
}
