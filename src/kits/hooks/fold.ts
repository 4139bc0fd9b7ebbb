/** Combines several answers: the strongest verdict counts, contexts are joined, the first changed input wins. */

import { optional } from "#lib/optional.ts"
import { type Meaning, verdicts } from "./meaning.ts"

export interface HookStatement {
  readonly name: string
  readonly order: number
  readonly meaning: Meaning
}

export interface Folded extends Meaning {
  readonly by?: string
}

/** Independent of the order given: the order of the configuration counts. */
export function fold(said: readonly HookStatement[]): Folded {
  const all = said.toSorted((a, b) => a.order - b.order)
  const verdict = verdicts.find((one) => all.some(({ meaning }) => meaning.verdict === one))
  const winners = verdict === undefined ? [] : all.filter(({ meaning }) => meaning.verdict === verdict)
  const reasons = once(winners.flatMap(({ meaning }) => meaning.reason ?? []))
  const meanings = all.map(({ meaning }) => meaning)
  const first = <T>(of: (meaning: Meaning) => T | undefined): T | undefined =>
    meanings.map(of).find((value) => value !== undefined)
  return {
    ...optional("verdict", verdict),
    ...optional("by", winners[0]?.name),
    ...optional("reason", reasons.length === 0 ? undefined : reasons.join("\n")),
    ...optional("updatedInput", verdict === "deny" ? undefined : first(({ updatedInput }) => updatedInput)),
    ...optional(
      "updatedOutput",
      first(({ updatedOutput }) => updatedOutput),
    ),
    ...optional("elicited", verdict === "deny" ? undefined : first(({ elicited }) => elicited)),
    grants: verdict === "allow" ? once(winners.flatMap(({ meaning }) => meaning.grants)) : [],
    contexts: once(meanings.flatMap(({ contexts }) => contexts)),
    ...optional(
      "stop",
      first(({ stop }) => stop),
    ),
    ...optional(
      "title",
      first(({ title }) => title),
    ),
    ...optional(
      "initialPrompt",
      first(({ initialPrompt }) => initialPrompt),
    ),
    ...optional(
      "worktree",
      first(({ worktree }) => worktree),
    ),
    says: meanings.flatMap(({ says }) => says),
    complaints: meanings.flatMap(({ complaints }) => complaints),
    ...optional(
      "failure",
      first(({ failure }) => failure),
    ),
  }
}

const once = (texts: readonly string[]): readonly string[] => [...new Set(texts)]
