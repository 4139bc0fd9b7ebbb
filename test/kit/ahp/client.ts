/** A client of the Agent Host Protocol: it keeps what it gets, and checks all of it against the protocol. */

import { isObject, type JsonObject } from "#lib/json.ts"
import { problemIn } from "./shapes.ts"

export interface TestClient {
  /** The result, or the error. */
  readonly ask: (method: string, params?: JsonObject) => Promise<JsonObject>
  readonly dispatch: (channel: string, action: JsonObject) => void
  readonly send: (text: string) => void
  /** Notifications so far, oldest first. */
  readonly heard: readonly JsonObject[]
  /** Actions so far, with what their envelope says. */
  readonly actions: () => readonly JsonObject[]
  readonly until: (what: (heard: readonly JsonObject[]) => boolean) => Promise<void>
  /** The code with which the server closed it. */
  readonly closed: Promise<number>
  readonly close: () => void
}

export async function connectClient(url: string, headers: Readonly<Record<string, string>> = {}): Promise<TestClient> {
  const socket = new WebSocket(url, { headers } as never)
  const heard: JsonObject[] = []
  const asked = new Map<number, { readonly method: string; readonly resolve: (answer: JsonObject) => void }>()
  const watchers = new Set<() => void>()
  const problems: string[] = []
  let [count, clientSeq] = [0, 0]
  const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)))
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as JsonObject
    const waiting = typeof message["id"] === "number" ? asked.get(message["id"]) : undefined
    const problem = problemIn(message, waiting?.method)
    if (problem !== undefined) problems.push(problem)
    const { result, error } = message
    if (waiting) waiting.resolve(isObject(error) ? { error } : isObject(result) ? result : { result: result ?? null })
    else heard.push(message)
    for (const look of watchers) look()
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve())
    socket.addEventListener("close", () => reject(new Error("refused")))
  })
  const send = (message: JsonObject): void => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }))
  return {
    heard,
    closed,
    actions: () => heard.flatMap(({ method, params }) => (method === "action" && isObject(params) ? [params] : [])),
    send: (text) => socket.send(text),
    ask: (method, params = {}) =>
      new Promise((resolve) => {
        const id = ++count
        asked.set(id, { method, resolve })
        send({ id, method, params })
      }),
    dispatch: (channel, action) =>
      send({ method: "dispatchAction", params: { channel, clientSeq: ++clientSeq, action } }),
    until: (what) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (problems.length > 0) reject(new Error(problems.join("\n")))
          if (what(heard)) {
            watchers.delete(look)
            resolve()
          }
        }
        watchers.add(look)
        look()
      }),
    close() {
      socket.close()
      if (problems.length > 0) throw new Error(problems.join("\n"))
    },
  }
}
