/** Where each setting came from. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { PathStep, Position } from "./jsonc.ts"
import { mergeLayers } from "./merge.ts"
import type { SourceName } from "./sources.ts"

/** A source with only the values it is allowed to set. */
export interface Layer {
  readonly name: SourceName
  /** The file, flag or variable; absent for the defaults. */
  readonly file?: string
  readonly value: JsonObject
  readonly positionOf?: (path: readonly PathStep[]) => Position
}

export interface Contribution {
  readonly source: SourceName
  readonly file?: string
  readonly at?: Position
  readonly value: JsonValue
}

/** A key, its value and its sources: the strongest for a scalar, all for lists and objects. */
export interface Explanation {
  readonly key: string
  readonly value: JsonValue | undefined
  readonly from: readonly Contribution[]
}

/** With dots between the steps: `permissions.defaultMode`. */
export function explainKey(layers: readonly Layer[], key: string): Explanation {
  const path = key.split(".")
  const from = layers.flatMap((layer): Contribution[] => {
    const value = valueAt(layer.value, path)
    if (value === undefined) return []
    return [
      {
        source: layer.name,
        ...(layer.file !== undefined && { file: layer.file }),
        ...(layer.positionOf && { at: layer.positionOf(path) }),
        value,
      },
    ]
  })
  const value = from.length === 0 ? undefined : valueAt(mergeLayers(layers.map((layer) => layer.value)), path)
  return { key, value, from }
}

/** Sorted by name. */
export function explainAll(layers: readonly Layer[]): readonly Explanation[] {
  const keys = leafKeys(mergeLayers(layers.map(({ value }) => value)), "").sort()
  return keys.map((key) => explainKey(layers, key))
}

function leafKeys(object: JsonObject, prefix: string): string[] {
  return Object.entries(object).flatMap(([key, value]) =>
    isObject(value) ? leafKeys(value, `${prefix}${key}.`) : [prefix + key],
  )
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (inner, step) => (isObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined),
    object,
  )
}
