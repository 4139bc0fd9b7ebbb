/** What was sent to the model, in the pieces that tests ask for. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { claudePrice } from "#ground/models/anthropic/prices.ts"
import { costOf } from "#kits/budget/prices.ts"
import type { RecordedRequest } from "#sim/ledger.ts"
import { decodeRequest, lastToolResult, type SimRequest } from "#sim/request.ts"

export function bodyOf(request: RecordedRequest | undefined): JsonObject {
  if (!isObject(request?.body)) throw new Error("there is no such request")
  return request.body
}

/** In the terms of Messages. */
export const sentIn = (request: RecordedRequest | undefined): SimRequest =>
  request?.request ?? decodeRequest(bodyOf(request))

/** What the person said last, without what the program added. */
export function promptOf(request: RecordedRequest | undefined): string {
  const texts = sentIn(request).messages.findLast(({ content }) => textsIn(content).length > 0)
  return textsIn(texts?.content ?? []).join("\n")
}

/** The results in the last message, as the model reads them. */
export const resultIn = (request: RecordedRequest | undefined): string => lastToolResult(sentIn(request)) ?? ""

/** The names of the tools that were offered. */
export const toolsIn = (request: RecordedRequest | undefined): readonly string[] => sentIn(request).tools

/** The conversation as `role: what`, one message each, without the skills that are told of at its beginning. */
export const talkIn = (request: RecordedRequest | undefined): readonly string[] =>
  sentIn(request).messages.map(({ role, content }) => {
    const said = content.filter(({ text }) => typeof text !== "string" || !text.startsWith(skillsBegin))
    return `${role}: ${said.map(shortOf).join(" | ")}`
  })

const skillsBegin = "<system-reminder>\nSkills:"

/** What the answers cost by the list price. */
export function replyCost(requests: readonly RecordedRequest[]): number {
  return requests.reduce((sum, request) => {
    const price = claudePrice(String(bodyOf(request).model))
    if (request.answered.kind !== "reply" || !price) return sum
    return sum + costOf(request.answered.usage, price)
  }, 0)
}

const textsIn = (content: readonly JsonObject[]): readonly string[] =>
  content.flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" && !text.startsWith("<system-reminder>") ? [text] : [],
  )

function shortOf(block: JsonObject): string {
  switch (block.type) {
    case "text":
      return String(block.text)
    case "tool_use":
      return `${String(block.name)} ${JSON.stringify(block.input)}`
    case "tool_result":
      return `result ${shortResult(block.content)}`
    default:
      return String(block.type)
  }
}

const shortResult = (content: JsonValue | undefined): string =>
  typeof content === "string" ? content : JSON.stringify(content)
