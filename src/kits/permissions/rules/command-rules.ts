/** Rules of the turn's command: they apply as long as the turn, and its allow rules never override a deny or an ask. */

import type { EntryBody } from "#agent/words/entry.ts"
import { parseRules, type PermissionRule } from "./rule.ts"

/** The current rules of a command; the same array as long as their texts are the same. */
export function openCommandRules(ports: {
  readonly commandRules?: () => readonly string[]
  readonly commandDenials?: () => readonly string[]
  readonly record: (body: Extract<EntryBody, { readonly kind: "notice" }>) => void
}): () => readonly PermissionRule[] {
  let from: readonly string[] = []
  let against: readonly string[] = []
  let rules: readonly PermissionRule[] = []
  return () => {
    const texts = ports.commandRules?.() ?? []
    const denials = ports.commandDenials?.() ?? []
    if (isSame(texts, from) && isSame(denials, against)) return rules
    from = [...texts]
    against = [...denials]
    const parsed = parseRules([
      ...texts.map((text) => ({ behavior: "allow", text, source: "command" }) as const),
      ...denials.map((text) => ({ behavior: "deny", text, source: "command" }) as const),
    ])
    for (const { message } of parsed.problems) ports.record({ kind: "notice", level: "warning", text: message })
    rules = parsed.rules
    return rules
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])
