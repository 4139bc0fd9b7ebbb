/** A connection to an editor: MCP over a WebSocket on this machine, as editor extensions offer it. */

import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import type { FoundEditor } from "./lock-files.ts"

export interface EditorConnection {
  /** The texts that a tool of the editor returns. The failure is a phrase for the user. */
  readonly call: (tool: string, input: JsonObject, signal: AbortSignal) => Promise<Result<readonly string[], string>>
  /** Settles when it is over, whoever ended it. */
  readonly closed: Promise<void>
  readonly close: () => void
}

export interface ConnectionParts {
  /** A WebSocket to this machine. */
  readonly openSocket: (
    port: number,
    how: { readonly headers: { readonly [name: string]: string }; readonly protocols: readonly string[] },
  ) => WebSocket
  readonly clock: Clock
  readonly onNotification: (method: string, params: JsonValue | undefined) => void
}

const tokenHeader = "x-claude-code-ide-authorization"
const patienceMs = 3_000
/** A file with a proposed change comes back whole. */
const mostCharacters = 32_000_000
const methodNotFound = -32_601

export async function connectEditor(
  { port, token }: Pick<FoundEditor, "port" | "token">,
  parts: ConnectionParts,
): Promise<Result<EditorConnection, string>> {
  const opened = deferred<Result<void, string>>()
  const closed = deferred<void>()
  const waiting = new Map<number, (answer: Result<JsonValue, string>) => void>()
  let calls = 0
  const socket = parts.openSocket(port, { headers: { [tokenHeader]: token }, protocols: ["mcp"] })
  const send = (message: JsonObject): void => void socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }))
  socket.addEventListener("open", () => opened.resolve(ok(undefined)))
  socket.addEventListener("error", () => opened.resolve(failed("it refused the connection")))
  socket.addEventListener("close", () => {
    opened.resolve(failed("it refused the connection"))
    for (const settle of waiting.values()) settle(failed("the editor closed the connection"))
    waiting.clear()
    closed.resolve()
  })
  socket.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== "string") return
    if (data.length > mostCharacters) return socket.close()
    const message = objectIn(data)
    if (message) onMessage(message)
  })

  function onMessage({ id, method, params, result, error }: JsonObject): void {
    if (typeof method === "string") {
      if (id === undefined || id === null) return parts.onNotification(method, params)
      return send(method === "ping" ? { id, result: {} } : { id, error: { code: methodNotFound, message: "no" } })
    }
    const settle = typeof id === "number" ? waiting.get(id) : undefined
    if (settle === undefined || typeof id !== "number") return
    waiting.delete(id)
    if (error !== undefined) return settle(failed(errorWords(error)))
    settle(ok(result ?? null))
  }

  async function request(method: string, params: JsonObject, signal: AbortSignal): Promise<Result<JsonValue, string>> {
    if (socket.readyState !== WebSocket.OPEN) return failed("the editor closed the connection")
    if (signal.aborted) return failed("it was canceled")
    const id = ++calls
    const answer = deferred<Result<JsonValue, string>>()
    const onAbort = (): void => answer.resolve(failed("it was canceled"))
    waiting.set(id, answer.resolve)
    signal.addEventListener("abort", onAbort, { once: true })
    send({ id, method, params })
    const answered = await answer.promise
    signal.removeEventListener("abort", onAbort)
    waiting.delete(id)
    return answered
  }

  /** What does not begin in time is given up, so that a hung editor delays nothing. */
  async function begin(): Promise<Result<void, string>> {
    const over = new AbortController()
    const cancel = parts.clock.after(patienceMs, () => {
      opened.resolve(failed("it does not answer"))
      over.abort()
    })
    const open = await opened.promise
    const greeted = open.ok ? await request("initialize", greeting, over.signal) : open
    cancel()
    if (!greeted.ok) return over.signal.aborted ? failed("it does not answer") : greeted
    send({ method: "notifications/initialized" })
    send({ method: "ide_connected", params: { pid: process.pid } })
    return ok(undefined)
  }

  const begun = await begin()
  if (!begun.ok) {
    socket.close()
    return begun
  }
  return ok({
    async call(tool, input, signal) {
      const answered = await request("tools/call", { name: tool, arguments: input }, signal)
      return answered.ok ? textsIn(answered.value) : answered
    },
    closed: closed.promise,
    close: () => socket.close(),
  })
}

const greeting: JsonObject = {
  protocolVersion: "2025-03-26",
  capabilities: {},
  clientInfo: { name: "codewright", version },
}

function textsIn(result: JsonValue): Result<readonly string[], string> {
  const content = isObject(result) && Array.isArray(result.content) ? result.content : []
  const texts = content.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []))
  return isObject(result) && result.isError === true ? failed(phrase(texts.join(" "))) : ok(texts)
}

const errorWords = (error: JsonValue): string => {
  const { message, data } = isObject(error) ? error : {}
  return phrase([message, data].filter((part) => typeof part === "string").join(": "))
}

const mostPhrase = 200

const phrase = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim().slice(0, mostPhrase).toWellFormed()
  return line === "" ? "the editor reported an error" : line
}
