/** Settings that are validated but have no effect yet. */

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

export const unusedKeys = (loaded: Said): readonly string[] =>
  unfollowed.filter((key) => filesOf(key, loaded).length > 0)

const filesOf = (key: string, { explain, leftOut }: Said): readonly string[] => [
  ...explain(key).from.flatMap(({ file }) => (file === undefined ? [] : [file])),
  ...leftOut.flatMap((left) => (left.key === key ? [left.file] : [])),
]
