/** What was sent to the model, as text: one request block by block, one block whole, or all requests as a list. */

import { shortNumber } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { aligned } from "#lib/rows.ts"
import type { InspectedBlock, InspectedRequest, RequestRows } from "#session/request/inspect.ts"
import type { Ask } from "#session/port/query.ts"
import { promptTokens } from "#agent/words/model.ts"

export interface InspectedText {
  readonly title: string
  readonly text: string
}

/** More identical leading blocks than this are collapsed. */
const mostAsBefore = 8
const mostListed = 40

/** `words`: empty for the newest request, `list`, or the number of a request, optionally followed by a block number or `all`. */
export async function inspectedText(ask: Ask, words: string): Promise<Result<InspectedText, string>> {
  const isList = words === "list"
  const asked = /^(?:(\d+|last)(?:\s+(\d+|all))?)?$/.exec(words)
  if (!isList && !asked) return failed("/inspect takes a request's number, perhaps a block's number or all, or: list.")
  const [, which = "last", part] = asked ?? []
  const [requests, request] = await Promise.all([
    ask({ type: "requests", last: isList ? mostListed : 0 }),
    isList ? null : ask({ type: "request", ...(which !== "last" && { number: Number(which) }) }),
  ])
  if (requests.total === 0) return failed("Nothing was sent to the model yet.")
  if (isList) return ok(listText(requests))
  if (!request) return failed(`There is no request ${which}. They are numbered 1 to ${requests.total}.`)
  if (part === undefined || part === "all") return ok(requestText(request, requests.total, part === "all"))
  const block = request.blocks[Number(part) - 1]
  if (!block) return failed(`There is no block ${part}. Request ${request.number} has ${request.blocks.length}.`)
  return ok({ title: `Block ${part} of request ${request.number}: ${block.role}, ${block.source}`, text: block.text })
}

function listText({ total, rows: shown }: RequestRows): InspectedText {
  const left = total - shown.length
  const rows = shown.map((request) => {
    const { number, at, model, blocks, tokens, sameAsBefore, proved } = request
    const fresh = blocks - sameAsBefore
    return [
      String(number),
      timeOf(at),
      model,
      `${blocks} blocks`,
      `~${shortNumber(tokens)} tokens`,
      cachedWords(request),
      sameAsBefore === 0 ? "" : `${fresh} new`,
      proved ? "" : "NOT as sent",
    ]
  })
  const lines = [...(left > 0 ? [`… ${left} earlier ones`] : []), ...aligned(rows)]
  return { title: "Requests of this session", text: [...lines, "/inspect <number> to view one."].join("\n") }
}

function requestText(request: InspectedRequest, count: number, isWhole: boolean): InspectedText {
  const { number, at, model, thinking, maxTokens, blocks, sameAsBefore, proved } = request
  const hidden = !isWhole && sameAsBefore > mostAsBefore ? sameAsBefore : 0
  const rows = blocks.slice(hidden).map((block, index) => blockRow(block, hidden + index, sameAsBefore))
  const facts = [
    `${timeOf(at)}, ${model}, at most ${shortNumber(maxTokens)} tokens of answer, thinking ${thinking}`,
    `${blocks.length} blocks, ~${shortNumber(tokensOf(blocks))} tokens${suffix(cachedWords(request))}`,
    proved
      ? "Exactly what was sent (verified against its checksum)."
      : "Not exactly what was sent: the checksum differs. This is a bug; please report it with /bug.",
  ]
  const before = blocks.slice(0, hidden)
  const lines = [
    ...facts,
    "",
    ...(hidden > 0
      ? [
          `1-${hidden}  unchanged since the last request, ~${shortNumber(tokensOf(before))} tokens (/inspect ${number} all)`,
        ]
      : []),
    ...aligned(rows),
    "",
    `/inspect ${number} <block> to view a whole block, /inspect list for all requests.`,
  ]
  return { title: `Request ${number} of ${count}`, text: lines.join("\n") }
}

const suffix = (words: string): string => (words === "" ? "" : `, ${words}`)

const blockRow = ({ role, source, tokens, cached }: InspectedBlock, index: number, sameAsBefore: number): string[] => [
  String(index + 1),
  role,
  forConsent(source),
  `~${shortNumber(tokens)}`,
  cached ? "cached" : "",
  index >= sameAsBefore && sameAsBefore > 0 ? "new" : "",
]

function cachedWords({ usage }: Pick<InspectedRequest, "usage">): string {
  if (!usage) return ""
  const all = promptTokens(usage)
  return all === 0 ? "" : `${Math.round((usage.cache_read_input_tokens / all) * 100)}% cached`
}

const tokensOf = (blocks: readonly InspectedBlock[]): number => blocks.reduce((sum, { tokens }) => sum + tokens, 0)

const timeOf = (at: number): string => {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":")
}
