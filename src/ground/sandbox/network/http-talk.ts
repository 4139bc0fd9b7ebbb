/** Reads heads of requests from a client, and answers it in our own name. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type ConnectionRefusal, sayRefusal } from "./gate.ts"
import { type Bad, writeHead } from "./http-head.ts"
import { readUntil } from "./reading.ts"
import type { Wire } from "./wire.ts"

export const longestHead = 65_536
/** A head must be complete within this time after its first byte. */
export const headMilliseconds = 30_000
/** An idle connection is closed after this time. */
export const idleMilliseconds = 300_000
/** A refused client may still be sending; if the connection were closed under it, it would not read why. */
const lingerMilliseconds = 2000
const lingerBytes = 1_000_000

/** The head of the next request; undefined when there is none. */
export async function readHead(client: Wire, clock: Clock): Promise<Result<string, Bad> | undefined> {
  const late = new AbortController()
  const cancelIdle = clock.after(idleMilliseconds, () => late.abort())
  const first = await client.read(late.signal)
  cancelIdle()
  if (first === undefined) return undefined
  client.unread(first)
  const cancel = clock.after(headMilliseconds, () => late.abort())
  const head = await readUntil(client, "\r\n\r\n", longestHead, late.signal)
  cancel()
  if (head === "too_long") return failed({ status: 431, why: `the head is longer than ${longestHead} bytes` })
  if (head !== undefined) return ok(head.toString("latin1"))
  return late.signal.aborted
    ? failed({ status: 408, why: "the head of the request did not arrive in time" })
    : undefined
}

export const sayBad = (client: Wire, clock: Clock, { status, why }: Bad): Promise<void> =>
  say(client, clock, `${status} ${badNames[status]}`, `The sandbox's proxy refused this request: ${why}.`)

const badNames: Readonly<Record<Bad["status"], string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
  501: "Not Implemented",
}

export async function sayRefused(client: Wire, clock: Clock, refusal: ConnectionRefusal): Promise<void> {
  if (refusal.kind === "left") return client.destroy()
  const isForbidden = refusal.kind === "denied" || refusal.kind === "special"
  await say(client, clock, isForbidden ? "403 Forbidden" : "502 Bad Gateway", sayRefusal(refusal))
}

export async function say(client: Wire, clock: Clock, status: string, text: string): Promise<void> {
  const body = Buffer.from(`${text}\n`)
  const headers = [
    { name: "Content-Type", value: "text/plain; charset=utf-8" },
    { name: "Content-Length", value: String(body.length) },
    // Many programs show nothing of the answer to CONNECT but its headers.
    { name: "X-Codewright-Sandbox", value: text.replace(/[^ -~]/g, "?") },
    { name: "Connection", value: "close" },
  ]
  await client.write(Buffer.concat([writeHead(`HTTP/1.1 ${status}`, headers), body]))
  await finish(client, clock)
}

/** Closes gracefully: what the client still sends is read for a moment. */
export async function finish(client: Wire, clock: Clock): Promise<void> {
  client.shut()
  const late = new AbortController()
  const cancel = clock.after(lingerMilliseconds, () => late.abort())
  for (let read = 0; read < lingerBytes;) {
    const bytes = await client.read(late.signal)
    if (bytes === undefined) break
    read += bytes.length
  }
  cancel()
  client.end()
}
