/** Merges sources: the strongest scalar wins, lists are joined, objects are merged. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** Strongest first. */
export function mergeLayers(layers: readonly JsonObject[]): JsonObject {
  const merged: { [key: string]: JsonValue } = {}
  for (const key of new Set(layers.flatMap((layer) => Object.keys(layer)))) {
    const values = layers.flatMap((layer) => (Object.hasOwn(layer, key) ? [layer[key] as JsonValue] : []))
    merged[key] = mergeValues(values)
  }
  return merged
}

function mergeValues(values: readonly JsonValue[]): JsonValue {
  const strongest = values[0] ?? null
  if (isList(strongest)) return joined(values.filter(isList))
  if (isObject(strongest)) return mergeLayers(values.filter((value) => isObject(value)))
  return strongest
}

/** Without repeating equal scalars. */
function joined(lists: readonly (readonly JsonValue[])[]): JsonValue {
  const seen = new Set<JsonValue>()
  return lists.flat().filter((value) => {
    if (seen.has(value)) return false
    seen.add(value)
    return true
  })
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
