/** Which hooks count: those of every source that may have some, unless a source that decides over it turns them off. */

import { isObject, type JsonObject } from "#lib/json.ts"
import type { Layer } from "./explain.ts"
import { isProjectSource, type SourceName } from "./sources.ts"

/** The hooks of one source, as they stand there. */
export interface HookText {
  readonly source: SourceName
  readonly file: string
  /** Whoever wrote the repository could have written them. */
  readonly isProject: boolean
  readonly hooks: JsonObject
}

/** Layers strongest first, with what may not count left out already. */
export function hooksIn(layers: readonly Layer[]): readonly HookText[] {
  const off = layers.filter(({ value }) => value.disableAllHooks === true).map(({ name }) => name)
  return layers.flatMap(({ name, file, value }) => {
    const { hooks } = value
    if (!isObject(hooks) || Object.keys(hooks).length === 0 || off.some((by) => turnsOff(by, name))) return []
    return [{ source: name, file: file ?? name, isProject: isProjectSource(name), hooks }]
  })
}

/** The policy's hooks are turned off by the policy alone, and a project turns off nothing but its own. */
function turnsOff(by: SourceName, of: SourceName): boolean {
  if (by === "managed") return true
  return isProjectSource(by) ? isProjectSource(of) : of !== "managed"
}
