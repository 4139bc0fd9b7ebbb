/**
 * The private connection between a lead and one member in another process: JSON lines over a socket. Every line carries a code made from a secret that
 * only the two have, who sends it and how many came before, so a program that finds the socket can neither speak, alter, repeat nor reorder anything.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import { rmSync } from "node:fs"
import { createConnection, createServer, type Socket } from "node:net"
import { dirname, join } from "node:path"
import { deferred } from "#lib/deferred.ts"
import { type JsonObject, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { makeTemporaryFolder } from "#lib/temporary-folder.ts"

export interface Link {
  /** Kept until the other side is there. */
  readonly send: (message: object) => void
  /** Sends what is left, and ends it. */
  readonly close: () => void
  /** Resolves once it has ended, from either side, and everything that came was delivered. */
  readonly closed: Promise<void>
}

type OnMessage = (message: JsonObject) => void

/** The first thing a member says, so that the lead knows which of the connections is the member's. */
const hello = { kind: "hello" }
/** A connection that has not proved itself gets no more room than this. */
const mostUnproved = 4_096

/** The lead's end. The socket lies in a folder that only the user can enter, and is gone once the member has come. */
export async function listenForMember(
  secret: string,
  onMessage: OnMessage,
): Promise<Result<Link & { readonly path: string }, string>> {
  const made = makeTemporaryFolder("codewright-")
  if (!made.ok) return made
  const path = join(made.value, "lead.sock")
  const closed = deferred<void>()
  const waiting: object[] = []
  const strangers = new Set<Socket>()
  let member: ReturnType<typeof overSocket> | undefined
  const remove = (): void => rmSync(dirname(path), { recursive: true, force: true })

  const server = createServer((socket) => {
    if (member) return void socket.destroy()
    strangers.add(socket)
    const candidate = overSocket(socket, {
      secret,
      side: "lead",
      onMessage: (message) => (member === candidate ? onMessage(message) : accept()),
      onClosed: () => (member === candidate ? closed.resolve() : void strangers.delete(socket)),
    })
    function accept(): void {
      member = candidate
      strangers.delete(socket)
      for (const stranger of strangers) stranger.destroy()
      server.close()
      remove()
      candidate.prove()
      for (const message of waiting.splice(0)) candidate.send(message)
    }
  })
  const listening = deferred<Result<void, string>>()
  server.once("error", (error) => listening.resolve(failed(error.message)))
  server.listen(path, () => listening.resolve(ok(undefined)))
  const listens = await listening.promise
  if (!listens.ok) {
    remove()
    return listens
  }
  // Members do not keep their lead running.
  server.unref()
  return ok({
    path,
    closed: closed.promise,
    send: (message) => void (member ? member.send(message) : waiting.push(message)),
    close() {
      if (member) return member.close()
      server.close()
      for (const stranger of strangers) stranger.destroy()
      remove()
      closed.resolve()
    },
  })
}

/** The member's end. */
export async function connectToLead(path: string, secret: string, onMessage: OnMessage): Promise<Result<Link, string>> {
  const closed = deferred<void>()
  const connected = deferred<Result<void, string>>()
  const socket = createConnection(path)
  socket.once("error", (error) => connected.resolve(failed(error.message)))
  socket.once("connect", () => connected.resolve(ok(undefined)))
  const connects = await connected.promise
  if (!connects.ok) return connects
  const link = overSocket(socket, { secret, side: "member", onMessage, onClosed: closed.resolve })
  link.prove()
  link.send(hello)
  return ok({ send: link.send, close: link.close, closed: closed.promise })
}

interface SocketParts {
  readonly secret: string
  readonly side: "lead" | "member"
  readonly onMessage: OnMessage
  readonly onClosed: () => void
}

function overSocket(
  socket: Socket,
  { secret, side, onMessage, onClosed }: SocketParts,
): Pick<Link, "send" | "close"> & { readonly prove: () => void } {
  const other = side === "lead" ? "member" : "lead"
  const codeOf = (from: string, count: number, text: string): string =>
    createHmac("sha256", secret).update(`${from} ${count} ${text}`).digest("base64url")
  const decoder = new TextDecoder()
  let sent = 0
  let received = 0
  let rest = ""
  let isProved = false

  function read(line: string): boolean {
    const at = line.indexOf(" ")
    const text = line.slice(at + 1)
    const right = Buffer.from(codeOf(other, received, text))
    const receivedCode = Buffer.from(line.slice(0, Math.max(at, 0)))
    const message = objectIn(text)
    if (receivedCode.length !== right.length || !timingSafeEqual(receivedCode, right) || !message) return false
    received++
    onMessage(message)
    return true
  }

  socket.on("data", (bytes: Uint8Array) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    if (!lines.every(read) || (!isProved && rest.length > mostUnproved)) socket.destroy()
  })
  // What went wrong ends in a close.
  socket.on("error", () => {})
  socket.once("close", onClosed)
  if (side === "lead") socket.unref()
  return {
    prove: () => void (isProved = true),
    send(message) {
      const text = JSON.stringify(message)
      if (!socket.destroyed) socket.write(`${codeOf(side, sent++, text)} ${text}\n`)
    },
    close: () => void socket.end(),
  }
}
