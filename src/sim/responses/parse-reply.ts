/** Decodes an answer of the Responses API, streamed or whole, back into scenario form. */

import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { listIn } from "#sim/request.ts"
import type { ScenarioBlock, ScenarioReply } from "#sim/scenario.ts"
import { dataIn } from "#sim/stream-data.ts"

/** Undefined when the text is not a whole answer: the client will ask again. The last event of a stream has all of it. */
export function parseResponse(text: string): ScenarioReply | undefined {
  const response = objectIn(text) ?? lastOf(text)
  if (!response || (response.status !== "completed" && response.status !== "incomplete")) return undefined
  const stopReason = stopReasonOf(response)
  const usage = usageIn(response.usage)
  return {
    content: listIn(response.output).filter(isObject).flatMap(blocksOf),
    ...(stopReason !== undefined && { stopReason }),
    ...(usage && { usage }),
  }
}

function lastOf(stream: string): JsonObject | undefined {
  const last = dataIn(stream).findLast(({ type }) => type === "response.completed" || type === "response.incomplete")
  return isObject(last?.response) ? last.response : undefined
}

function blocksOf(item: JsonObject): ScenarioBlock[] {
  switch (item.type) {
    case "message":
      return listIn(item.content)
        .filter(isObject)
        .flatMap(({ text, refusal }) => {
          const words = text ?? refusal
          return typeof words === "string" && words !== "" ? [{ text: words }] : []
        })
    case "reasoning": {
      const { encrypted_content: signature } = item
      const texts = listIn(item.summary).flatMap((part) => (isObject(part) ? [String(part.text)] : []))
      return [{ thinking: texts.join("\n\n"), ...(typeof signature === "string" && { signature }) }]
    }
    case "function_call": {
      const { name, call_id: id, arguments: json } = item
      const input = typeof json === "string" ? objectIn(json) : undefined
      return typeof name === "string" && input ? [{ tool: name, input, ...(typeof id === "string" && { id }) }] : []
    }
    default:
      return []
  }
}

/** Undefined where the content tells. */
function stopReasonOf({ status, incomplete_details }: JsonObject): string | undefined {
  if (status !== "incomplete") return undefined
  return isObject(incomplete_details) && incomplete_details.reason === "content_filter" ? "refusal" : "max_tokens"
}

function usageIn(usage: JsonValue | undefined): ScenarioReply["usage"] {
  if (!isObject(usage)) return undefined
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {}
  const [read, written] = [count(details.cached_tokens), count(details.cache_write_tokens)]
  return {
    input_tokens: Math.max(count(usage.input_tokens) - read - written, 0),
    output_tokens: count(usage.output_tokens),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  }
}

const count = (value: JsonValue | undefined): number => (typeof value === "number" ? value : 0)
