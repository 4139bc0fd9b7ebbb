/** Settings that are validated but have no effect yet. */

import { isObject } from "#lib/json.ts"
import type { LoadedSettings } from "./load.ts"

export const unfollowed: readonly string[] = ["forceLoginMethod", "teams"]

/** Of objects that other tools fill with more than is followed here: the keys that are. */
const followedIn: { readonly [key: string]: readonly string[] } = {
  attribution: ["commit"],
  fileSuggestion: ["type", "command"],
  memory: ["auto", "enabled"],
  statusLine: ["type", "command", "padding"],
}

type Said = Pick<LoadedSettings, "explain" | "leftOut" | "layers">

export function unusedKeys(loaded: Said): readonly string[] {
  const said = new Set([
    ...loaded.layers.flatMap(({ value }) => Object.keys(value)),
    ...loaded.leftOut.map(({ key }) => key),
  ])
  return [
    ...unfollowed.filter((key) => said.has(key) && filesOf(key, loaded).length > 0),
    ...Object.entries(followedIn).flatMap(([key, followed]) => {
      const value = said.has(key) ? loaded.explain(key).value : undefined
      const inner = isObject(value) ? Object.keys(value) : []
      return inner.filter((one) => !followed.includes(one)).map((one) => `${key}.${one}`)
    }),
  ]
}

const filesOf = (key: string, { explain, leftOut }: Said): readonly string[] => [
  ...explain(key).from.flatMap(({ file }) => (file === undefined ? [] : [file])),
  ...leftOut.flatMap((left) => (left.key === key ? [left.file] : [])),
]
