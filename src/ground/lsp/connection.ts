/** JSON-RPC with a language server that is a program: requests with answers, notifications, and what the server asks of us. */

import type { Clock } from "#lib/clock.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { frameOf, type FrameListener, openFrames } from "./frames.ts"

export interface ServerProcess {
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  readonly exited: Promise<number>
  readonly write: (text: string) => boolean
  readonly endInput: () => void
  readonly signal: (signal: NodeJS.Signals) => void
  /** After it has ended: what kept it from working that it may not know itself, as a sentence. */
  readonly account?: () => string | undefined
}

export type RpcFailure =
  | { readonly kind: "closed"; readonly message: string }
  | { readonly kind: "aborted" }
  /** The server answered with an error. */
  | { readonly kind: "refused"; readonly code: number; readonly message: string }

export interface ServerHost {
  readonly onNotification: (method: string, params: JsonValue) => void
  /** Undefined if we do not know what it asks for. */
  readonly onRequest: (method: string, params: JsonValue) => JsonValue | undefined
}

export interface ServerConnection {
  readonly request: (method: string, params: JsonValue, signal: AbortSignal) => Promise<Result<JsonValue, RpcFailure>>
  readonly notify: (method: string, params: JsonValue) => void
  /** When it is over, with the reason. */
  readonly closed: Promise<string>
  readonly close: () => Promise<void>
}

/** A server that says more than this within the window is ended: reading it would keep us from everything else. */
const windowMs = 5_000
const mostMessages = 20_000
const mostBytes = 100_000_000

const politeMs = 300
const killMs = 800
const tailCharacters = 2_000
/** A request's id is sent back with the answer. */
const longestId = 1_000

export function connectServer(child: ServerProcess, host: ServerHost, clock: Clock): ServerConnection {
  const over = Promise.withResolvers<string>()
  let reason: string | undefined
  let isOver = false
  let closing: Promise<void> | undefined
  const send = (message: JsonObject): boolean => !isOver && child.write(frameOf({ jsonrpc: "2.0", ...message }))
  const requests = openRequests(send, () => reason ?? "the connection was closed")

  function end(): void {
    if (isOver) return
    isOver = true
    requests.end()
    over.resolve(reason ?? "the connection was closed")
  }

  function receive(message: JsonObject): void {
    if (isOver || closing) return
    const { id, method, params = null } = message
    if (typeof method !== "string") return requests.answered(message)
    if (id === undefined || id === null) return host.onNotification(method, params)
    if ((typeof id !== "number" && typeof id !== "string") || String(id).length > longestId) return
    const result = host.onRequest(method, params)
    send(result === undefined ? { id, error: { code: -32601, message: "Method not found" } } : { id, result })
  }

  void readProcess(child, clock, {
    onMessage: receive,
    onBroken(why) {
      reason ??= why
      child.signal("SIGKILL")
    },
  }).then((said) => {
    reason ??= said
    end()
  })

  return {
    request: requests.request,
    notify: (method, params) => void send({ method, params }),
    closed: over.promise,
    close() {
      closing ??= (async () => {
        reason ??= "it was closed"
        send({ id: "shutdown", method: "shutdown", params: null })
        send({ method: "exit", params: null })
        child.endInput()
        const cancels = [
          clock.after(politeMs, () => child.signal("SIGTERM")),
          clock.after(killMs, () => child.signal("SIGKILL")),
        ]
        await child.exited
        for (const cancel of cancels) cancel()
        end()
      })()
      return closing
    },
  }
}

interface Requests extends Pick<ServerConnection, "request"> {
  readonly answered: (message: JsonObject) => void
  /** No more answers come. */
  readonly end: () => void
}

function openRequests(send: (message: JsonObject) => boolean, reason: () => string): Requests {
  const waiting = new Map<number, (answer: Result<JsonValue, RpcFailure>) => void>()
  let last = 0
  const closed = (): Result<never, RpcFailure> => failed({ kind: "closed", message: reason() })
  return {
    async request(method, params, signal) {
      if (signal.aborted) return failed({ kind: "aborted" })
      const id = ++last
      const answer = Promise.withResolvers<Result<JsonValue, RpcFailure>>()
      waiting.set(id, answer.resolve)
      const abort = (): void => {
        if (!waiting.delete(id)) return
        send({ method: "$/cancelRequest", params: { id } })
        answer.resolve(failed({ kind: "aborted" }))
      }
      signal.addEventListener("abort", abort, { once: true })
      if (!send({ id, method, params })) {
        waiting.delete(id)
        answer.resolve(closed())
      }
      const found = await answer.promise
      signal.removeEventListener("abort", abort)
      return found
    },
    answered({ id, result = null, error }) {
      const answer = typeof id === "number" ? waiting.get(id) : undefined
      if (typeof id !== "number" || !answer) return
      waiting.delete(id)
      if (!isObject(error)) return answer(ok(result))
      const { code, message } = error
      const words = typeof message === "string" ? message.slice(0, 500) : ""
      answer(failed({ kind: "refused", code: typeof code === "number" ? code : 0, message: words }))
    },
    end() {
      for (const answer of waiting.values()) answer(closed())
      waiting.clear()
    },
  }
}

/** Reads what it prints until it ends; gives how it ended, as part of a sentence. */
async function readProcess(child: ServerProcess, clock: Clock, listener: FrameListener): Promise<string> {
  const counter = openCounter(clock)
  let isBroken = false
  const onBroken = (why: string): void => {
    isBroken = true
    listener.onBroken(why)
  }
  const frames = openFrames({
    onBroken,
    onMessage(message) {
      if (isBroken) return
      if (counter.message()) listener.onMessage(message)
      else onBroken("it sent too many messages")
    },
  })
  const reading = readAll(child.stdout, (chunk) => {
    if (isBroken) return
    if (counter.bytes(chunk.length)) frames.push(chunk)
    else onBroken("it sent too much")
  })
  let tail = ""
  const decoder = new TextDecoder()
  void readAll(child.stderr, (chunk) => {
    tail = (tail + decoder.decode(chunk, { stream: true })).slice(-tailCharacters)
  })
  const code = await child.exited
  const done = new AbortController()
  await Promise.race([reading, clock.sleep(politeMs, done.signal)])
  done.abort()
  const said = child.account?.() ?? tail.trim().split("\n").at(-1) ?? ""
  return `the program ended with code ${code}${said === "" ? "" : `: ${said.slice(0, 300)}`}`
}

/** Counts what comes within the window; false when it is too much. */
function openCounter(clock: Clock): { readonly message: () => boolean; readonly bytes: (count: number) => boolean } {
  let since = clock.now()
  let messages = 0
  let bytes = 0
  const renew = (): void => {
    const now = clock.now()
    if (now >= since && now - since < windowMs) return
    since = now
    messages = 0
    bytes = 0
  }
  return {
    message() {
      renew()
      return ++messages <= mostMessages
    },
    bytes(count) {
      renew()
      bytes += count
      return bytes <= mostBytes
    },
  }
}

async function readAll(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  try {
    for await (const chunk of stream) onChunk(chunk)
  } catch {
    // The end of the program tells what there is to tell.
  }
}
