/** A gate that somebody else has switched, as a line. */

import type { EntryBody } from "#agent/words/entry.ts"
import { gateDone } from "#agent/words/gate-words.ts"

/** Empty where only one user could have done it: they are told as they do it. */
export function gateNotice({ gate, switched }: EntryBody & { readonly kind: "gates" }): string {
  const now = gate && switched[gate]
  return gate === undefined || now?.by === undefined ? "" : `${gateDone(gate, now.on)} Switched by ${now.by}.`
}
