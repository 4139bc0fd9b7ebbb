/** Which hooks count: those of every allowed source, unless a source with authority over it turns them off. */

import { isObject, type JsonObject } from "#lib/json.ts"
import type { Layer } from "./explain.ts"
import { isProjectSource, type SourceName } from "./sources.ts"

export interface HookText {
  readonly source: SourceName
  readonly file: string
  /** The author of the repository could have written them. */
  readonly isProject: boolean
  readonly hooks: JsonObject
}

/** Layers strongest first, without what may not count. */
export function hooksIn(layers: readonly Layer[]): readonly HookText[] {
  const isOff = hooksOff(layers)
  return layers.flatMap(({ name, file, value }) => {
    const { hooks } = value
    if (!isObject(hooks) || Object.keys(hooks).length === 0 || isOff(name)) return []
    return [{ source: name, file: file ?? name, isProject: isProjectSource(name), hooks }]
  })
}

export function hooksOff(layers: readonly Layer[]): (source: SourceName) => boolean {
  const off = layers.filter(({ value }) => value.disableAllHooks === true).map(({ name }) => name)
  return (source) => off.some((by) => turnsOff(by, source))
}

/** Only the policy turns off the policy's hooks, and a project only turns off its own. */
function turnsOff(by: SourceName, of: SourceName): boolean {
  if (by === "managed") return true
  return isProjectSource(by) ? isProjectSource(of) : of !== "managed"
}
