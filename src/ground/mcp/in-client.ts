/** Talks to servers that run inside the client: each of our messages is a request to it, answered by request and never by id. */

import type { Transport } from "@modelcontextprotocol/client"
import type { Client } from "#agent/words/client.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { Incoming } from "./stdio.ts"

export interface ClientServers {
  /** Another transport of the same server takes over its messages. */
  readonly open: (server: string) => Transport
  /** What a server says by itself; false if nobody listens to it. */
  readonly receive: (server: string, message: JsonObject) => boolean
}

type Outgoing = Parameters<Transport["send"]>[0]

export function openClientServers(pass: Client["mcpMessage"]): ClientServers {
  const open = new Map<string, Transport>()
  return {
    open(server) {
      const transport = openTransport((message, signal) => pass(server, message, signal), {
        onClose: () => open.get(server) === transport && open.delete(server),
      })
      open.set(server, transport)
      return transport
    },
    receive(server, message) {
      const transport = open.get(server)
      if (!transport?.onmessage || message.jsonrpc !== "2.0" || typeof message.method !== "string") return false
      transport.onmessage(message as unknown as Incoming)
      return true
    },
  }
}

function openTransport(
  pass: (message: JsonObject, signal: AbortSignal) => Promise<JsonObject>,
  { onClose }: { readonly onClose: () => void },
): Transport {
  const life = new AbortController()
  const waiting = new Map<string | number, AbortController>()

  function cancel({ method, params }: JsonObject): void {
    if (method === "notifications/cancelled" && isObject(params) && isId(params.requestId))
      waiting.get(params.requestId)?.abort()
  }

  /** Undefined if nobody waits for the answer any more. */
  async function answered(message: JsonObject, id: string | number): Promise<Incoming | undefined> {
    const over = new AbortController()
    waiting.set(id, over)
    const signal = AbortSignal.any([life.signal, over.signal])
    const answer = await pass(message, signal).then(answerIn, (error: unknown) => refusal(wordsOf(error)))
    waiting.delete(id)
    return signal.aborted ? undefined : ({ jsonrpc: "2.0", id, ...answer } as unknown as Incoming)
  }

  const transport: Transport = {
    start: () => Promise.resolve(),
    send(outgoing: Outgoing) {
      if (life.signal.aborted) throw Object.assign(new Error("it was closed"), { code: "CONNECTION_CLOSED" })
      const message = outgoing as unknown as JsonObject
      const { id, method } = message
      if (method !== undefined && isId(id))
        void answered(message, id).then((answer) => answer && transport.onmessage?.(answer))
      else {
        cancel(message)
        // What comes back means nothing: a dummy answer may even have the id of a request.
        void pass(message, life.signal).catch(() => {})
      }
      return Promise.resolve()
    },
    close() {
      if (life.signal.aborted) return Promise.resolve()
      life.abort()
      onClose()
      transport.onclose?.()
      return Promise.resolve()
    },
  }
  return transport
}

const isId = (value: JsonValue | undefined): value is string | number =>
  typeof value === "string" || typeof value === "number"

function answerIn({ result, error }: JsonObject): JsonObject {
  if (isObject(error)) return { error }
  return result === undefined ? refusal("The client's answer has neither a result nor an error.") : { result }
}

const refusal = (message: string): JsonObject => ({ error: { code: internalError, message } })
const internalError = -32_603

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
