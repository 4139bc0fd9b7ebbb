/** JSON-RPC over lines, both ways: requests and their answers, notifications, and cancellation of one request. */

import type { InputLine } from "./input-lines.ts"
import { isObject, type JsonObject, type JsonValue } from "./json.ts"
import { optional } from "./optional.ts"
import { failed, ok, type Result } from "./result.ts"

export type RequestId = string | number

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: JsonValue
}

export const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
  cancelled: -32800,
} as const

export const rpcError = (code: keyof typeof codes, message: string): RpcError => ({ code: codes[code], message })
export const refuse = (code: keyof typeof codes, message: string): Result<never, RpcError> =>
  failed(rpcError(code, message))

/** A request from the client. `signal`: the client has withdrawn it. */
export interface IncomingCall {
  readonly id: RequestId
  readonly params: JsonObject
  readonly signal: AbortSignal
}

/** `afterwards` runs once the answer is sent. */
export interface CallAnswer {
  readonly result: JsonObject | null
  readonly afterwards?: () => void
}

export interface RpcMethods {
  readonly requests: { readonly [method: string]: (call: IncomingCall) => Promise<Result<CallAnswer, RpcError>> }
  readonly notifications: { readonly [method: string]: (params: JsonObject) => void }
}

export interface Rpc {
  readonly notify: (method: string, params: JsonObject) => void
  /** Asks the client. The signal withdraws the request. `id`: names it, unless a request with that id is open. */
  readonly request: (
    method: string,
    params: JsonObject,
    how: { readonly signal: AbortSignal; readonly id?: string },
  ) => Promise<Result<JsonObject, RpcError>>
  readonly receive: (line: InputLine, methods: RpcMethods) => void
  /** Nobody is left to answer. */
  readonly end: () => void
}

export interface RpcService {
  readonly input: AsyncIterable<InputLine>
  readonly methods: RpcMethods
  readonly close: () => Promise<void>
  readonly written: () => Promise<void>
  readonly stop: AbortSignal
}

/** Resolves when the client has closed its end or `stop` aborts, and nothing is left open. */
export async function serveRpc(rpc: Rpc, { input, methods, close, written, stop }: RpcService): Promise<void> {
  const stopped = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }))
  const read = (async () => {
    for await (const line of input) rpc.receive(line, methods)
  })()
  await Promise.race([read.catch(() => {}), stopped])
  // Whoever only closed its input still gets its answers.
  await close()
  rpc.end()
  await written()
}

/** How either side withdraws a request: the method that names it, and whether a withdrawn one is still answered. */
export interface Withdrawing {
  readonly method: string
  readonly answers: "also withdrawn" | "only wanted"
}

export function openRpc(send: (text: string) => void, withdrawing: Withdrawing): Rpc {
  const sent = new Map<RequestId, (answer: Result<JsonObject, RpcError>) => void>()
  const under = new Map<RequestId, AbortController>()
  let count = 0
  let isOver = false

  const write = (message: JsonObject & { readonly jsonrpc: "2.0" }): void => {
    if (!isOver) send(`${JSON.stringify(message)}\n`)
  }
  const fail = (id: RequestId | null, error: RpcError): void => write({ jsonrpc, id, error: { ...error } })

  async function serve(id: RequestId, method: string, params: JsonObject, methods: RpcMethods): Promise<void> {
    const run = Object.hasOwn(methods.requests, method) ? methods.requests[method] : undefined
    if (!run) return fail(id, rpcError("method", `Unknown method: ${method}`))
    if (under.has(id)) return fail(id, rpcError("request", `A request with the id ${String(id)} is still open.`))
    const withdrawn = new AbortController()
    under.set(id, withdrawn)
    const came = await run({ id, params, signal: withdrawn.signal }).catch((error: unknown) =>
      refuse("internal", `Codewright failed because of a bug: ${String(error)}`),
    )
    under.delete(id)
    if (withdrawn.signal.aborted && withdrawing.answers === "only wanted") return
    if (!came.ok) return fail(id, came.failure)
    write({ jsonrpc, id, result: came.value.result })
    came.value.afterwards?.()
  }

  function receiveMessage(message: JsonValue | undefined, methods: RpcMethods): void {
    if (!isObject(message)) return fail(null, rpcError("request", "Send one JSON-RPC message a line."))
    const { id, method, params } = message
    const namedParams = isObject(params) ? params : {}
    if (typeof method === "string") {
      if (typeof id === "string" || typeof id === "number") return void serve(id, method, namedParams, methods)
      if (id !== undefined) return fail(null, rpcError("request", "The id of a request is a string or a number."))
      if (method === withdrawing.method) return cancel(namedParams)
      // A notification that nobody knows is no fault of its sender.
      return Object.hasOwn(methods.notifications, method) ? methods.notifications[method]?.(namedParams) : undefined
    }
    const settle = typeof id === "string" || typeof id === "number" ? sent.get(id) : undefined
    if (settle) return settle(answerIn(message))
    if (id === undefined) fail(null, rpcError("request", "The message has neither a method nor an id."))
  }

  function cancel({ requestId }: JsonObject): void {
    if (typeof requestId === "string" || typeof requestId === "number") under.get(requestId)?.abort()
  }

  return {
    notify: (method, params) => write({ jsonrpc, method, params }),
    request(method, params, { signal, id: wanted }) {
      if (isOver || signal.aborted) return Promise.resolve(refuse("cancelled", "The request was withdrawn."))
      const id = wanted === undefined || sent.has(wanted) ? ++count : wanted
      return new Promise((resolve) => {
        const answered = new AbortController()
        const settle = (answer: Result<JsonObject, RpcError>): void => {
          sent.delete(id)
          answered.abort()
          resolve(answer)
        }
        const withdraw = (): void => {
          write({ jsonrpc, method: withdrawing.method, params: { requestId: id } })
          settle(refuse("cancelled", "The request was withdrawn."))
        }
        sent.set(id, settle)
        signal.addEventListener("abort", withdraw, { signal: answered.signal })
        write({ jsonrpc, id, method, params })
      })
    },
    receive(line, methods) {
      if (line.kind !== "line") return fail(null, rpcError("parse", lineWords[line.kind]))
      const parsed = parse(line.text)
      if (!parsed.ok) return fail(null, rpcError("parse", "The line is not JSON."))
      receiveMessage(parsed.value, methods)
    },
    end() {
      isOver = true
      for (const settle of sent.values()) settle(refuse("cancelled", "The client is gone."))
      for (const withdrawn of under.values()) withdrawn.abort()
    },
  }
}

const jsonrpc = "2.0"

const lineWords = {
  too_long: "The line is too long: more than 32 MB.",
  not_utf8: "The line is not UTF-8.",
} as const

function answerIn({ result, error }: JsonObject): Result<JsonObject, RpcError> {
  if (!isObject(error)) return ok(isObject(result) ? result : {})
  const { code, message, data } = error
  return failed({
    code: typeof code === "number" ? code : codes.internal,
    message: typeof message === "string" ? message : "The client gave no reason.",
    ...optional("data", data),
  })
}

function parse(text: string): Result<JsonValue, void> {
  try {
    return ok(JSON.parse(text) as JsonValue)
  } catch {
    return failed(undefined)
  }
}
