/** The proxy's HTTP side: CONNECT tunnels, and plain requests passed on one by one, each judged. */

import { exchange, requestHeaders, upgradeOf } from "./http-exchange.ts"
import {
  authorityOf,
  forwardPlace,
  parseRequestHead,
  type RequestHead,
  requestFraming,
  tunnelPlace,
  valuesOf,
  writeHead,
} from "./http-head.ts"
import { finish, readHead, say, sayBad, sayRefused } from "./http-talk.ts"
import type { Service } from "./service.ts"
import { tunnel } from "./tunnel.ts"
import type { Wire } from "./wire.ts"

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

type AfterExchange = "more" | "over"

async function serveTunnel(client: Wire, head: RequestHead, service: Service): Promise<AfterExchange> {
  const { gate, clock } = service
  const place = tunnelPlace(head)
  if (!place.ok) return over(sayBad(client, clock, place.failure))
  const wish = { ...place.value, ...callOf(head) }
  const server = await gate.pass(wish, client)
  if (!server.ok) return over(sayRefused(client, clock, server.failure))
  if (!(await client.write(writeHead("HTTP/1.1 200 Connection established", [])))) {
    server.value.destroy()
    return "over"
  }
  return over(tunnel({ client, server: server.value, wish, service }))
}

/** Each request gets its own connection to the host it names, so that no request can hide in another. */
async function serveRequest(client: Wire, request: RequestHead, service: Service): Promise<AfterExchange> {
  const { gate, clock } = service
  const place = forwardPlace(request)
  if (!place.ok) return over(sayBad(client, clock, place.failure))
  const framing = requestFraming(request)
  if (!framing.ok) return over(sayBad(client, clock, framing.failure))
  const { path, ...where } = place.value
  const wish = { ...where, ...callOf(request) }
  const passed = await gate.pass(wish, client)
  if (!passed.ok) return over(sayRefused(client, clock, passed.failure))
  const server = passed.value
  const upgrade = upgradeOf(request)
  const head = writeHead(`${request.method} ${path} HTTP/${request.version}`, [
    { name: "Host", value: authorityOf(where) },
    ...requestHeaders(request),
    ...(upgrade === undefined ? [] : [{ name: "Upgrade", value: upgrade }]),
    { name: "Connection", value: upgrade === undefined ? "close" : "upgrade" },
  ])
  const end = await exchange({ client, server, request, framing: framing.value, head })
  if (end.client === "switched") return over(tunnel({ client, server, wish, service }))
  server.destroy()
  if (end.client === "nothing")
    return over(say(client, clock, "502 Bad Gateway", `${wish.host} closed the connection without a valid answer.`))
  if (end.client === "more") return "more"
  return over(end.client === "broken" ? closeAtOnce(client) : finish(client, clock))
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

async function closeAtOnce(client: Wire): Promise<void> {
  client.destroy()
}
