/** A site on this machine for tests: pages over http and https, names that lead here, and what was asked for. */

import { createServer, type Socket } from "node:net"
import { type Web, openWeb, type WebLimits } from "#ground/web/fetch.ts"
import type { Resolve } from "#ground/web/resolve.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { ok } from "#lib/result.ts"
import { certificate, key } from "./certificate.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

export type Answer = (request: Request) => Response | Promise<Response>

export interface LocalSite extends Disposable {
  readonly web: Web
  /** An address on pages.test, over https. */
  readonly url: (path: string) => string
  readonly port: number
  /** Paths that were asked for, in order. */
  readonly asked: string[]
  /** Names that were looked up, in order. */
  readonly lookups: string[]
  /** The headers of each request. */
  readonly headers: Readonly<Record<string, string>>[]
}

export interface SiteOptions {
  readonly clock?: Clock
  readonly limits?: Partial<WebLimits>
  /** Where names lead; to 127.0.0.1 unless given. */
  readonly resolve?: Resolve
  readonly allows?: readonly string[]
}

/** Serves `answers` by path over https at 127.0.0.1. */
export function openSite(answers: { readonly [path: string]: Answer }, options: SiteOptions = {}): LocalSite {
  const asked: string[] = []
  const lookups: string[] = []
  const headers: Readonly<Record<string, string>>[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    tls: { key, cert: certificate },
    fetch(request) {
      const { pathname, search } = new URL(request.url)
      asked.push(pathname + search)
      headers.push(Object.fromEntries(request.headers))
      return answers[pathname]?.(request) ?? new Response("no such page", { status: 404 })
    },
  })
  const allows = options.allows ?? ["pages.test", "moving.test", "127.0.0.1"]
  const resolve: Resolve = options.resolve ?? (async () => ok(["127.0.0.1"]))
  const web = openWeb({
    clock: options.clock ?? systemClock,
    allowsPrivate: (host) => allows.includes(host),
    resolve: (host, signal) => {
      lookups.push(host)
      return resolve(host, signal)
    },
    network: directNetwork({ ca: certificate }),
    ...(options.limits && { limits: options.limits }),
  })
  const port = server.port ?? 0
  return {
    web,
    port,
    asked,
    lookups,
    headers,
    url: (path) => `https://pages.test:${port}${path}`,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

export interface RawSite extends Disposable {
  readonly port: number
  /** Resolves when a connection to it is gone. */
  readonly closed: Promise<void>
}

/** A server that says what it likes, byte by byte, over plain http. */
export function openRawSite(talk: (socket: Socket) => void): Promise<RawSite> {
  const sockets = new Set<Socket>()
  const gone = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => gone.resolve())
    socket.once("data", () => talk(socket))
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve({
        port: typeof address === "object" && address !== null ? address.port : 0,
        closed: gone.promise,
        [Symbol.dispose]() {
          for (const socket of sockets) socket.destroy()
          server.close()
        },
      })
    })
  })
}

/** A clock that stands still until it is told to go on; waiting callbacks are called when their time has come. */
export function heldClock(): Clock & { readonly advance: (ms: number) => void; readonly waiting: () => number } {
  let now = 1_000_000
  const timers = new Map<object, { readonly at: number; readonly call: () => void }>()
  return {
    now: () => now,
    sleep: () => new Promise(() => {}),
    after(ms, call) {
      const id = {}
      timers.set(id, { at: now + ms, call })
      return () => void timers.delete(id)
    },
    advance(ms) {
      now += ms
      for (const [id, { at, call }] of timers) {
        if (at > now) continue
        timers.delete(id)
        call()
      }
    },
    waiting: () => timers.size,
  }
}

export const html = (body: string, head = ""): Response =>
  new Response(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`, {
    headers: { "content-type": "text/html; charset=utf-8" },
  })

/** A signal that never aborts. */
export const patient: AbortSignal = new AbortController().signal
