/** Refuses what the Gemini API refuses, in its words where they are known. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { ErrorAnswer } from "#sim/answer.ts"
import { tokensOf, type Segment } from "#sim/measure.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "#sim/refusal.ts"
import { isList, type SimRequest } from "#sim/request.ts"
import type { Headers } from "#sim/strict.ts"
import { isThirdOrLater } from "./names.ts"
import { checkContents } from "./strict-contents.ts"
import { checkTools } from "./strict-tools.ts"

export function checkGeminiHeaders(headers: Headers): ErrorAnswer | undefined {
  return headers["x-goog-api-key"] || headers.authorization
    ? undefined
    : {
        status: 403,
        type: "PERMISSION_DENIED",
        message: "Method doesn't allow unregistered callers: send a key in x-goog-api-key (any value will do here).",
      }
}

const bodyFields: readonly string[] = (
  "contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent serviceTier store " +
  "continuationToken"
).split(" ")
const configFields: readonly string[] = (
  "maxOutputTokens thinkingConfig temperature topP topK candidateCount stopSequences seed presencePenalty " +
  "frequencyPenalty responseMimeType responseSchema responseJsonSchema responseModalities responseLogprobs logprobs " +
  "speechConfig mediaResolution imageConfig enableEnhancedCivicAnswers"
).split(" ")

const window = 1_048_576
const mostOutput = 65_536

export function checkGemini({ sent, model }: SimRequest, segments: readonly Segment[]): ErrorAnswer | undefined {
  const body = sent ?? {}
  const tokens = tokensOf(segments)
  const message = firstRefusal([
    () => checkFields(body, "", bodyFields),
    () => checkConfig(body.generationConfig, model),
    () => checkSystem(body.systemInstruction),
    () => checkTools(body.tools),
    () => checkToolConfig(body.toolConfig),
    () => checkContents(body.contents, model),
    () =>
      tokens > window
        ? `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`
        : undefined,
  ])
  return message === undefined ? undefined : { status: 400, type: "INVALID_ARGUMENT", message }
}

function checkConfig(config: JsonValue | undefined, model: string): Refusal {
  if (config === undefined) return undefined
  if (!isObject(config)) return refuse("generationConfig", "must be an object")
  const { maxOutputTokens: most } = config
  const isLimit = typeof most === "number" && Number.isInteger(most) && most >= 1 && most <= mostOutput
  if (most !== undefined && !isLimit)
    return refuse("generationConfig.maxOutputTokens", `must be a whole number from 1 to ${mostOutput}`)
  return checkFields(config, "generationConfig", configFields) ?? checkThinking(config.thinkingConfig, model, most)
}

const levelsOf = (model: string): readonly string[] => {
  if (model.startsWith("gemini-3-pro")) return ["LOW", "HIGH"]
  const all = ["LOW", "MEDIUM", "HIGH"]
  return /^gemini-3(?:\.[0-6])?-flash/.test(model) ? ["MINIMAL", ...all] : all
}

/** The least and the most; 0, which means off, is not for every model. */
const budgetOf = (model: string): readonly [least: number, most: number, takesZero: boolean] => {
  if (model.startsWith("gemini-2.5-pro")) return [128, 32_768, false]
  return model.startsWith("gemini-2.5-flash-lite") ? [512, 24_576, true] : [0, 24_576, true]
}

function checkThinking(config: JsonValue | undefined, model: string, limit: JsonValue | undefined): Refusal {
  if (config === undefined) return undefined
  const place = "generationConfig.thinkingConfig"
  if (!isObject(config)) return refuse(place, "must be an object")
  const { thinkingLevel: level, thinkingBudget: budget, includeThoughts } = config
  if (level !== undefined && budget !== undefined)
    return "You can only set only one of thinking budget and thinking level."
  if (/^gemini-(?:1|2\.0)|^gemma/.test(model)) return `Thinking is not supported for ${model}.`
  if (includeThoughts === true && budget === 0) return "Include thoughts is only enabled when thinking is enabled."
  if (level !== undefined) {
    if (!isThirdOrLater(model)) return `Thinking level is not supported for ${model}.`
    if (!levelsOf(model).includes(String(level)))
      return `Thinking level ${String(level)} is not supported for ${model}.`
  }
  if (budget !== undefined) {
    if (isThirdOrLater(model)) return `Thinking budget is not supported for ${model}; use thinking level.`
    const [least, most, takesZero] = budgetOf(model)
    const isIn = typeof budget === "number" && Number.isInteger(budget) && budget >= least && budget <= most
    if (!isIn && budget !== -1 && !(budget === 0 && takesZero))
      return `The thinking budget ${String(budget)} is invalid. Please choose a value between ${least} and ${most}.`
    if (typeof limit === "number" && Number(budget) >= limit)
      return `The thinking budget ${String(budget)} leaves no room for an answer of ${limit}.`
  }
  return checkFields(config, place, ["thinkingLevel", "thinkingBudget", "includeThoughts"])
}

function checkSystem(system: JsonValue | undefined): Refusal {
  if (system === undefined) return undefined
  const parts = isObject(system) ? system.parts : undefined
  if (!isObject(system) || !isList(parts) || parts.length === 0)
    return refuse("systemInstruction", "must have at least one part")
  const isText = (part: JsonValue): boolean => isObject(part) && typeof part.text === "string" && part.text !== ""
  if (!parts.every(isText)) return refuse("systemInstruction.parts", "must be texts that are not empty")
  return checkFields(system, "systemInstruction", ["role", "parts"])
}

function checkToolConfig(config: JsonValue | undefined): Refusal {
  if (config === undefined) return undefined
  if (!isObject(config)) return refuse("toolConfig", "must be an object")
  const calling: JsonObject = isObject(config.functionCallingConfig) ? config.functionCallingConfig : {}
  const { mode = "AUTO" } = calling
  if (!["AUTO", "ANY", "NONE", "VALIDATED"].includes(String(mode)))
    return refuse("toolConfig.functionCallingConfig.mode", "must be AUTO, ANY, NONE or VALIDATED")
  return (
    checkFields(config, "toolConfig", [
      "functionCallingConfig",
      "retrievalConfig",
      "includeServerSideToolInvocations",
    ]) ?? checkFields(calling, "toolConfig.functionCallingConfig", ["mode", "allowedFunctionNames"])
  )
}
