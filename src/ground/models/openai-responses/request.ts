/** Turns a request into the body of a Responses request. A message becomes bytes once, and keeps them. */

import type { Message } from "#agent/words/message.ts"
import type { Request, SystemPart, ToolSpec } from "#agent/words/model.ts"
import type { Capabilities, ServerDialect } from "#ground/models/dialect.ts"
import { bytes, json, openMemory, remembered } from "#ground/models/encoding.ts"
import type { WireFormat } from "#ground/models/format.ts"
import { splitWindow } from "#ground/models/model-id.ts"
import { openModelPrefixes } from "#ground/models/prefix.ts"
import { resolved } from "#ground/models/references.ts"
import { digestOf } from "#lib/digest.ts"
import type { JsonObject } from "#lib/json.ts"
import { openRefusedParts } from "./adapt.ts"
import { inputItems } from "./items.ts"
import { reasoningFields } from "./reasoning.ts"

const inputStart = bytes(`"input":[`)
const bodyEnd = bytes("]}")
/** Less is refused. */
const leastOutput = 16

export function openResponsesEncoder(
  dialect: ServerDialect,
  noteToolId: (id: string) => void,
): Pick<WireFormat, "encode" | "adapt"> {
  const toolLists = new WeakMap<readonly ToolSpec[], Uint8Array>()
  const systems = new WeakMap<readonly SystemPart[], Uint8Array>()
  const cacheKeys = new WeakMap<Message, string>()
  const refused = openRefusedParts(dialect.name)
  const memory = openMemory()

  const prefixes = openModelPrefixes<Capabilities>((message, tools) => {
    for (const block of message.content) if (block.type === "tool_use") noteToolId(block.id)
    const by = refused.isUnreadable(message) ? undefined : dialect.name
    const items = inputItems(resolved(message, tools, "in_words"), by)
    return bytes(items.map(json).join(","))
  })

  /** The same for a conversation however long it grows, also when it is resumed. */
  function cacheKeyOf({ messages }: Request): string {
    const [first] = messages
    if (!first) return "codewright"
    const known = cacheKeys.get(first) ?? digestOf(first.content)
    cacheKeys.set(first, known)
    return known
  }

  return {
    encode(request) {
      const { messages, tools, system } = request
      const facts = dialect.factsOf(request.model)
      const settings = refused.without(request.model, settingsOf(request, facts, dialect, cacheKeyOf(request)))
      const parts = [
        bytes(`${JSON.stringify({ ...settings, ...dialect.extraBody }).slice(0, -1)},`),
        remembered(toolLists, tools, toolsPart),
        remembered(systems, system, instructionsPart),
        inputStart,
        prefixes.of(messages, messages.length, tools, facts),
        bodyEnd,
      ]
      return { ...memory.join(parts), path: "/responses", headers: [] }
    },
    adapt(request, refusal) {
      const leftOut = refused.learn(request, refusal)
      if (leftOut !== undefined) prefixes.clear()
      return leftOut
    },
  }
}

/** What may differ from request to request comes first and is small. */
function settingsOf(request: Request, facts: Capabilities, dialect: ServerDialect, cacheKey: string): JsonObject {
  const { id } = splitWindow(dialect.idOf(request.model))
  return {
    model: id,
    max_output_tokens: Math.max(request.maxTokens, leastOutput),
    stream: request.delivery === "stream",
    store: false,
    prompt_cache_key: cacheKey,
    ...(request.tools.some(({ deferred }) => !deferred) && {
      parallel_tool_calls: facts.parallelCalls !== "never",
    }),
    ...reasoningFields(request, id, facts),
  }
}

function toolsPart(tools: readonly ToolSpec[]): Uint8Array {
  const specs = tools.flatMap(({ name, description, input_schema, deferred }) =>
    // Strict schemas must require every property, which ours do not.
    deferred ? [] : [json({ type: "function", name, description, parameters: input_schema, strict: false })],
  )
  return bytes(specs.length === 0 ? "" : `"tools":[${specs.join(",")}],`)
}

function instructionsPart(system: readonly SystemPart[]): Uint8Array {
  const text = system.flatMap((part) => (part.text === "" ? [] : [part.text])).join("\n\n")
  // Lone surrogates are repaired in objects, so the field is cut out of one.
  return bytes(text === "" ? "" : `${json({ instructions: text }).slice(1, -1)},`)
}
