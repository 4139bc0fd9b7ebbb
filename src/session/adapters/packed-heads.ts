/**
 * Hundreds of heads in few values: they say the same but for three texts, and one long text is read many times as fast
 * as as many objects.
 */

import type { CommandDefinition } from "#agent/words/command.ts"
import type { Head } from "#ground/extensions/head-index.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

interface PackedHeads {
  readonly names: string
  readonly descriptions: string
  /** Empty for those that come with the program. */
  readonly paths: string
  /** For each, which of `rests` has what else it says. */
  readonly kinds: readonly number[]
  readonly rests: readonly JsonObject[]
}

/** JSON writes it as it is. */
const separator = "\u007f"

/** Undefined if one of the texts cannot be told from the next. */
export function packHeads(heads: readonly Head[]): JsonObject | undefined {
  const rests = new Map<string, number>()
  const kinds = heads.map((head) => {
    const rest = head.path === undefined ? "{}" : JSON.stringify(restOf(head))
    const index = rests.get(rest) ?? rests.size
    rests.set(rest, index)
    return index
  })
  const names = heads.map(({ name }) => name)
  const descriptions = heads.map(({ path, description }) => (path === undefined ? "" : description))
  const paths = heads.map(({ path }) => path ?? "")
  if ([...names, ...descriptions, ...paths].some((text) => text.includes(separator))) return undefined
  return {
    names: names.join(separator),
    descriptions: descriptions.join(separator),
    paths: paths.join(separator),
    kinds,
    rests: [...rests.keys()].map((rest): JsonValue => JSON.parse(rest)),
  }
}

/** Whoever uses one reads its file again, and knows then where it is. */
function restOf({ name: _name, description: _description, path: _path, ...head }: Head): object {
  const { folder: _folder, plugin: _plugin, pluginData: _data, ...rest } = head
  return rest
}

/** Only this program writes it. Undefined if one of its own is missing. */
export function unpackHeads(kept: JsonValue, builtIn: readonly CommandDefinition[]): readonly Head[] | undefined {
  if (!isObject(kept)) return undefined
  const { names, descriptions, paths, kinds, rests } = kept as unknown as PackedHeads
  const own = new Map(builtIn.map((definition) => [definition.name, definition]))
  const named = names.split(separator)
  const described = descriptions.split(separator)
  const files = paths.split(separator)
  const heads: Head[] = []
  // Not by callbacks: called a thousand times, each would be compiled at every start.
  for (let i = 0; i < kinds.length; i++) {
    const [name = "", description = "", path = ""] = [named[i], described[i], files[i]]
    const rest = rests[kinds[i] ?? 0] as unknown as Head
    const head = path === "" ? own.get(name) : { ...rest, name, description, path }
    if (!head) return undefined
    heads.push(head)
  }
  return heads
}
