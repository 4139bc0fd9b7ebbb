/** A private socket of the file system: JSON lines between processes of one user. */

import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { longestLine } from "#lib/input-lines.ts"
import { type JsonObject, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface LineSocket {
  readonly send: (message: object) => void
  /** Sends what is left, and ends it. */
  readonly close: () => void
}

export interface SocketEvents {
  readonly onMessage: (message: JsonObject) => void
  readonly onClosed: () => void
}

/** The system's limit for a path is 108 bytes, on some systems 104. */
const longestPath = 103
/** Whoever leaves more than this unread is disconnected. */
const mostUnread = 64_000_000

/**
 * The folder is one that only the user can enter. A file that another process left there is replaced. Does not keep the process running. `isWelcome`
 * gets the descriptor of each connection.
 */
export function listenLocally(
  path: string,
  isWelcome: (fd: number) => boolean,
  onConnected: (socket: LineSocket) => SocketEvents,
): Result<{ readonly stop: () => void }, string> {
  if (Buffer.byteLength(path) > longestPath) return failed(`The path ${path} is too long for a socket.`)
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rmSync(path, { force: true })
    const server = Bun.listen<Lines | undefined>({
      unix: path,
      socket: {
        open(socket) {
          // One that is not welcome has nobody to read it.
          socket.data = isWelcome(descriptorOf(socket)) ? openLines(socket, onConnected) : undefined
          if (!socket.data) socket.terminate()
        },
        data: (socket, bytes) => socket.data?.read(bytes),
        drain: (socket) => socket.data?.drain(),
        close: (socket) => socket.data?.leave(),
      },
    })
    chmodSync(path, 0o600)
    server.unref()
    return ok({
      stop() {
        server.stop(true)
        rmSync(path, { force: true })
      },
    })
  } catch (error) {
    return failed(String(error))
  }
}

export async function connectLocally(
  path: string,
  onConnected: (socket: LineSocket) => SocketEvents,
): Promise<Result<LineSocket, string>> {
  try {
    const socket = await Bun.connect<Lines | undefined>({
      unix: path,
      socket: {
        open: (opened) => void (opened.data = openLines(opened, onConnected)),
        data: (opened, bytes) => opened.data?.read(bytes),
        drain: (opened) => opened.data?.drain(),
        // One that was refused was never open.
        close: (opened) => opened.data?.leave(),
      },
    })
    return socket.data ? ok(socket.data) : failed(`Nobody can be reached at ${path}.`)
  } catch (error) {
    return failed(String(error))
  }
}

/** The runtime has it, and its types do not. -1 is nobody's. */
const descriptorOf = (socket: object): number => ("fd" in socket && typeof socket.fd === "number" ? socket.fd : -1)

interface Lines extends LineSocket {
  readonly read: (bytes: Uint8Array) => void
  readonly drain: () => void
  readonly leave: () => void
}

interface OpenSocket {
  readonly write: (bytes: Uint8Array) => number
  readonly end: () => unknown
  readonly terminate: () => unknown
}

function openLines(socket: OpenSocket, onConnected: (socket: LineSocket) => SocketEvents): Lines {
  const decoder = new TextDecoder()
  /** Of the line that has not ended. */
  let parts: string[] = []
  let size = 0
  let unsent: Uint8Array[] = []
  let unsentBytes = 0
  let isEnding = false
  let isOver = false

  function drain(): void {
    for (let next = unsent[0]; next && !isOver; next = unsent[0]) {
      const written = socket.write(next)
      if (written <= 0) return
      unsentBytes -= written
      if (written < next.length) unsent[0] = next.subarray(written)
      else unsent.shift()
    }
    if (isEnding && !isOver) socket.end()
  }

  const line: LineSocket = {
    send(message) {
      if (isOver || isEnding) return
      const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
      unsent.push(bytes)
      unsentBytes += bytes.length
      if (unsent.length === 1) drain()
      if (unsentBytes > mostUnread) socket.terminate()
    },
    close() {
      isEnding = true
      drain()
    },
  }
  const events = onConnected(line)

  function handleLine(text: string): boolean {
    const message = objectIn(text)
    if (message) events.onMessage(message)
    return message !== undefined
  }

  return {
    ...line,
    drain,
    read(bytes) {
      const [first = "", ...rest] = decoder.decode(bytes, { stream: true }).split("\n")
      parts.push(first)
      size += first.length
      for (const next of rest) {
        const text = parts.join("")
        parts = [next]
        size = next.length
        if (!handleLine(text)) return void socket.terminate()
      }
      if (size > longestLine) socket.terminate()
    },
    leave() {
      if (isOver) return
      isOver = true
      unsent = []
      events.onClosed()
    },
  }
}
