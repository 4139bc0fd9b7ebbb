/** A connection that is read on demand and written as fast as the other end accepts. */

import { failed, ok, type Result } from "#lib/result.ts"
import { codeOf } from "#lib/error-code.ts"

export interface Wire {
  /** Undefined at the end of the stream, when the connection is gone, or when the signal aborts. */
  readonly read: (signal?: AbortSignal) => Promise<Uint8Array | undefined>
  readonly unread: (bytes: Uint8Array) => void
  /** Resolves when everything is handed to the system; false when the connection is gone. One writer at a time. */
  readonly write: (bytes: Uint8Array) => Promise<boolean>
  /** Ends the writing direction; the other stays open. */
  readonly shut: () => void
  /** Closes both directions at once. What was written still arrives. */
  readonly end: () => void
  /** Closes both directions and signals an error to the other end. */
  readonly destroy: () => void
  readonly isClosed: () => boolean
  /**
   * Speaks TLS with the server at the other end, whose certificate must be for this host. Use the result from then on.
   */
  readonly secure: (expected: ExpectedServer, signal: AbortSignal) => Promise<Result<Wire, string>>
  /** Calls back once when the other end will send no more, at once if that is already so; returns how to cancel. */
  readonly whenLeft: (callback: () => void) => () => void
}

export interface ExpectedServer {
  readonly host: string
  /** Certificates of the authorities that count. */
  readonly roots: readonly string[]
}

/** No more than this is taken from the system before it is read. */
const mostHeld = 65_536

interface SocketState {
  readonly data: (bytes: Uint8Array) => void
  readonly drained: () => void
  readonly ended: () => void
  readonly closed: () => void
}

/** Shared by all connections, each with its own state. */
const handlers: Bun.SocketHandler<SocketState> = {
  data: ({ data }, bytes) => data.data(bytes),
  drain: ({ data }) => data.drained(),
  end: ({ data }) => data.ended(),
  close: ({ data }) => data.closed(),
  error: ({ data }) => data.closed(),
}

export interface Listening {
  readonly close: () => void
}

