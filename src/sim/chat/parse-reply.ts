/** Decodes a chat completion, streamed or whole, back into scenario form. */

import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { listIn } from "#sim/request.ts"
import type { ScenarioBlock, ScenarioReply } from "#sim/scenario.ts"
import { dataIn } from "#sim/stream-data.ts"

interface PartialCall {
  id: string
  name: string
  json: string
}

/** Undefined when the text is not a whole answer: the client will ask again. */
export function parseCompletion(text: string): ScenarioReply | undefined {
  const whole = objectIn(text)
  const chunks = whole ? [whole] : dataIn(text)
  let [said, thought, finish] = ["", "", ""]
  let usage: JsonValue | undefined
  const calls = new Map<number, PartialCall>()
  for (const chunk of chunks) {
    usage = isObject(chunk.usage) ? chunk.usage : usage
    const [choice] = listIn(chunk.choices)
    if (!isObject(choice)) continue
    const delta = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {}
    said += textIn(delta.content) || textIn(delta.refusal)
    thought += textIn(delta.reasoning_content) || textIn(delta.reasoning)
    for (const [at, piece] of listIn(delta.tool_calls).entries()) if (isObject(piece)) foldCall(calls, piece, at)
    finish = textIn(choice.finish_reason) || finish
  }
  if (finish === "") return undefined
  const counted = usageIn(usage)
  const stopReason = finish === "length" ? "max_tokens" : finish === "content_filter" ? "refusal" : undefined
  return {
    content: [
      ...(thought === "" ? [] : [{ thinking: thought }]),
      ...(said === "" ? [] : [{ text: said }]),
      ...[...calls.values()].flatMap(blockOf),
    ],
    ...(stopReason !== undefined && { stopReason }),
    ...(counted && { usage: counted }),
  }
}

function foldCall(calls: Map<number, PartialCall>, piece: JsonObject, at: number): void {
  const index = typeof piece.index === "number" ? piece.index : at
  const { name, arguments: json } = isObject(piece.function) ? piece.function : {}
  const known = calls.get(index) ?? { id: "", name: "", json: "" }
  calls.set(index, {
    id: textIn(piece.id) || known.id,
    name: textIn(name) || known.name,
    json: known.json + textIn(json),
  })
}

function blockOf({ id, name, json }: PartialCall): ScenarioBlock[] {
  const input = objectIn(json)
  return input ? [{ tool: name, input, ...(id !== "" && { id }) }] : []
}

function usageIn(usage: JsonValue | undefined): ScenarioReply["usage"] {
  if (!isObject(usage)) return undefined
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const [read, written] = [count(details.cached_tokens), count(details.cache_write_tokens)]
  return {
    input_tokens: Math.max(count(usage.prompt_tokens) - read - written, 0),
    output_tokens: count(usage.completion_tokens),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  }
}

const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "")
const count = (value: JsonValue | undefined): number => (typeof value === "number" ? value : 0)
