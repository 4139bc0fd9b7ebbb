/** What a model turned out not to take. Only what an answer can do without is left out. */

import type { Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import type { HttpRefusal } from "#ground/models/failure.ts"
import { isObject, type JsonObject } from "#lib/json.ts"

/** Summaries need a verified organization, efforts differ from model to model, and some models do not reason at all. */
const dispensable: readonly string[] = [
  "reasoning.summary",
  "reasoning.effort",
  "reasoning",
  "include",
  "prompt_cache_key",
]

export interface RefusedParts {
  /** Whether there was something to leave out. */
  readonly learn: (request: Request, refusal: Pick<HttpRefusal, "status" | "code" | "field" | "message">) => boolean
  readonly without: (model: string, fields: JsonObject) => JsonObject
  /** Whether its reasoning cannot be read by the provider any more, as after a change of the organization. */
  readonly isUnreadable: (message: Message) => boolean
}

export function openRefusedParts(by: string): RefusedParts {
  const fieldsOf = new Map<string, Set<string>>()
  const unreadable = new WeakSet<Message>()

  function forget(messages: readonly Message[]): boolean {
    const proved = messages.filter((message) => !unreadable.has(message) && isProvedBy(message, by))
    for (const message of proved) unreadable.add(message)
    return proved.length > 0
  }

  return {
    learn({ model, messages }, { status, code, field = "", message }) {
      if (status !== 400) return false
      if (code === "invalid_encrypted_content" || /encrypted content .*could not be/i.test(message))
        return forget(messages)
      const known = fieldsOf.get(model) ?? new Set()
      if (!dispensable.includes(field) || known.has(field)) return false
      fieldsOf.set(model, known.add(field))
      return true
    },
    without(model, fields) {
      const left = fieldsOf.get(model)
      if (!left) return fields
      const kept = (value: JsonObject, at: string): JsonObject =>
        Object.fromEntries(Object.entries(value).filter(([name]) => !left.has(at + name)))
      const { reasoning, ...rest } = kept(fields, "")
      return isObject(reasoning) ? { ...rest, reasoning: kept(reasoning, "reasoning.") } : rest
    },
    isUnreadable: (message) => unreadable.has(message),
  }
}

const isProvedBy = ({ role, content }: Message, by: string): boolean =>
  role === "assistant" && content.some((block) => "proof" in block && block.proof?.by === by)
