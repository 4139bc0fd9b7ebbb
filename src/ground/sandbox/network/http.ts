/** The proxy's HTTP side: CONNECT tunnels, and plain requests passed on one by one, each judged. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Gate, type ConnectionRefusal, sayRefusal, type ConnectionWish } from "./gate.ts"
import { passBody } from "./http-body.ts"
import {
  authorityOf,
  type Bad,
  forwardPlace,
  type Framing,
  parseRequestHead,
  parseResponseHead,
  passedOn,
  type RequestHead,
  requestFraming,
  type ResponseHead,
  responseFraming,
  tunnelPlace,
  valuesOf,
  wordsOf,
  writeHead,
} from "./http-head.ts"
import { readUntil } from "./reading.ts"
import { tunnel } from "./tunnel.ts"
import type { Wire } from "./wire.ts"

export interface Service {
  readonly gate: Gate
  readonly clock: Clock
  /** Called when a tunnel was used for another host than the one it was made for. */
  readonly misnamed: (wish: ConnectionWish) => void
}

const longestHead = 65_536
/** A head must be complete within this time after its first byte. */
export const headMilliseconds = 30_000
/** An idle connection is closed after this time. */
export const idleMilliseconds = 300_000
/** A refused client may still be sending; if the connection were closed under it, it would not read why. */
const lingerMilliseconds = 2000
const lingerBytes = 1_000_000

export async function serveHttp(client: Wire, service: Service): Promise<void> {
  for (;;) {
    const text = await readHead(client, service.clock)
    if (text === undefined) return
    const head = text.ok ? parseRequestHead(text.value) : text
    if (!head.ok) return sayBad(client, service.clock, head.failure)
    const next = head.value.method === "CONNECT" ? serveTunnel : serveRequest
    if ((await next(client, head.value, service)) === "over") return
  }
}

