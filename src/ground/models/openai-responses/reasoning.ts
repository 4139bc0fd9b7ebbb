/** Reasoning as the Responses API asks for it, gives it, and takes it back. */

import type { Proof } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import { type Effort, effortLevels, nearestEffort, thinks } from "#agent/words/thinking.ts"
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
export function reasons(id: string, { thinks: ability }: Capabilities): boolean {
  if (ability) return ability.efforts.length > 0
  const name = id.slice(id.lastIndexOf("/") + 1)
  return /^(?:o\d|gpt-(?:[5-9]|\d\d)|gpt-oss|codex)/i.test(name) && !/-chat\b/i.test(name)
}

/** Of a model about which nothing is known: each of these is taken by every model that reasons. */
const commonEfforts: readonly Effort[] = effortLevels.filter((level) => level !== "xhigh" && level !== "max")

/** Empty for a model that does not reason. */
export function reasoningFields(request: Request, id: string, facts: Capabilities): JsonObject {
  if (!reasons(id, facts)) return {}
  const { thinking } = request
  const { efforts, ...ability } = facts.thinks ?? { efforts: commonEfforts, byDefault: true, stops: "never" as const }
  const isOn = thinks(thinking, { efforts, ...ability })
  const effort = thinking.effort && nearestEffort(thinking.effort, efforts)
  // One that cannot be switched off thinks as little as it can.
  const least = ability.stops === "never" ? efforts[0] : "none"
  const level = isOn ? effort : least
  return {
    reasoning: {
      ...(level !== undefined && { effort: level }),
      ...(isOn && thinking.summaries !== "hidden" && { summary: "auto" }),
    },
    include: ["reasoning.encrypted_content"],
  }
}
