/** Settings that are understood and checked, and that nothing follows yet. */

import type { LoadedSettings } from "./load.ts"
import { visible } from "./visible.ts"

/** Keys by which people guard themselves: that nobody follows them must be said, not found out. */
const guards: readonly string[] = ["sandbox"]

const comforts: readonly string[] = [
  "agent",
  "alwaysThinkingEnabled",
  "awsAuthRefresh",
  "effortLevel",
  "enabledPlugins",
  "extraKnownMarketplaces",
  "fileSuggestion",
  "forceLoginMethod",
  "language",
  "otelHeadersHelper",
  "respectGitignore",
  "server",
  "spinnerTipsEnabled",
  "spinnerVerbs",
  "statusLine",
  "teams",
]

type Said = Pick<LoadedSettings, "explain" | "leftOut">

/** One line for whoever relies on a guard that is not there; none when nobody does. */
export function unusedGuards(loaded: Said): readonly string[] {
  const found = guards.filter((key) => filesOf(key, loaded).length > 0)
  if (found.length === 0) return []
  const places = [...new Set(found.flatMap((key) => filesOf(key, loaded)))]
  return [
    visible(
      `This version does not follow ${found.join(" or ")} yet, so what ${places.join(" and ")} would guard by that is not guarded. ` +
        "Deny and ask rules are followed: codewright permissions add deny <rule>",
    ),
  ]
}

/** Every key that someone set and nothing follows. */
export const unusedKeys = (loaded: Said): readonly string[] =>
  [...guards, ...comforts].filter((key) => filesOf(key, loaded).length > 0)

const filesOf = (key: string, { explain, leftOut }: Said): readonly string[] => [
  ...explain(key).from.flatMap(({ file }) => (file === undefined ? [] : [file])),
  ...leftOut.flatMap((left) => (left.key === key ? [left.file] : [])),
]
