/** `codewright sessions show --requests`: what was sent at every step, rebuilt from the log. */

import type { Entry } from "#agent/words/entry.ts"
import { type InspectedRequest, inspect } from "#session/request/inspect.ts"
import type { Io } from "#faces/cli/io.ts"
import { minute } from "./session-line.ts"
import { promptTokens } from "#agent/words/model.ts"

export function showRequests(entries: readonly Entry[], asJson: boolean, io: Io): number {
  const requests = inspect(entries)
  if (asJson) io.write(`${JSON.stringify(requests, null, 2)}\n`)
  else if (requests.length === 0) io.say("This session sent no requests, or is older than request records.")
  else io.say(requests.map(requestLines).join("\n"))
  return 0
}

function requestLines({ number, at, model, blocks, sameAsBefore, usage, proved }: InspectedRequest): string {
  const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0)
  const counted = usage
    ? `; counted ${promptTokens(usage)} in (${usage.cache_read_input_tokens} cached), ${usage.output_tokens} out`
    : ""
  const head = `request ${number}, ${minute(at)}, ${model}: ${blocks.length} blocks, about ${tokens} tokens${counted}; ${proved ? "as sent" : "NOT as sent"}`
  const fresh = blocks
    .slice(sameAsBefore)
    .map((block) => `    ${block.role}, ${block.source}, about ${block.tokens} tokens`)
  return [head, ...(sameAsBefore > 0 ? [`    ${sameAsBefore} blocks as before`] : []), ...fresh].join("\n")
}