/** The head of the next request; undefined when there is none. */
async function readHead(client: Wire, clock: Clock): Promise<Result<string, Bad> | undefined> {
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

type AfterExchange = "more" | "over"

async function serveTunnel(
  client: Wire,
  head: RequestHead,
  { gate, clock, misnamed }: Service,
): Promise<AfterExchange> {
  const place = tunnelPlace(head)
  if (!place.ok) return over(sayBad(client, clock, place.failure))
  const wish = { ...place.value, ...callOf(head) }
  const server = await gate.pass(wish, client)
  if (!server.ok) return over(sayRefused(client, clock, server.failure))
  if (!(await client.write(writeHead("HTTP/1.1 200 Connection established", [])))) {
    server.value.destroy()
    return "over"
  }
  const named = (host: string): void => misnamed({ ...wish, host })
  return over(tunnel({ client, server: server.value, host: wish.host, clock, misnamed: named }))
}

/** Each request gets its own connection to the host it names, so that no request can hide in another. */
async function serveRequest(client: Wire, head: RequestHead, service: Service): Promise<AfterExchange> {
  const { gate, clock } = service
  const place = forwardPlace(head)
  if (!place.ok) return over(sayBad(client, clock, place.failure))
  const framing = requestFraming(head)
  if (!framing.ok) return over(sayBad(client, clock, framing.failure))
  const { path, ...where } = place.value
  const wish = { ...where, ...callOf(head) }
  const passed = await gate.pass(wish, client)
  if (!passed.ok) return over(sayRefused(client, clock, passed.failure))
  const server = passed.value
  // A client that has gone can no longer be told, however long the server takes.
  const stay = client.whenLeft(() => server.destroy())
  const upwards = isUpgrade(head) ? wordsOf(head, "upgrade").join(", ") : undefined
  const headers = [
    { name: "Host", value: authorityOf(where) },
    ...passedOn(head).filter(({ name }) => name.toLowerCase() !== "host"),
    ...(upwards === undefined ? [] : [{ name: "Upgrade", value: upwards }]),
    { name: "Connection", value: upwards === undefined ? "close" : "upgrade" },
  ]
  await server.write(writeHead(`${head.method} ${path} HTTP/${head.version}`, headers))
  const sending = passBody(framing.value, client, server)
  void sending.then((sent) => sent === "broken" && server.destroy())
  const answered = await passAnswer(client, server, head)
  stay()
  if (answered === "switched") {
    const named = (host: string): void => service.misnamed({ ...wish, host })
    return over(tunnel({ client, server, host: wish.host, clock, misnamed: named }))
  }
  server.destroy()
  if (answered === "nothing")
    return over(say(client, clock, "502 Bad Gateway", `${wish.host} closed the connection without a valid answer.`))
  // The rest of a body that was not read to its end cannot be told from the next request.
  if (answered === "more" && (await Promise.race([sending, "unread"])) === "whole") return "more"
  return over(answered === "broken" ? closeAtOnce(client) : finish(client, clock))
}

/** `nothing`: no head came. `broken`: the answer ended too early. `over`: it is complete, and nothing may follow it. */
type AnswerEnd = "more" | "over" | "broken" | "nothing" | "switched"

async function passAnswer(client: Wire, server: Wire, request: RequestHead): Promise<AnswerEnd> {
  for (;;) {
    const text = await readUntil(server, "\r\n\r\n", longestHead)
    const head = text === undefined || text === "too_long" ? undefined : parseResponseHead(text.toString("latin1"))
    const framing = head?.ok ? responseFraming(head.value, request.method) : undefined
    if (!head?.ok || !framing?.ok) return "nothing"
    const { status } = head.value
    if (status === 101) {
      if (!isUpgrade(request)) return "nothing"
      const upgrade = valuesOf(head.value, "upgrade").map((value) => ({ name: "Upgrade", value }))
      const kept = [...passedOn(head.value), ...upgrade, { name: "Connection", value: "upgrade" }]
      return (await client.write(writeHead(firstLine(head.value), kept))) ? "switched" : "broken"
    }
    const isLast = status >= 200
    const goesOn = isLast ? keepsAlive(request, framing.value) : true
    const connection = isLast ? [{ name: "Connection", value: goesOn ? "keep-alive" : "close" }] : []
    if (!(await client.write(writeHead(firstLine(head.value), [...passedOn(head.value), ...connection]))))
      return "broken"
    if (!isLast) continue
    if ((await passBody(framing.value, server, client)) === "broken") return "broken"
    return goesOn ? "more" : "over"
  }
}

const firstLine = ({ status, reason }: ResponseHead): string => `HTTP/1.1 ${status} ${reason}`

const isUpgrade = (head: RequestHead): boolean =>
  head.version === "1.1" && wordsOf(head, "connection").includes("upgrade") && valuesOf(head, "upgrade").length > 0

function keepsAlive(request: RequestHead, framing: Framing): boolean {
  const wishes = [...wordsOf(request, "connection"), ...wordsOf(request, "proxy-connection")]
  return request.version === "1.1" && framing.kind !== "until_close" && !wishes.includes("close")
}

/** The call, which a program sends as its user name at the proxy. */
function callOf(head: RequestHead): { readonly callId?: string } {
  const [, encoded] = /^basic ([A-Za-z0-9+/=]+)$/i.exec(valuesOf(head, "proxy-authorization")[0] ?? "") ?? []
  const callId =
    Buffer.from(encoded ?? "", "base64")
      .toString("utf8")
      .split(":", 1)[0] ?? ""
  return callId === "" ? {} : { callId }
}

async function over(work: Promise<void>): Promise<"over"> {
  await work
  return "over"
}

const sayBad = (client: Wire, clock: Clock, { status, why }: Bad): Promise<void> =>
  say(client, clock, `${status} ${badNames[status]}`, `The sandbox's proxy refused this request: ${why}.`)

const badNames: Readonly<Record<Bad["status"], string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
  501: "Not Implemented",
}

async function sayRefused(client: Wire, clock: Clock, refusal: ConnectionRefusal): Promise<void> {
  if (refusal.kind === "left") return client.destroy()
  const isForbidden = refusal.kind === "denied" || refusal.kind === "special"
  await say(client, clock, isForbidden ? "403 Forbidden" : "502 Bad Gateway", sayRefusal(refusal))
}

async function say(client: Wire, clock: Clock, status: string, text: string): Promise<void> {
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

async function closeAtOnce(client: Wire): Promise<void> {
  client.destroy()
}
