/** The tools a request offers: valid names, no duplicates, object inputs, and not all of them deferred. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { defersTools } from "./models.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "./refusal.ts"
import { isList } from "./request.ts"
import { checkServerTool } from "./strict-server-tools.ts"

export function checkTools({ tools, tool_choice, model }: JsonObject): Refusal {
  if (tools === undefined) return undefined
  if (!isList(tools)) return refuse("tools", "must be a list")
  return firstRefusal([
    ...tools.map((tool, index) => () => checkTool(tool, `tools.${index}`)),
    () => checkUnique(tools),
    () => checkDeferred(tools, String(model)),
    () => checkChoice(tool_choice, tools),
  ])
}

function checkDeferred(tools: readonly JsonValue[], model: string): Refusal {
  const first = tools.findIndex((tool) => isObject(tool) && tool.defer_loading === true)
  if (first === -1) return undefined
  if (!defersTools(model)) return refuse(`tools.${first}.custom.defer_loading`, `${model} cannot load tools later`)
  const marked = tools.findIndex((tool) => isObject(tool) && tool.defer_loading === true && tool.cache_control)
  if (marked !== -1) return refuse(`tools.${marked}.custom`, "a deferred tool may not carry cache_control")
  return tools.every((tool) => isObject(tool) && tool.defer_loading === true)
    ? refuse("tools", "all tools are deferred; at least one must not be")
    : undefined
}

const toolFields: readonly string[] = (
  "type name description input_schema cache_control strict defer_loading allowed_callers input_examples " +
  "eager_input_streaming"
).split(" ")

function checkTool(tool: JsonValue, place: string): Refusal {
  if (!isObject(tool)) return refuse(place, "must be an object")
  const { name, type, input_schema, description, defer_loading } = tool
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
    return refuse(`${place}.name`, "must be 1 to 128 letters, digits, _ or -")
  if (type !== undefined && type !== null && type !== "custom") return checkServerTool(tool, place)
  if (description !== undefined && typeof description !== "string")
    return refuse(`${place}.custom.description`, "must be a string")
  if (defer_loading !== undefined && typeof defer_loading !== "boolean")
    return refuse(`${place}.custom.defer_loading`, "must be true or false")
  if (!isObject(input_schema)) return refuse(`${place}.custom.input_schema`, "field required")
  if (input_schema.type !== "object") return refuse(`${place}.custom.input_schema.type`, "must be object")
  return checkFields(tool, `${place}.custom`, toolFields)
}

function checkUnique(tools: readonly JsonValue[]): Refusal {
  const names = tools.map((tool) => (isObject(tool) ? tool.name : undefined))
  const twice = names.findIndex((name, at) => names.indexOf(name) !== at)
  return twice === -1 ? undefined : refuse(`tools.${twice}.name`, `the name ${String(names[twice])} is taken`)
}

function checkChoice(choice: JsonValue | undefined, tools: readonly JsonValue[]): Refusal {
  if (!isObject(choice) || choice.type !== "tool") return undefined
  const exists = tools.some((tool) => isObject(tool) && tool.name === choice.name)
  return exists ? undefined : refuse("tool_choice.tool.name", `no tool is named ${String(choice.name)}`)
}
