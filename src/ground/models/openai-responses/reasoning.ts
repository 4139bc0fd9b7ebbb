/** Reasoning as the Responses API asks for it, gives it, and takes it back. */

import type { Proof } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import { type Effort, effortFor, nearestEffort, type ThinkingAbility, thinks } from "#agent/words/thinking.ts"
import type { Capabilities } from "#ground/models/dialect.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** What the provider says about a message beside its text, kept because it wants it back. */
export type Phase = "commentary" | "final_answer"

export const isPhase = (value: JsonValue | undefined): value is Phase =>
  value === "commentary" || value === "final_answer"

export const phaseProof = (by: string, phase: Phase): Proof => ({ by, value: { phase } })

export const phaseIn = ({ value }: Proof): Phase | undefined =>
  isObject(value) && isPhase(value.phase) ? value.phase : undefined

/**
 * Undefined where it cannot be given back: nothing is stored at the provider, so without its encrypted content an item is
 * just a name there.
 */
export function reasoningProof(by: string, { id, encrypted_content, summary }: JsonObject): Proof | undefined {
  if (typeof id !== "string" || id === "") return undefined
  if (typeof encrypted_content !== "string" || encrypted_content === "") return undefined
  return { by, value: { id, encrypted_content, summary: Array.isArray(summary) ? summary : [] } }
}

/** The item that goes back, exactly as it came. */
export function reasoningItem({ value }: Proof): JsonObject | undefined {
  if (!isObject(value) || typeof value.encrypted_content !== "string") return undefined
  const { id, encrypted_content, summary } = value
  return { type: "reasoning", id: id ?? "", summary: summary ?? [], encrypted_content }
}

/** Models that do not reason refuse to be asked about it. Where the facts are silent, the name tells. */
function reasons(id: string, { thinks: ability }: Capabilities): boolean {
  if (ability) return ability.efforts.length > 0
  const name = id.slice(id.lastIndexOf("/") + 1)
  return /^(?:o\d|gpt-(?:[5-9]|\d\d)|gpt-oss|codex)/i.test(name) && !/-chat\b/i.test(name)
}

/** Empty for a model that does not reason. */
export function reasoningFields({ thinking }: Request, id: string, facts: Capabilities): JsonObject {
  if (!reasons(id, facts)) return {}
  const ability: ThinkingAbility = facts.thinks ?? { efforts: commonEfforts, byDefault: true }
  const isOn = thinks(thinking, ability)
  const wanted = thinking.effort ?? effortFor(thinking.tokens)
  const effort = isOn ? wanted && nearestEffort(wanted, ability.efforts) : leastEffort(id, facts)
  return {
    reasoning: {
      ...(effort !== undefined && { effort }),
      ...(isOn && thinking.summaries !== "hidden" && { summary: "auto" }),
    },
    include: ["reasoning.encrypted_content"],
  }
}

/** Of a model about which nothing is known: every model that reasons takes these. */
const commonEfforts: readonly Effort[] = ["low", "medium", "high"]

/** For no reasoning, or as little as there can be. Where the facts are silent, the name tells. */
function leastEffort(id: string, { thinks: ability }: Capabilities): string | undefined {
  if (ability) return ability.stops === "never" ? ability.efforts[0] : "none"
  const [, whole = "", part] = /gpt-(\d+)(\.\d+)?/i.exec(id) ?? []
  if (whole === "") return "low"
  return whole === "5" && part === undefined ? "minimal" : "none"
}
