/** Answers requests for a message, in one wire format: validates, asks the player, applies faults, counts the cache, and encodes the answer. */

import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { speak, type Spoken } from "./spoken.ts"
import { jsonAnswer, type Answer, type ErrorAnswer } from "./answer.ts"
import type { PromptCache } from "./cache.ts"
import { errorFor, streamAnswer, wholeAnswer } from "./fault-answers.ts"
import { spoil } from "./fault-replies.ts"
import type { FaultSource } from "./fault-source.ts"
import { faultFacts, type Fault } from "./faults.ts"
import type { RecordedOutcome, Ledger, RecordedRequest } from "./ledger.ts"
import { measure, tokensOf, type Segment } from "./measure.ts"
import type { ChosenReply, Player } from "./player.ts"
import type { PrefixWatch } from "./prefix-watch.ts"
import { callIds, type SimRequest } from "./request.ts"
import { withSearches } from "./search.ts"
import type { Headers } from "./strict.ts"
import type { SimWire } from "./wire.ts"

export interface MessagesParts {
  readonly player: Player
  readonly ledger: Ledger
  readonly faults: FaultSource
  readonly cache: PromptCache
  /** Undefined when prefix changes are not tracked. */
  readonly watch: PrefixWatch | undefined
  readonly clock: Clock
  readonly ids: Ids
  readonly strict: boolean
  /** Of every model, for the prompt and the longest answer together; that of its name when absent. */
  readonly window?: number | undefined
}

export interface GivenAnswer {
  readonly answer: Answer
  readonly ended: (outcome: RecordedRequest["outcome"]) => void
}

interface MessagesRequest {
  readonly path: string
  readonly headers: Headers
  readonly text: string | undefined
}

export interface Messages {
  readonly answer: (asked: MessagesRequest, requestId: string) => Promise<GivenAnswer>
  readonly count: (asked: MessagesRequest, requestId: string) => Answer
}

interface ReadRequest {
  readonly request: SimRequest
  readonly segments: readonly Segment[]
}

export function openMessages(parts: MessagesParts, wire: SimWire): Messages {
  const { player, ledger, faults, cache, watch, clock, ids, strict, window } = parts

  return {
    async answer(asked, requestId) {
      const { path, headers } = asked
      const entry = { number: ledger.next(), at: clock.now(), path, headers: withoutKeys(headers) }
      const refuse = (refusal: ErrorAnswer, body: JsonObject | null, refused?: SimRequest): GivenAnswer => {
        const { status, type, message } = refusal
        const asWhat = { body: refused ? sentIn(refused) : body, ...optional("request", refused) }
        const ended = ledger.record({ ...entry, ...asWhat, answered: { kind: "refusal", status, type, message } })
        return { answer: wire.error(refusal, requestId), ended }
      }
      const read = readRequest(asked, { strict, window, purpose: "answer", wire })
      if (!read.ok) return refuse(read.failure.refusal, read.failure.body, read.failure.request)
      const { request, segments } = read.value
      const asking = player.choose(request)
      const chosen = asking instanceof Promise ? await asking : asking
      // A mistake in the scenario must not be mistaken for a passing fault, so it is not a 500, which clients repeat.
      if (!chosen.ok) return refuse(badRequest(chosen.failure), null, request)

      const fault = faultFor(chosen.value)
      const instead = fault && errorFor(fault, entry.at, requestId, wire)
      if (fault !== undefined && instead !== undefined) {
        const record = {
          ...entry,
          body: sentIn(request),
          request,
          answered: { kind: "fault" } as const,
          fault: fault.name,
        }
        return { answer: instead, ended: ledger.record(record) }
      }
      const { reply, over } = chosen.value
      const searched = withSearches(reply, request.body)
      if (!searched.ok) return refuse(badRequest(searched.failure), null, request)
      const spoiled = fault ? spoil(searched.value, fault, callIds(request)) : searched.value
      const spoken = speak(spoiled, request.model, cache.use(segments, entry.at), ids)
      const cacheBreak = watch?.see(request, segments, { ...entry, answeredIds: callsOf(spoken) })
      const record = {
        ...entry,
        body: sentIn(request),
        request,
        answered: recordedOutcome(spoken),
        ...(fault && { fault: fault.name }),
      }
      const ended = ledger.record(record, { over, cacheBreak })
      const { timing } = reply
      const how = { timing, fault, request, wire }
      const answer = request.stream ? streamAnswer(spoken, how) : wholeAnswer(spoken, how, requestId)
      return { answer, ended }
    },

    count(asked, requestId) {
      const read = readRequest(asked, { strict, window: undefined, purpose: "count", wire })
      return read.ok
        ? jsonAnswer(200, { input_tokens: tokensOf(read.value.segments) })
        : wire.error(read.failure.refusal, requestId)
    },
  }

  /** A reply with its own fault is used up by it; any other is kept when the client will ask again. */
  function faultFor({ reply, commit }: ChosenReply): Fault | undefined {
    const fault = reply.fault ?? faults.next(reply)
    if (fault === undefined || reply.fault !== undefined || faultFacts[fault.name].then === "take") commit()
    return fault
  }
}

interface CheckParts {
  readonly strict: boolean
  readonly window: number | undefined
  readonly purpose: "answer" | "count"
  readonly wire: SimWire
}

function readRequest(
  { path, headers, text }: MessagesRequest,
  { strict, window, purpose, wire }: CheckParts,
): Result<
  ReadRequest,
  { readonly refusal: ErrorAnswer; readonly body: JsonObject | null; readonly request?: SimRequest }
> {
  if (text === undefined)
    return failed({
      refusal: { status: 413, type: "request_too_large", message: "The body is larger than 32 MB." },
      body: null,
    })
  const wrongHeaders = strict ? wire.checkHeaders(headers) : undefined
  if (wrongHeaders !== undefined) return failed({ refusal: wrongHeaders, body: null })
  const body = parseBody(text)
  if (body === undefined) return failed({ refusal: badRequest("The body is not a valid JSON object."), body: null })
  const request = wire.decode(body, path)
  const segments = measure(request)
  const refusal = strict
    ? (wire.checkBody(request, segments, { headers, purpose }) ?? beyond(window, tokensOf(segments), request.maxTokens))
    : undefined
  return refusal === undefined ? ok({ request, segments }) : failed({ refusal, body, request })
}

/** As local servers refuse it: the answer must fit, too. */
function beyond(window: number | undefined, prompt: number, output: number): ErrorAnswer | undefined {
  return window === undefined || prompt + output <= window
    ? undefined
    : badRequest(`prompt is too long: ${prompt} tokens, and ${output} for the answer > ${window} maximum`)
}

function parseBody(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const sentIn = ({ sent, body }: SimRequest): JsonObject => sent ?? body

const badRequest = (message: string): ErrorAnswer => ({ status: 400, type: "invalid_request_error", message })

const recordedOutcome = ({ id, stopReason, usage }: Spoken): RecordedOutcome => ({
  kind: "reply",
  messageId: id,
  stopReason,
  usage,
})

const callsOf = ({ content }: Spoken): readonly string[] =>
  content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))

const secretHeaders: readonly string[] = [
  "x-api-key",
  "x-goog-api-key",
  "x-amz-security-token",
  "authorization",
  "cookie",
  "proxy-authorization",
]

function withoutKeys(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secretHeaders.includes(name) ? "(hidden)" : value]),
  )
}
