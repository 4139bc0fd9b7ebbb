/** What each source says about the sandbox, so that every line of a policy can name its file. */

import { isObject } from "#lib/json.ts"
import type { Layer } from "./explain.ts"
import type { SandboxSettings } from "./settings.ts"
import type { SourceName } from "./sources.ts"

export interface SandboxText {
  readonly source: SourceName
  readonly file: string
  /** What its relative paths are relative to. */
  readonly base: string
  readonly value: SandboxSettings
}

/** Layers strongest first, without what may not count. */
export function sandboxIn(layers: readonly (Layer & { readonly base: string })[]): readonly SandboxText[] {
  return layers.flatMap(({ name, file, base, value }) => {
    const { sandbox } = value
    // Each layer has passed the check of settings by itself.
    return isObject(sandbox) ? [{ source: name, file: file ?? name, base, value: sandbox as SandboxSettings }] : []
  })
}
