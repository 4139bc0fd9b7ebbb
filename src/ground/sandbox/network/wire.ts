/** A connection that is read on demand and written as fast as the other end accepts. */

import { failed, ok, type Result } from "#lib/result.ts"

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
  /** Calls back once when the other end will send no more, at once if that is already so; returns how to cancel. */
  readonly whenLeft: (callback: () => void) => () => void
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

export function listen(path: string, serve: (wire: Wire) => void): Result<Listening, string> {
  try {
    const server = Bun.listen<SocketState>({
      unix: path,
      allowHalfOpen: true,
      // Replaced as soon as the connection is there.
      data: asleep,
      socket: {
        ...handlers,
        open(socket) {
          const { wire, held } = openWire(socket)
          socket.data = held
          serve(wire)
        },
      },
    })
    return ok({ close: () => server.stop(false) })
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

/** The failure is the system's code, or why it was given up. */
export async function connect(address: string, port: number, signal: AbortSignal): Promise<Result<Wire, string>> {
  const { promise, resolve } = Promise.withResolvers<Result<Wire, string>>()
  const giveUp = (): void => resolve(failed("ETIMEDOUT"))
  if (signal.aborted) return failed("ETIMEDOUT")
  signal.addEventListener("abort", giveUp, { once: true })
  Bun.connect<SocketState>({
    hostname: address,
    port,
    allowHalfOpen: true,
    data: asleep,
    socket: {
      ...handlers,
      open(socket) {
        // It cannot be called back while it is being made.
        if (signal.aborted) return void socket.terminate()
        const { wire, held } = openWire(socket)
        socket.data = held
        resolve(ok(wire))
      },
      connectError: (_socket, error) => resolve(failed(codeOf(error))),
    },
  }).catch((error: unknown) => resolve(failed(codeOf(error))))
  const connected = await promise
  signal.removeEventListener("abort", giveUp)
  return connected
}

const codeOf = (error: unknown): string =>
  error instanceof Error
    ? "code" in error && typeof error.code === "string"
      ? error.code
      : error.message
    : String(error)

const asleep: SocketState = { data: () => {}, drained: () => {}, ended: () => {}, closed: () => {} }

function openWire(socket: Bun.Socket<SocketState>): { readonly wire: Wire; readonly held: SocketState } {
  const queue: Uint8Array[] = []
  let heldBytes = 0
  let isPaused = false
  let isEnded = false
  let isClosed = false
  let wakeReader: (() => void) | undefined
  let wakeWriter: (() => void) | undefined
  const leavers = new Set<() => void>()

  function left(): void {
    isEnded = true
    wakeReader?.()
    for (const callback of leavers) callback()
    leavers.clear()
  }

  function take(): Uint8Array | undefined {
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

  const held: SocketState = {
    data(bytes) {
      if (isClosed) return
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
        wakeReader = undefined
      }
      return signal?.aborted ? undefined : take()
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
    whenLeft(callback) {
      if (isEnded) callback()
      else leavers.add(callback)
      return () => void leavers.delete(callback)
    },
  }
  return { wire, held }
}
