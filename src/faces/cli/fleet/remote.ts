/** A server of ours from afar: what a terminal asks of its API. */

import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Clock } from "#lib/clock.ts"
import { isLoopbackName } from "#lib/host-names.ts"
import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import type { FetchInit } from "#lib/network.ts"
import { networkOfEnvironment } from "#faces/cli/models/configured-network.ts"

export interface RemoteEvent {
  readonly id: string
  readonly type: string
  readonly data: string
}

export interface Remote {
  readonly url: string
  /** The failure is a sentence. */
  readonly ask: (
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: JsonObject,
  ) => Promise<Result<JsonObject, string>>
  /** What happens in a session, from its beginning; connects again by itself until the signal aborts, or the server says no. */
  readonly follow: (
    sessionId: string,
    onEvent: (event: RemoteEvent) => void,
    signal: AbortSignal,
  ) => Promise<string | undefined>
}

export function openRemote(server: string, clock: Clock): Result<Remote, string> {
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    return failed(`--server takes the address of a server, such as http://127.0.0.1:4711, not '${server}'.`)
  const { origin, hostname, protocol } = new URL(server)
  const isHere = isLoopbackName(hostname) || hostname === "127.0.0.1" || hostname === "[::1]"
  const token = readEnvironment(processEnvironment()).serverToken
  if (token === undefined || !/^[\w-]{16,200}$/.test(token))
    return failed(
      `There is no token for ${origin}. Set CODEWRIGHT_TOKEN: ${isHere ? "codewright serve token prints one for your own server" : "an admin of the server makes tokens"}.`,
    )
  if (protocol === "http:" && !isHere)
    return failed(`${origin} is not encrypted, so the token would be readable on the way. Use https.`)
  const headers = { authorization: `Bearer ${token}` }
  const network = networkOfEnvironment()
  const send: SendRequest = (url, init) => network.fetch({ why: "server", chosenBy: "user" }, url, init)
  return ok({
    url: origin,
    ask: (method, path, body) => ask(send, { method, url: `${origin}${path}`, headers, ...(body && { body }) }),
    follow: (sessionId, onEvent, signal) =>
      follow(`${origin}/api/sessions/${sessionId}/events`, headers, onEvent, { clock, signal, send }),
  })
}

type SendRequest = (url: string, init: FetchInit) => Promise<Response>

async function ask(
  send: SendRequest,
  wanted: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: JsonObject
  },
): Promise<Result<JsonObject, string>> {
  const { method, url, headers, body } = wanted
  try {
    const response = await send(url, {
      method,
      redirect: "error",
      headers: { ...headers, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = objectIn(await response.text()) ?? {}
    return response.ok ? ok(answer) : failed(refusalIn(answer) ?? `${url} answered with ${response.status}.`)
  } catch (error) {
    return failed(
      `${new URL(url).origin} cannot be reached (${error instanceof Error ? error.message : String(error)}).`,
    )
  }
}

function refusalIn({ error }: { readonly [key: string]: JsonValue | undefined }): string | undefined {
  return isObject(error) && typeof error["message"] === "string" ? error["message"] : undefined
}

async function follow(
  url: string,
  headers: Readonly<Record<string, string>>,
  onEvent: (event: RemoteEvent) => void,
  { clock, signal, send }: { readonly clock: Clock; readonly signal: AbortSignal; readonly send: SendRequest },
): Promise<string | undefined> {
  let last = "0"
  for (let pauseMs = 250; !signal.aborted; pauseMs = Math.min(10_000, pauseMs * 2)) {
    try {
      const response = await send(url, { redirect: "error", headers: { ...headers, "last-event-id": last }, signal })
      if (response.status === 401 || response.status === 403 || response.status === 404)
        return refusalIn(objectIn(await response.text()) ?? {}) ?? `${url} answered with ${response.status}.`
      if (response.ok)
        for await (const event of eventsIn(response.body)) {
          last = event.id
          pauseMs = 250
          onEvent(event)
        }
    } catch {
      // The connection was cut; it is made again below.
    }
    await clock.sleep(pauseMs, signal)
  }
  return undefined
}

async function* eventsIn(body: ReadableStream<Uint8Array> | null): AsyncGenerator<RemoteEvent> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true })
    const parts = text.split("\n\n")
    text = parts.pop() ?? ""
    for (const part of parts) {
      const event = { id: field(part, "id"), type: field(part, "event"), data: field(part, "data") }
      if (event.id !== "") yield event
    }
  }
}

const field = (part: string, name: string): string =>
  part
    .split("\n")
    .filter((line) => line.startsWith(`${name}: `))
    .map((line) => line.slice(name.length + 2))
    .join("\n")
