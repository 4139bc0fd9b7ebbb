/** The simulated model: a real HTTP server on loopback that speaks the Messages API, also as clouds do, Chat Completions, Responses and Gemini. */

import type { IncomingMessage, ServerResponse } from "node:http"
import { systemClock, type Clock } from "#lib/clock.ts"
import { systemIds, type Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { messagesWire } from "./anthropic.ts"
import { makeId } from "./spoken.ts"
import { errorAnswer, jsonAnswer, type Answer } from "./answer.ts"
import { noPromptCache, openPromptCache } from "./cache.ts"
import { chatWire } from "./chat/wire.ts"
import { responsesWire } from "./responses/wire.ts"
import { cloudWire } from "./clouds/wire.ts"
import { control, controlPrefix } from "./control.ts"
import type { Fault, FaultName } from "./faults.ts"
import { findGeminiModel, listGeminiModels } from "./gemini/models.ts"
import { geminiPath } from "./gemini/names.ts"
import { geminiWire } from "./gemini/wire.ts"
import { openFaultSource, type FaultRate } from "./fault-source.ts"
import { openLedger, type RecordedRequest, type Stats } from "./ledger.ts"
import { listen, type ListenFailure } from "./listen.ts"
import { openMessages, type GivenAnswer } from "./messages.ts"
import { findModel, listChatModels, listModels } from "./models.ts"
import { openPlayer } from "./player.ts"
import { openPrefixWatch } from "./prefix-watch.ts"
import type { Timing } from "./reply.ts"
import type { Scenario } from "./scenario.ts"
import { checkHeaders } from "./strict.ts"
import { readBody, sendAnswer } from "./transport.ts"

export interface SimulatorOptions {
  /** 0 or absent: any free port. */
  readonly port?: number
  /** The demo when absent. */
  readonly scenario?: Scenario
  /** Whether to refuse what the API would refuse; yes by default. */
  readonly strict?: boolean
  /** Of every model, in tokens, for the prompt and the longest answer together; that of its name when absent. */
  readonly window?: number
  readonly faultRate?: number
  readonly seed?: number
  readonly clock?: Clock
  readonly ids?: Ids
  /** `none` for long runs: the requests of a long session are large in total. */
  readonly keepRequests?: "all" | "none"
  /** `off` for benchmarks: tokens are counted but nothing is hashed against earlier requests. */
  readonly promptCache?: "on" | "off"
  /** How fast the demo answers; like a real model by default. Scenarios have their own timing. */
  readonly demoTiming?: Timing
}

export type SimFailure = ListenFailure | { readonly kind: "bad_scenario"; readonly message: string }

export interface Simulator {
  readonly url: string
  readonly port: number
  readonly requests: readonly RecordedRequest[]
  readonly stats: () => Stats
  /** Replaces the pending faults; each strikes once by default. */
  readonly setFaults: (faults: readonly (FaultName | Fault)[]) => void
  readonly setFaultRate: (rate: FaultRate) => void
  /** Forgets requests, totals, cache and faults, and restarts the scenario. */
  readonly reset: () => void
  /** At once, even while answers are being sent. */
  readonly close: () => Promise<void>
}

const demoPace: Timing = { ttftMs: 150, tokensPerSecond: 200 }

export async function openSimulator(options: SimulatorOptions = {}): Promise<Result<Simulator, SimFailure>> {
  const { port = 0, clock = systemClock, ids = systemIds, strict = true, seed = 1 } = options
  const player = await openPlayer(options.scenario, options.demoTiming ?? demoPace)
  if (!player.ok) return failed({ kind: "bad_scenario", message: player.failure })

  const ledger = openLedger(options.keepRequests ?? "all")
  const faults = openFaultSource({ rate: options.faultRate ?? 0, seed })
  const cache = options.promptCache === "off" ? noPromptCache : openPromptCache()
  const watch = options.promptCache === "off" ? undefined : openPrefixWatch()
  const parts = { player: player.value, ledger, faults, cache, watch, clock, ids, strict, window: options.window }
  const messages = openMessages(parts, messagesWire)
  const chat = openMessages(parts, chatWire)
  const gemini = openMessages(parts, geminiWire)
  const responses = openMessages(parts, responsesWire)
  const reset = (): void => {
    ledger.clear()
    faults.set([])
    faults.setRate({ rate: 0 })
    cache.clear()
    watch?.clear()
    player.value.reset()
  }

  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = makeId("req", ids)
    const body = await readBody(incoming)
    if (body.kind === "gone") return
    const { answer, ended } = await route(readCall(incoming, body.kind === "text" ? body.text : undefined), requestId)
    ended(await sendAnswer(response, answer, { clock, requestId }))
  }

  async function route(call: IncomingRequest, requestId: string): Promise<GivenAnswer> {
    const { method, path, headers, text } = call
    const plain = (answer: Answer): GivenAnswer => ({ answer, ended: () => {} })
    const error = (status: number, type: string, message: string): GivenAnswer =>
      plain(errorAnswer({ status, type, message }, requestId))
    if (path.startsWith(controlPrefix))
      return plain(control({ method, path, host: headers.host ?? "", text: text ?? "" }, { ledger, faults, reset }))
    const endpoint = `${method} ${path}`
    if (endpoint === "POST /v1/messages") return messages.answer(call, requestId)
    const cloud = cloudWire({ ...call, now: clock.now() })
    if (cloud) return openMessages(parts, cloud).answer(call, requestId)
    if (endpoint === "POST /v1/chat/completions") return chat.answer(call, requestId)
    if (isGemini(path)) return answerGemini(call, requestId)
    if (endpoint === "POST /v1/responses") return responses.answer(call, requestId)
    if (endpoint === "POST /v1/messages/count_tokens") return plain(messages.count(call, requestId))
    if (method !== "GET" || !/^\/v1\/models(\/[^/]+)?$/.test(path))
      return error(404, "not_found_error", `There is no ${method} ${path} here.`)
    // A client of Chat Completions has a bearer token and no version.
    const isChat = headers.authorization !== undefined && headers["anthropic-version"] === undefined
    if (isChat && path === "/v1/models") return plain(jsonAnswer(200, listChatModels()))
    const refusal = strict ? checkHeaders(headers) : undefined
    if (refusal !== undefined) return plain(errorAnswer(refusal, requestId))
    if (path === "/v1/models") return plain(jsonAnswer(200, listModels(call.query)))
    const id = path.slice("/v1/models/".length)
    const model = findModel(id)
    return model ? plain(jsonAnswer(200, model)) : error(404, "not_found_error", `model: ${id}`)
  }

  async function answerGemini(call: IncomingRequest, requestId: string): Promise<GivenAnswer> {
    const { method, path, headers, query } = call
    const plain = (answer: Answer): GivenAnswer => ({ answer, ended: () => {} })
    const refused = (status: number, message: string): GivenAnswer =>
      plain(geminiWire.error({ status, type: "", message }, requestId))
    const asked = method === "POST" ? geminiPath(path) : undefined
    if (asked && (asked.method === "generateContent" || query.get("alt") === "sse"))
      return gemini.answer(call, requestId)
    if (asked) return refused(400, "The simulator streams only with alt=sse.")
    const refusal = strict ? geminiWire.checkHeaders(headers) : undefined
    if (refusal !== undefined) return plain(geminiWire.error(refusal, requestId))
    if (method === "GET" && path === "/v1beta/models") return plain(jsonAnswer(200, listGeminiModels()))
    const model = method === "GET" ? findGeminiModel(path.slice("/v1beta/models/".length)) : undefined
    return model ? plain(jsonAnswer(200, model)) : refused(404, `There is no ${method} ${path} here.`)
  }

  const listening = await listen(port, respond)
  if (!listening.ok) return listening
  return ok({
    url: `http://127.0.0.1:${listening.value.port}`,
    port: listening.value.port,
    requests: ledger.requests,
    stats: ledger.stats,
    setFaults: (next) => faults.set(next.map((fault) => (typeof fault === "string" ? { name: fault } : fault))),
    setFaultRate: faults.setRate,
    reset,
    close: listening.value.close,
  })
}

const isGemini = (path: string): boolean => path.startsWith("/v1beta/")

/** A request with its body; no text means the body was too large. */
interface IncomingRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: { readonly [name: string]: string | undefined }
  readonly text: string | undefined
}

function readCall(incoming: IncomingMessage, text: string | undefined): IncomingRequest {
  const url = new URL(incoming.url ?? "/", "http://127.0.0.1")
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  )
  return { method: incoming.method ?? "GET", path: url.pathname, query: url.searchParams, headers, text }
}
