/** The proxy as tests use it: its unix socket, a port of loopback that leads there, and names that lead where the test says. */

import { createConnection, createServer, type Server, type Socket } from "node:net"
import type { ConnectionWish, GateOptions, Resolve } from "#ground/sandbox/network/gate.ts"
import { judgeBy, openProxy, type Proxy } from "#ground/sandbox/network/proxy.ts"
import type { Service } from "#ground/sandbox/network/service.ts"
import type { NetworkPolicy } from "#ground/sandbox/policy.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { failed, ok } from "#lib/result.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"

export interface Behind extends AsyncDisposable {
  readonly proxy: Proxy
  /** A port of loopback, for programs that cannot go to a unix socket. */
  readonly port: number
  /** What was asked of the person. */
  readonly asked: ConnectionWish[]
  /** Sends bytes, then reads until the other end is done. */
  readonly exchange: (...parts: readonly (string | Uint8Array)[]) => Promise<string>
  readonly dial: () => Promise<Dialled>
}

export interface BehindOptions {
  readonly allowed?: readonly string[]
  readonly denied?: readonly string[]
  readonly names?: { readonly [name: string]: readonly string[] }
  readonly ask?: (wish: ConnectionWish, signal: AbortSignal) => Promise<"allow" | "deny">
  readonly clock?: Clock
  readonly credentials?: Service["credentials"]
  /** In place of the addresses of this machine. */
  readonly isOwn?: (address: string) => boolean
  readonly resolve?: Resolve
  readonly upstream?: GateOptions["upstream"]
  readonly reached?: GateOptions["reached"]
}

export async function openBehind({
  allowed = [],
  denied = [],
  names = {},
  ask,
  clock = systemClock,
  credentials,
  isOwn,
  resolve,
  upstream,
  reached,
}: BehindOptions): Promise<Behind> {
  const folder = temporaryFolder()
  const socket = folder.join("net", "proxy.sock")
  const asked: ConnectionWish[] = []
  const lines = (hosts: readonly string[]) => hosts.map((host) => ({ host, because: "the test says so" }))
  const policy: NetworkPolicy = {
    mode: "domains",
    allowed: lines(allowed),
    denied: lines(denied),
    others: ask ? "ask" : "deny",
    unixSockets: [],
  }
  const judged = judgeBy(
    () => policy,
    async (wish, signal) => {
      asked.push(wish)
      return ask?.(wish, signal) ?? "deny"
    },
    isOwn,
  )
  const opened = openProxy({
    socket,
    ...judged,
    clock,
    upstream,
    reached,
    ...(credentials && { credentials }),
    resolve: resolve ?? (async (host) => (names[host] ? ok(names[host]) : failed("no such name"))),
  })
  if (!opened.ok) throw new Error(opened.failure)
  const bridge = await listening(
    createServer({ allowHalfOpen: true }, (near) => {
      const far = createConnection({ path: socket, allowHalfOpen: true })
      for (const end of [near, far]) end.on("error", () => void (near.destroy(), far.destroy()))
      near.pipe(far)
      far.pipe(near)
    }),
  )
  const dial = (): Promise<Dialled> => dialled(createConnection({ path: socket, allowHalfOpen: true }))
  return {
    proxy: opened.value,
    port: portOf(bridge),
    asked,
    dial,
    async exchange(...parts) {
      const line = await dial()
      for (const part of parts) line.send(part)
      const text = await line.rest()
      line.close()
      return text
    },
    async [Symbol.asyncDispose]() {
      opened.value.close()
      bridge.close()
      folder[Symbol.dispose]()
    },
  }
}

/** A connection of the test's own. */
export interface Dialled {
  readonly send: (bytes: string | Uint8Array) => void
  /** Reads until the text contains this, and gives all that came since the last time. */
  readonly until: (mark: string) => Promise<string>
  readonly rest: () => Promise<string>
  readonly shut: () => void
  readonly close: () => void
}

function dialled(socket: Socket): Promise<Dialled> {
  let held = ""
  let isOver = false
  let wake: (() => void) | undefined
  socket.on("data", (bytes: Buffer) => {
    held += bytes.toString("latin1")
    wake?.()
  })
  const over = (): void => {
    isOver = true
    wake?.()
  }
  socket.on("end", over).on("close", over).on("error", over)
  const take = async (isEnough: () => boolean): Promise<string> => {
    while (!isOver && !isEnough()) await new Promise<void>((resolve) => (wake = resolve))
    const text = held
    held = ""
    return text
  }
  return new Promise((resolve) =>
    socket.once("connect", () =>
      resolve({
        send: (bytes) => void socket.write(bytes),
        until: (mark) => take(() => held.includes(mark)),
        rest: () => take(() => false),
        shut: () => void socket.end(),
        close: () => void socket.destroy(),
      }),
    ),
  )
}

export async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("not listening")
  return address.port
}

/** A server that answers every connection with what it got, and tells how many it had. */
export async function openEcho(): Promise<{ readonly port: number; readonly seen: () => number } & Disposable> {
  let seen = 0
  const server = await listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      seen++
      socket.on("error", () => socket.destroy())
      socket.pipe(socket)
    }),
  )
  return { port: portOf(server), seen: () => seen, [Symbol.dispose]: () => void server.close() }
}

/** The first message of a TLS client that names a server, in records of at most so many bytes. */
export function clientHello(name: string | undefined, recordBytes = 16_384): Buffer {
  const sized = (width: number, body: Buffer): Buffer => {
    const length = Buffer.alloc(width)
    length.writeUIntBE(body.length, 0, width)
    return Buffer.concat([length, body])
  }
  const named = sized(2, Buffer.concat([Buffer.from([0]), sized(2, Buffer.from(name ?? "", "latin1"))]))
  const other = Buffer.concat([Buffer.from([0, 0x17]), sized(2, Buffer.alloc(0))])
  const extensions = name === undefined ? other : Buffer.concat([other, Buffer.from([0, 0]), sized(2, named)])
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    sized(1, Buffer.alloc(32)),
    sized(2, Buffer.from([0x13, 1])),
    sized(1, Buffer.from([0])),
    sized(2, extensions),
  ])
  const message = Buffer.concat([Buffer.from([1]), sized(3, body)])
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += recordBytes)
    records.push(Buffer.concat([Buffer.from([0x16, 3, 1]), sized(2, message.subarray(at, at + recordBytes))]))
  return Buffer.concat(records)
}
