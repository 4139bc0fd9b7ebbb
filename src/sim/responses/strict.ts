/** Refuses what the Responses API refuses. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { ErrorAnswer } from "#sim/answer.ts"
import { tokensOf, type Segment } from "#sim/measure.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "#sim/refusal.ts"
import { isList, type SimRequest } from "#sim/request.ts"
import { bad } from "./bad-request.ts"
import { checkItems } from "./strict-items.ts"

const bodyFields: readonly string[] = (
  "background context_management conversation image include input instructions max_output_tokens max_tool_calls " +
  "metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options " +
  "prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text " +
  "tool_choice tools top_logprobs top_p truncation user"
).split(" ")

const includable: readonly JsonValue[] = (
  "file_search_call.results web_search_call.results web_search_call.action.sources message.input_image.image_url " +
  "computer_call_output.output.image_url code_interpreter_call.outputs reasoning.encrypted_content " +
  "message.output_text.logprobs"
).split(" ")

const efforts: readonly JsonValue[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
const window = 200_000
const leastOutput = 16
const longestKey = 64

export function checkResponses({ sent, model }: SimRequest, segments: readonly Segment[]): ErrorAnswer | undefined {
  const body = sent ?? {}
  if (typeof body.previous_response_id === "string")
    return bad(`Previous response with id '${body.previous_response_id}' not found.`, {
      param: "previous_response_id",
      code: "previous_response_not_found",
    })
  const message = firstRefusal([
    () => checkFields(body, "", bodyFields),
    () => (typeof body.model === "string" && model !== "" ? undefined : refuse("model", "must be a name")),
    () => checkPlain(body),
    () => checkLimit(body.max_output_tokens),
    () => checkReasoning(body),
    () => checkTools(body.tools),
    () => checkChoice(body),
    () => checkText(body.text),
    () => (body.input === undefined ? refuse("input", "is required") : undefined),
  ])
  if (message !== undefined) return bad(message)
  const wrong = checkItems(body)
  if (wrong) return wrong
  return tokensOf(segments) > window
    ? bad("Your input exceeds the context window of this model. Please adjust your input and try again.", {
        param: "input",
        code: "context_length_exceeded",
      })
    : undefined
}

const switches = ["stream", "store", "parallel_tool_calls", "background"] as const

function checkPlain(body: JsonObject): Refusal {
  const wrong = switches.find((name) => ![undefined, null, true, false].includes(body[name] as boolean | null))
  if (wrong !== undefined) return refuse(wrong, "must be true or false")
  if (body.stream_options !== undefined && body.stream !== true)
    return refuse("stream_options", "is only allowed when stream is true")
  const { prompt_cache_key: key, instructions } = body
  if (key !== undefined && (typeof key !== "string" || key.length > longestKey))
    return refuse("prompt_cache_key", `must be a string of at most ${longestKey} characters`)
  return instructions === undefined || instructions === null || typeof instructions === "string"
    ? undefined
    : refuse("instructions", "must be a string")
}

function checkLimit(limit: JsonValue | undefined): Refusal {
  return limit === undefined ||
    limit === null ||
    (typeof limit === "number" && Number.isInteger(limit) && limit >= leastOutput)
    ? undefined
    : refuse("max_output_tokens", `must be a whole number of at least ${leastOutput}`)
}

/** Models without reasoning: nothing about it may be asked of them. */
const plainModels = /^(?:gpt-3|gpt-4|chatgpt|gpt-\d(?:\.\d)?-chat)/

