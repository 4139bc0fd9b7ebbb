/** Settings that are understood and checked, and that nothing follows yet. */

import type { LoadedSettings } from "./load.ts"

const unfollowed: readonly string[] = [
  "awsAuthRefresh",
  "enabledPlugins",
  "extraKnownMarketplaces",
  "forceLoginMethod",
  "otelHeadersHelper",
  "server",
  "teams",
]

type Said = Pick<LoadedSettings, "explain" | "leftOut">

/** Every key that someone set and nothing follows. */
export const unusedKeys = (loaded: Said): readonly string[] =>
  unfollowed.filter((key) => filesOf(key, loaded).length > 0)

const filesOf = (key: string, { explain, leftOut }: Said): readonly string[] => [
  ...explain(key).from.flatMap(({ file }) => (file === undefined ? [] : [file])),
  ...leftOut.flatMap((left) => (left.key === key ? [left.file] : [])),
]
