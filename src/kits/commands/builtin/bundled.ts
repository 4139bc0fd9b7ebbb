/** A command or skill that comes with the program: the fields people write in the front matter of theirs, and the text below. */

import type { JsonObject } from "#lib/json.ts"

export interface BundledCommand {
  readonly name: string
  readonly head: JsonObject
  readonly body: string
}
