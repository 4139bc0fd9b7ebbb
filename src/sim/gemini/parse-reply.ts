/** Decodes an answer of the Gemini API, streamed or whole, back into scenario form. */

import type { Usage } from "#agent/words/model.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { listIn } from "#sim/request.ts"
import type { ScenarioBlock, ScenarioReply } from "#sim/scenario.ts"
import { partsOf } from "./request.ts"

/** Undefined when the text is not an answer, or one that broke off before a call: the client will ask again. */
export function parseGeminiReply(text: string): ScenarioReply | undefined {
  const whole = objectIn(text)
  const chunks = whole ? [whole] : text.split("\n").flatMap((line) => chunkIn(line))
  const candidates = chunks.flatMap(({ candidates: all }) => listIn(all).slice(0, 1)).filter(isObject)
  const finish = candidates.findLast(({ finishReason }) => finishReason !== undefined)?.finishReason
  const content = joined(candidates.flatMap((candidate) => partsOf(candidate.content)).flatMap(blockOf))
  if (candidates.length === 0 || (finish === undefined && !content.some((block) => "tool" in block))) return undefined
  const usage = chunks.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata
  const stopReason = stopReasons[String(finish)]
  return { content, ...(stopReason && { stopReason }), ...(isObject(usage) && { usage: usageOf(usage) }) }
}

const chunkIn = (line: string): readonly JsonObject[] => {
  const chunk = line.startsWith("data:") ? objectIn(line.slice(5)) : undefined
  return chunk ? [chunk] : []
}

/** Without one, a reply ends as its content says. */
const stopReasons: { readonly [finish: string]: string } = {
  MAX_TOKENS: "max_tokens",
  SAFETY: "refusal",
  RECITATION: "refusal",
  PROHIBITED_CONTENT: "refusal",
}

type PartialReply = Exclude<ScenarioBlock, string>

function blockOf({ text, thought, functionCall }: JsonObject): PartialReply[] {
  if (isObject(functionCall)) {
    const { name, args, id } = functionCall
    return [{ tool: String(name), input: isObject(args) ? args : {}, ...(typeof id === "string" && { id }) }]
  }
  if (typeof text !== "string" || text === "") return []
  return [thought === true ? { thinking: text } : { text }]
}

function joined(blocks: readonly PartialReply[]): readonly PartialReply[] {
  const all: PartialReply[] = []
  for (const block of blocks) {
    const last = all.at(-1)
    if (last && "text" in last && "text" in block) all[all.length - 1] = { text: last.text + block.text }
    else if (last && "thinking" in last && "thinking" in block)
      all[all.length - 1] = { thinking: last.thinking + block.thinking }
    else all.push(block)
  }
  return all
}

function usageOf(counts: JsonObject): Partial<Usage> {
  const count = (value: JsonValue | undefined): number => (typeof value === "number" ? value : 0)
  const read = count(counts.cachedContentTokenCount)
  return {
    input_tokens: Math.max(count(counts.promptTokenCount) - read, 0),
    output_tokens: count(counts.candidatesTokenCount) + count(counts.thoughtsTokenCount),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: 0,
  }
}
