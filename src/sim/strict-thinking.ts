/** What the API refuses about thinking and effort, model by model. */

import { effortLevels, isEffort } from "#agent/words/thinking.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { checkFields, refuse, type Refusal } from "./refusal.ts"

const leastBudget = 1_024

/** Names that match none of these have no limits of their own. */
interface ModelLimits {
  readonly thinking: readonly string[]
  readonly efforts: readonly string[]
}

const upToHigh = ["low", "medium", "high"]
const withoutXhigh = [...upToHigh, "max"]

const limits: readonly (readonly [RegExp, ModelLimits])[] = [
  [/^claude-(?:fable|mythos)-5|^claude-opus-5-5/, { thinking: ["adaptive"], efforts: effortLevels }],
  [/^claude-sonnet-5-5/, { thinking: ["adaptive", "between_tools"], efforts: effortLevels }],
  [/^claude-(?:opus|sonnet|haiku)-5/, { thinking: ["adaptive", "disabled"], efforts: effortLevels }],
  [/^claude-opus-4-[78]/, { thinking: ["adaptive", "disabled"], efforts: effortLevels }],
  [/^claude-(?:opus|sonnet)-4-6/, { thinking: ["adaptive", "disabled", "enabled"], efforts: withoutXhigh }],
  [/^claude-opus-4-5/, { thinking: ["disabled", "enabled"], efforts: upToHigh }],
  [/^claude-(?:\w+-4|3)/, { thinking: ["disabled", "enabled"], efforts: [] }],
]

const anything: ModelLimits = { thinking: ["enabled", "disabled", "adaptive", "between_tools"], efforts: effortLevels }

const limitsOf = (model: unknown): ModelLimits =>
  limits.find(([pattern]) => typeof model === "string" && pattern.test(model))?.[1] ?? anything

export function checkThinking({ model, thinking, max_tokens, tool_choice, temperature }: JsonObject): Refusal {
  if (thinking === undefined || thinking === null) return undefined
  if (!isObject(thinking)) return refuse("thinking", "must be an object")
  const { type, budget_tokens, display } = thinking
  if (typeof type !== "string" || !anything.thinking.includes(type))
    return refuse("thinking.type", "must be enabled, disabled, adaptive or between_tools")
  if (!limitsOf(model).thinking.includes(type))
    return refuse("thinking.type", `${type} is not taken by ${String(model)}`)
  if (display !== undefined && display !== "summarized" && display !== "omitted")
    return refuse("thinking.display", "must be summarized or omitted")
  if (type !== "enabled") return checkFields(thinking, "thinking", ["type", "display"])
  if (typeof budget_tokens !== "number" || budget_tokens < leastBudget)
    return refuse("thinking.enabled.budget_tokens", `must be at least ${leastBudget}`)
  if (typeof max_tokens === "number" && budget_tokens >= max_tokens)
    return refuse("thinking.enabled.budget_tokens", "must be less than max_tokens")
  if (isObject(tool_choice) && (tool_choice.type === "any" || tool_choice.type === "tool"))
    return refuse("tool_choice", "cannot force a tool while thinking is enabled")
  return temperature === undefined || temperature === 1
    ? undefined
    : refuse("temperature", "must be 1 while thinking is enabled")
}

export function checkEffort({ model, thinking, output_config }: JsonObject): Refusal {
  if (output_config === undefined || output_config === null) return undefined
  if (!isObject(output_config)) return refuse("output_config", "must be an object")
  const { effort } = output_config
  if (effort === undefined || effort === null) return checkFields(output_config, "output_config", fields)
  if (!isEffort(effort)) return refuse("output_config.effort", `must be one of ${effortLevels.join(", ")}`)
  const { efforts } = limitsOf(model)
  if (!efforts.includes(effort)) return refuse("output_config.effort", `${effort} is not taken by ${String(model)}`)
  if (isObject(thinking) && thinking.type === "disabled" && !upToHigh.includes(effort))
    return refuse("output_config.effort", `${effort} is not taken while thinking is disabled`)
  return checkFields(output_config, "output_config", fields)
}

const fields = ["effort", "format", "task_budget"]
