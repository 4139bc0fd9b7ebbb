/** What a model turned out not to take. Only what an answer can do without is left out. */

import type { Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import type { HttpRefusal } from "#ground/models/failure.ts"
import { isObject, type JsonObject } from "#lib/json.ts"

/** Summaries need a verified organization, efforts differ from model to model, and some models do not reason at all. */
const dispensable: ReadonlyMap<string, (model: string) => string> = new Map([
  ["reasoning.summary", (model) => `Summaries of what ${model} thinks are refused for this key, so none are shown.`],
  ["reasoning.effort", (model) => `${model} does not take this effort. It is left out from now on.`],
  ["reasoning", (model) => `${model} takes no settings for thinking. They are left out from now on.`],
  ["include", (model) => `The reasoning of ${model} is not sent along, so it does not see it again.`],
  ["prompt_cache_key", (model) => `${model} takes no key for its cache. It is left out from now on.`],
])

const unreadableWords = (model: string): string =>
  `Earlier reasoning cannot be read with this key, so ${model} does not see it again.`

export interface RefusedParts {
  /** What is left out from now on, in a line for the user; undefined if there was nothing. */
  readonly learn: (
    request: Request,
    refusal: Pick<HttpRefusal, "status" | "names" | "field" | "message">,
  ) => string | undefined
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
    learn({ model, messages }, { status, names, field = "", message }) {
      if (status !== 400) return undefined
      if (names.includes("invalid_encrypted_content") || /encrypted content .*could not be/i.test(message))
        return forget(messages) ? unreadableWords(model) : undefined
      const known = fieldsOf.get(model) ?? new Set()
      const words = dispensable.get(field)
      if (!words || known.has(field)) return undefined
      fieldsOf.set(model, known.add(field))
      return words(model)
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