/** With a key and a certificate, both as PEM, clients must speak TLS. */
export function listen(
  path: string,
  serve: (wire: Wire) => void,
  tls?: { readonly key: string; readonly cert: string },
): Result<Listening, string> {
  try {
    const server = Bun.listen<SocketState>({
      unix: path,
      ...(tls && { tls }),
      allowHalfOpen: true,
      // Replaced as soon as the connection is there.
      data: asleep,
      socket: {
        ...handlers,
        open(socket) {
          const { wire, state } = openWire(socket)
          socket.data = state
          serve(wire)
        },
      },
    })
    return ok({ close: () => server.stop(false) })
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

export const connect = (address: string, port: number, signal: AbortSignal): Promise<Result<Wire, string>> =>
  connectTo({ hostname: address, port }, signal)

/** The failure is the system's code, or why it was given up. */
export async function connectTo(
  where: { readonly hostname: string; readonly port: number } | { readonly unix: string },
  signal: AbortSignal,
): Promise<Result<Wire, string>> {
  const { promise, resolve } = Promise.withResolvers<Result<Wire, string>>()
  const giveUp = (): void => resolve(failed("ETIMEDOUT"))
  if (signal.aborted) return failed("ETIMEDOUT")
  signal.addEventListener("abort", giveUp, { once: true })
  const socket: Bun.SocketHandler<SocketState> = {
    ...handlers,
    open(opened) {
      // It cannot be called back while it is being made.
      if (signal.aborted) return void opened.terminate()
      const { wire, state } = openWire(opened)
      opened.data = state
      resolve(ok(wire))
    },
    connectError: (_socket, error) => resolve(failed(reasonOf(error))),
  }
  const options = { allowHalfOpen: true, data: asleep, socket }
  const connecting = "unix" in where ? Bun.connect({ ...options, ...where }) : Bun.connect({ ...options, ...where })
  connecting.catch((error: unknown) => resolve(failed(reasonOf(error))))
  const connected = await promise
  signal.removeEventListener("abort", giveUp)
  return connected
}

const reasonOf = (error: unknown): string => codeOf(error) || (error instanceof Error ? error.message : String(error))

const asleep: SocketState = { data: () => {}, drained: () => {}, ended: () => {}, closed: () => {} }

function openWire(socket: Bun.Socket<SocketState>): { readonly wire: Wire; readonly state: SocketState } {
  const queue: Uint8Array[] = []
  let heldBytes = 0
  let isPaused = false
  let isEnded = false
  let isClosed = false
  /** What comes from then on is encrypted, and for another wire. */
  let isHandedOver = false
  let wakeReader: (() => void) | undefined
  let wakeWriter: (() => void) | undefined
  const leavers = new Set<() => void>()

  function left(): void {
    isEnded = true
    wakeReader?.()
    for (const callback of leavers) callback()
    leavers.clear()
  }

  function dequeue(): Uint8Array | undefined {
    const bytes = queue.shift()
    heldBytes -= bytes?.length ?? 0
    if (isPaused && heldBytes === 0 && !isClosed) {
      isPaused = false
      socket.resume()
    }
    return bytes
  }

  function close(how: () => unknown): void {
    if (isClosed) return
    isClosed = true
    queue.length = 0
    heldBytes = 0
    how()
    wakeWriter?.()
    left()
  }

  const state: SocketState = {
    data(bytes) {
      if (isClosed || isHandedOver) return
      queue.push(bytes)
      heldBytes += bytes.length
      if (heldBytes >= mostHeld && !isPaused) {
        isPaused = true
        socket.pause()
      }
      wakeReader?.()
    },
    drained: () => wakeWriter?.(),
    ended: left,
    closed() {
      isClosed = true
      wakeWriter?.()
      left()
    },
  }

  const wire: Wire = {
    async read(signal) {
      while (queue.length === 0 && !isEnded && !signal?.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const wake = (): void => resolve()
        wakeReader = wake
        signal?.addEventListener("abort", wake)
        await promise
        signal?.removeEventListener("abort", wake)
        // Another reader may wait by now.
        if (wakeReader === wake) wakeReader = undefined
      }
      return signal?.aborted ? undefined : dequeue()
    },
    unread(bytes) {
      if (bytes.length === 0) return
      queue.unshift(bytes)
      heldBytes += bytes.length
    },
    async write(bytes) {
      let rest = bytes
      while (rest.length > 0 && !isClosed) {
        const taken = socket.write(rest)
        if (taken < 0) return false
        rest = rest.subarray(taken)
        if (rest.length === 0) return true
        await new Promise<void>((resolve) => {
          wakeWriter = resolve
        })
        wakeWriter = undefined
      }
      return !isClosed
    },
    shut: () => void (isClosed || socket.shutdown()),
    end: () => close(() => socket.end()),
    destroy: () => close(() => socket.terminate()),
    isClosed: () => isClosed,
    secure(expected, signal) {
      if (isClosed || isEnded || queue.length > 0) return Promise.resolve(failed("the server closed the connection"))
      isHandedOver = true
      return secured(socket, expected, signal)
    },
    whenLeft(callback) {
      if (isEnded) callback()
      else leavers.add(callback)
      return () => void leavers.delete(callback)
    },
  }
  return { wire, state }
}

async function secured(
  socket: Bun.Socket<SocketState>,
  { host, roots }: ExpectedServer,
  signal: AbortSignal,
): Promise<Result<Wire, string>> {
  const { promise, resolve } = Promise.withResolvers<Result<Wire, string>>()
  const giveUp = (): void => resolve(failed("the server does not answer"))
  if (signal.aborted) giveUp()
  signal.addEventListener("abort", giveUp, { once: true })
  const [, encrypted] = socket.upgradeTLS<SocketState>({
    data: { ...asleep, closed: () => resolve(failed("the server closed the connection")) },
    tls: { serverName: host, ca: [...roots], rejectUnauthorized: true },
    socket: {
      ...handlers,
      handshake(opened, isTrusted, error) {
        if (!isTrusted || error) return resolve(failed(error?.message ?? "its certificate is not trusted"))
        const { wire, state } = openWire(opened)
        opened.data = state
        resolve(ok(wire))
      },
    },
  })
  const result = await promise
  signal.removeEventListener("abort", giveUp)
  if (!result.ok) {
    encrypted.terminate()
    socket.terminate()
  }
  return result
}
