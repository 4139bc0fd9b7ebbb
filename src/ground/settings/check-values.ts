/** Whether settings that come from a program are valid; keys set to null are being taken back. */

import type { JsonObject } from "#lib/json.ts"
import { decodeSource } from "./read-source.ts"
import { checkSettings } from "./schema.ts"

/** A sentence for each value of the wrong kind. Unknown keys are no mistake: later versions have more. */
export function wrongIn(settings: JsonObject): readonly string[] {
  const withoutNulls = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null))
  const source = { name: "command line", file: "settings", base: "/", required: false } as const
  const { problems } = decodeSource({ source, text: JSON.stringify(withoutNulls), realFile: undefined }, checkSettings)
  return problems.flatMap(({ kind, message }) =>
    kind === "unknown_key" ? [] : [message.replace(" It is ignored.", " Nothing was applied.")],
  )
}
