/** A proxy to a real provider that records the answers as a scenario. */

import type { IncomingMessage, ServerResponse } from "node:http"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { FaultName } from "./faults.ts"
import { listen, type ListenFailure } from "./listen.ts"
import { framedEvents } from "./clouds/frames.ts"
import { parseCompletion } from "./chat/parse-reply.ts"
import { parseGeminiReply } from "./gemini/parse-reply.ts"
import { parseReply } from "./parse-reply.ts"
import { parseResponse } from "./responses/parse-reply.ts"
import type { ScenarioReply } from "./scenario.ts"
import { readBody } from "./transport.ts"

export interface RecordOptions {
  /** What comes before `/v1/messages`, or the path of another wire format. */
  readonly upstream: URL
  readonly port?: number
  readonly clock: Clock
  /** How the provider is reached; it throws. */
  readonly send: (url: URL, init: RequestInit) => Promise<Response>
  /** Called with the whole scenario after each answer, so that nothing is lost when the recording ends. */
  readonly keep: (scenario: string) => void
}

export interface Recording {
  readonly url: string
  readonly replies: () => number
  readonly close: () => Promise<void>
}

export async function openRecording(options: RecordOptions): Promise<Result<Recording, ListenFailure>> {
  const { upstream, clock, keep, send } = options
  const replies: ScenarioReply[] = []
  const over = new AbortController()

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming)
    if (body.kind !== "text") return void response.writeHead(413).end("The request is too large to be passed on.")
    const startedAt = clock.now()
    const answer = await send(addressOf(upstream, incoming.url ?? "/"), {
      method: incoming.method ?? "GET",
      headers: passedOn(incoming.headers),
      ...(body.text !== "" && { body: body.text }),
      signal: over.signal,
    }).catch((error: unknown) => String(error))
    if (typeof answer === "string")
      return void response.writeHead(502).end(`The provider at ${upstream.host} cannot be reached: ${answer}`)

    response.writeHead(answer.status, passedBack(answer.headers))
    const chunks: Uint8Array[] = []
    let ttftMs: number | undefined
    for await (const chunk of answer.body ?? []) {
      ttftMs ??= clock.now() - startedAt
      chunks.push(chunk)
      response.write(chunk)
    }
    response.end()
    const bytes = Buffer.concat(chunks)
    const parse = replyParserFor(incoming)
    if (!parse) return
    const isFramed = answer.headers.get("content-type")?.includes("vnd.amazon.eventstream") === true
    const text = isFramed ? framedEvents(bytes) : bytes.toString("utf8")
    const reply = answer.ok ? parse(text) : refusal(answer.status, text)
    if (!reply) return
    const timed: ScenarioReply = { ...reply, ...(answer.ok && ttftMs !== undefined && { timing: { ttftMs } }) }
    replies.push(timed)
    keep(withoutKeys(written(upstream, replies), keysIn(incoming)))
  }

  const listening = await listen(options.port ?? 0, pass)
  if (!listening.ok) return failed(listening.failure)
  return ok({
    url: `http://127.0.0.1:${listening.value.port}`,
    replies: () => replies.length,
    async close() {
      over.abort()
      await listening.value.close()
    },
  })
}

type ParseReply = (text: string) => ScenarioReply | undefined

/** By the end of the path. */
const replyParsers: readonly (readonly [path: RegExp, parse: ParseReply])[] = [
  [/\/messages(?:\?|$)/, parseReply],
  // Of Bedrock and Vertex AI.
  [/\/invoke(?:-with-response-stream)?(?:\?|$)/, parseReply],
  [/:(?:streamR|r)awPredict(?:\?|$)/, parseReply],
  [/\/chat\/completions(?:\?|$)/, parseCompletion],
  [/\/responses(?:\?|$)/, parseResponse],
  [/:(?:streamG|g)enerateContent(?:\?|$)/, parseGeminiReply],
]

/** Undefined for a request that asks for no answer. */
const replyParserFor = ({ method, url = "" }: IncomingMessage): ParseReply | undefined =>
  method === "POST" ? replyParsers.find(([path]) => path.test(url))?.[1] : undefined

function addressOf(upstream: URL, path: string): URL {
  const base = upstream.href.replace(/\/$/, "")
  return new URL(`${base}${path}`)
}

/** Headers of one connection only, or set again by each sender. */
const ofTheConnection = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
])

const passedOn = (headers: IncomingMessage["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ofTheConnection.has(name) ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  )

/** The body is already decompressed here. */
const passedBack = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !ofTheConnection.has(name) && name !== "content-encoding"))

const faultsByStatus: { readonly [status: number]: FaultName } = {
  401: "unauthorized",
  413: "too_large",
  429: "rate_limit",
  500: "server_error",
  502: "bad_gateway",
  503: "overloaded",
  529: "overloaded",
}

/** A refusal is replayed as the same refusal; one without a matching fault is left out. */
function refusal(status: number, text: string): ScenarioReply | undefined {
  const fault = text.includes("server_is_overloaded") ? "overloaded" : faultsByStatus[status]
  return fault && { content: [], fault }
}

const written = (upstream: URL, replies: readonly ScenarioReply[]): string =>
  Bun.YAML.stringify({ name: `recorded from ${upstream.host}`, replies }, null, 2)

/** Anything shaped like a key, whoever owns it. */
const keyShape = /\b(?:(?:sk|pk|ghp|gho|xoxb)[-_][A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{35})/g

function keysIn({ headers }: IncomingMessage): readonly string[] {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1]
  const keys = [headers["x-api-key"], headers["x-goog-api-key"], headers["x-amz-security-token"]].filter(
    (key) => typeof key === "string",
  )
  return [bearer, ...keys].filter((one) => one !== undefined && one.length > 7) as string[]
}

const withoutKeys = (text: string, keys: readonly string[]): string =>
  keys.reduce((rest, key) => rest.replaceAll(key, "removed-key"), text).replaceAll(keyShape, "removed-key")