function checkReasoning({ model, include, reasoning }: JsonObject): Refusal {
  const isPlain = typeof model === "string" && plainModels.test(model)
  if (include !== undefined && include !== null) {
    if (!isList(include)) return refuse("include", "must be a list")
    const unknown = include.find((each) => !includable.includes(each))
    if (unknown !== undefined) return refuse("include", `${String(unknown)} cannot be included`)
    if (isPlain && include.includes("reasoning.encrypted_content"))
      return refuse("include", "Encrypted content is not supported with this model.")
  }
  if (reasoning === undefined || reasoning === null) return undefined
  if (!isObject(reasoning)) return refuse("reasoning", "must be an object")
  const { effort, summary } = reasoning
  if (isPlain) return refuse("reasoning.effort", "is not supported with this model")
  if (effort !== undefined && effort !== null && !efforts.includes(effort))
    return refuse("reasoning.effort", `must be one of ${efforts.join(", ")}`)
  if (summary !== undefined && summary !== null && !["auto", "concise", "detailed"].includes(String(summary)))
    return refuse("reasoning.summary", "must be auto, concise or detailed")
  return checkFields(reasoning, "reasoning", ["effort", "summary", "generate_summary", "context", "mode"])
}

function checkTools(tools: JsonValue | undefined): Refusal {
  if (tools === undefined) return undefined
  if (!isList(tools)) return refuse("tools", "must be a list")
  const names = new Set<string>()
  return firstRefusal(
    tools.map((tool, index) => () => {
      const place = `tools[${index}]`
      if (!isObject(tool) || tool.type !== "function") return refuse(`${place}.type`, "must be function")
      const { name, description, parameters, strict } = tool
      if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
        return refuse(`${place}.name`, "must be letters, digits, _ and -, at most 64")
      if (names.has(name)) return refuse(`${place}.name`, `${name} is there twice`)
      names.add(name)
      if (description !== undefined && description !== null && typeof description !== "string")
        return refuse(`${place}.description`, "must be a string")
      if (!isObject(parameters) || parameters.type !== "object")
        return refuse(`${place}.parameters`, 'must be a JSON Schema of the type "object"')
      return (
        checkStrict(parameters, strict, place) ??
        checkFields(tool, place, [
          "type",
          "name",
          "description",
          "parameters",
          "strict",
          "defer_loading",
          "allowed_callers",
          "output_schema",
          "async",
        ])
      )
    }),
  )
}

/** Strict is what a tool is unless it says otherwise; then every property must be required. */
function checkStrict(parameters: JsonObject, strict: JsonValue | undefined, place: string): Refusal {
  if (strict === false) return undefined
  if (strict !== true && strict !== undefined && strict !== null)
    return refuse(`${place}.strict`, "must be true or false")
  if (strict !== true) return undefined
  const properties = isObject(parameters.properties) ? Object.keys(parameters.properties) : []
  const required: readonly JsonValue[] = isList(parameters.required) ? parameters.required : []
  const optional = properties.find((name) => !required.includes(name))
  if (optional !== undefined) return refuse(`${place}.parameters`, `strict: ${optional} must be in required`)
  return parameters.additionalProperties === false
    ? undefined
    : refuse(`${place}.parameters`, "strict: additionalProperties must be false")
}

function checkChoice({ tool_choice, tools }: JsonObject): Refusal {
  if (tool_choice === undefined || tool_choice === "none" || tool_choice === "auto") return undefined
  if (!isList(tools) || tools.length === 0) return refuse("tool_choice", "is only allowed when tools are specified")
  if (tool_choice === "required") return undefined
  const name = isObject(tool_choice) && tool_choice.type === "function" ? tool_choice.name : undefined
  return tools.some((tool) => isObject(tool) && tool.name === name)
    ? undefined
    : refuse("tool_choice", "must be none, auto, required, or a function among the tools")
}

function checkText(text: JsonValue | undefined): Refusal {
  if (text === undefined || text === null) return undefined
  if (!isObject(text)) return refuse("text", "must be an object")
  const { format } = text
  if (format === undefined) return checkFields(text, "text", ["format", "verbosity"])
  if (!isObject(format)) return refuse("text.format", "must be an object")
  if (format.type === "text" || format.type === "json_object") return checkFields(format, "text.format", ["type"])
  if (format.type !== "json_schema") return refuse("text.format.type", "must be text, json_object or json_schema")
  if (typeof format.name !== "string" || !isObject(format.schema))
    return refuse("text.format", "needs a name and a schema")
  return checkFields(format, "text.format", ["type", "name", "schema", "description", "strict"])
}
