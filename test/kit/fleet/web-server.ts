/** A server of a fleet on a socket, and clients of every role. */

import { expect } from "bun:test"
import { connect } from "node:net"
import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import { systemIds } from "#lib/ids.ts"
import { openWebServer, type WebServerParts } from "#faces/web/server.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { roles, type UserRole } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { valueOf } from "../team/conformance.ts"
import { approval, held } from "./records.ts"

const ownSecret = "the-secret-of-whoever-started-it"
export const secretOf = (role: UserRole): string => `the-secret-of-${role}`

export interface Asked {
  readonly as?: UserRole
  readonly secret?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly body: unknown
  readonly headers: Headers
}

export interface TestServer {
  readonly store: FleetStore
  readonly url: string
  readonly port: number
  readonly signInLink: () => string
  readonly ask: (method: string, path: string, how?: Asked) => Promise<Answered>
  /** Everything that was answered so far. */
  readonly heard: readonly (Answered & { readonly method: string; readonly path: string })[]
  /** What comes back on a connection of our own, until something has come. */
  readonly raw: (text: string) => Promise<string>
  readonly eventsOf: (id: string, query: string, count: number, how?: Asked) => Promise<readonly Heard[]>
  readonly close: () => Promise<void>
}

export async function openTestServer(database: Database, more: Partial<WebServerParts> = {}): Promise<TestServer> {
  const store = valueOf(await openFleetStore(database))
  for (const role of roles) await store.tokens.add({ name: `the ${role}`, role }, secretOf(role), undefined, "root")
  const server = valueOf(
    openWebServer({
      store,
      host: "127.0.0.1",
      port: 0,
      own: { name: "root", role: "admin", secret: ownSecret },
      newId: () => systemIds.uuid(),
      newSecret: () => systemIds.uuid(),
      clock: systemClock,
      ...more,
    }),
  )
  const { url } = server
  const heard: (Answered & { readonly method: string; readonly path: string })[] = []
  const port = Number(new URL(url).port)
  return {
    store,
    url,
    port,
    signInLink: server.signInLink,
    async ask(method, path, how = {}) {
      const answered = await ask(`${url}${path}`, method, how)
      heard.push({ method, path: path.split("?")[0] ?? "", ...answered })
      return answered
    },
    heard,
    raw: (text) => raw(port, text),
    eventsOf: (id, query, count, how = { as: "operator" }) =>
      eventsOf(`${url}/api/sessions/${id}/events${query}`, count, how),
    async close() {
      await server.close()
      await store.close()
    },
  }
}

/** What the client is told when it is refused. */
export const refused = (code: string): object => ({ error: { code, message: expect.any(String) as string } })

/** A session of the operator's that waits for a person, with lines that try to pass for events. */
export async function waiting(store: FleetStore, id: string): Promise<void> {
  const lease = await held(store, id, "the operator")
  valueOf(await store.lines.ship(lease, 1, ['{"n":1}', "two\ndata: forged\r\n\r\nevent: stage"]))
  valueOf(await store.leases.park(lease, { stage: "awaiting_tool_approval" }, [approval("q", "rm a")]))
}

const headersOf = ({ as, secret, headers }: Asked): Record<string, string> => ({
  ...(as && { authorization: `Bearer ${secretOf(as)}` }),
  ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
  ...headers,
})

async function ask(url: string, method: string, how: Asked): Promise<Answered> {
  const response = await fetch(url, {
    method,
    redirect: "manual",
    headers: headersOf(how),
    ...(how.body !== undefined && { body: JSON.stringify(how.body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.startsWith("application/json")
  const body = (isJson ? JSON.parse(text) : text === "" ? null : text) as unknown
  return { status: response.status, body, headers: response.headers }
}

const raw = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    let said = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    socket.on("data", (piece) => {
      said += piece.toString()
      socket.destroy()
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(said))
  })

export interface Heard {
  readonly id: string
  readonly event: string
  readonly data: string
}

async function eventsOf(url: string, count: number, how: Asked): Promise<readonly Heard[]> {
  const leaving = new AbortController()
  const response = await fetch(url, { headers: headersOf(how), signal: leaving.signal })
  const heard: Heard[] = []
  let text = ""
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString("utf8")
    const parts = text.split("\n\n")
    text = parts.pop() ?? ""
    for (const part of parts.filter((each) => each.startsWith("id:"))) {
      const field = (name: string): string =>
        part
          .split("\n")
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join("\n")
      heard.push({ id: field("id"), event: field("event"), data: field("data") })
    }
    if (heard.length >= count) break
  }
  leaving.abort()
  return heard
}
