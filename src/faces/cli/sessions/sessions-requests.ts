/** `codewright sessions show --requests`: what was sent at every step, rebuilt from the log. */

import { type InspectedLog, type InspectedRequest, requestsIn } from "#session/request/inspect.ts"
import type { Io } from "#faces/cli/io.ts"
import { minute } from "./session-line.ts"
import { promptTokens } from "#agent/words/model.ts"

/** One at a time: a log of any size takes little memory. */
export async function showRequests(log: InspectedLog, asJson: boolean, io: Io): Promise<number> {
  let count = 0
  for (const request of requestsIn(log)) {
    const before = count++ === 0 ? (asJson ? "[\n" : "") : asJson ? ",\n" : "\n"
    io.write(before + (asJson ? jsonLines(request) : requestLines(request)))
    await io.flushed()
  }
  if (asJson) io.write(count === 0 ? "[]\n" : "\n]\n")
  else if (count > 0) io.write("\n")
  else io.say("This session sent no requests, or is older than request records.")
  return 0
}

/** As an element of a list. */
const jsonLines = (request: InspectedRequest): string => JSON.stringify(request, null, 2).replaceAll(/^/gm, "  ")

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
