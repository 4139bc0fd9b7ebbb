/** A built-in command or skill: the same front matter fields that users write, and the text. */

import type { JsonObject } from "#lib/json.ts"

export interface BundledCommand {
  readonly name: string
  readonly head: JsonObject
  readonly body: string
}
