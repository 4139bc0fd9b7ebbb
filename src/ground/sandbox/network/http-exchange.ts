/** One request and its answer, passed between a client and a server. */

import { type BodyChange, passBody } from "./http-body.ts"
import {
  type Framing,
  parseResponseHead,
  passedOn,
  type RequestHead,
  type ResponseHead,
  responseFraming,
  valuesOf,
  wordsOf,
  writeHead,
} from "./http-head.ts"
import { longestHead } from "./http-talk.ts"
import { readUntil } from "./reading.ts"
import type { Wire } from "./wire.ts"

export interface ExchangeParts {
  readonly client: Wire
  readonly server: Wire
  /** As the client sent it. */
  readonly request: RequestHead
  readonly framing: Framing
  /** As it goes to the server. */
  readonly head: Uint8Array
  readonly answer?: AnswerChange
}

/** Changes to an answer on its way to the client. */
export interface AnswerChange {
  /** The values of its headers. */
  readonly text: (value: string) => string
  readonly body: () => BodyChange
  /** Whether the body is needed as it is: what is compressed cannot be looked into. */
  readonly needsPlain: boolean
}

export interface ExchangeEnd {
  /**
   * `nothing`: no head came. `broken`: the answer ended too early. `over`: it is complete, and nothing may follow it.
   * `more`: another request may follow. `compressed`: the answer could not be looked into, and was not passed on.
   */
  readonly client: "more" | "over" | "broken" | "nothing" | "compressed" | "switched"
  /** Whether the server takes another request on the same connection. */
  readonly isReusable: boolean
}

export async function exchange(parts: ExchangeParts): Promise<ExchangeEnd> {
  const { client, server, framing, head } = parts
  // A client that has gone can no longer be told, however long the server takes.
  const stay = client.whenLeft(() => server.destroy())
  await server.write(head)
  const sending = passBody(framing, client, server)
  void sending.then((sent) => sent === "broken" && server.destroy())
  const answered = await passAnswer(parts)
  stay()
  if (answered.client !== "more") return { ...answered, isReusable: false }
  // The rest of a body that was not read to its end cannot be told from the next request.
  return (await Promise.race([sending, "unread"])) === "whole" ? answered : { client: "over", isReusable: false }
}

/** The headers of a request for the next hop, without the host. */
export function requestHeaders(request: RequestHead): readonly { readonly name: string; readonly value: string }[] {
  return passedOn(request).filter(({ name }) => name.toLowerCase() !== "host")
}

/** What a client wants to switch to, if it wants to. */
export const upgradeOf = (request: RequestHead): string | undefined =>
  isUpgrade(request) ? wordsOf(request, "upgrade").join(", ") : undefined

async function passAnswer({ client, server, request, answer }: ExchangeParts): Promise<ExchangeEnd> {
  const end = (how: ExchangeEnd["client"], isReusable = false): ExchangeEnd => ({ client: how, isReusable })
  for (;;) {
    const text = await readUntil(server, "\r\n\r\n", longestHead)
    const head = text === undefined || text === "too_long" ? undefined : parseResponseHead(text.toString("latin1"))
    const framing = head?.ok ? responseFraming(head.value, request.method) : undefined
    if (!head?.ok || !framing?.ok) return end("nothing")
    const { status } = head.value
    if (status === 101) {
      if (!isUpgrade(request)) return end("nothing")
      const upgrade = valuesOf(head.value, "upgrade").map((value) => ({ name: "Upgrade", value }))
      const kept = [...upgrade, { name: "Connection", value: "upgrade" }]
      return (await client.write(written(head.value, kept, answer))) ? end("switched") : end("broken")
    }
    const isLast = status >= 200
    const goesOn = isLast ? keepsAlive(request, framing.value) : true
    const connection = isLast ? [{ name: "Connection", value: goesOn ? "keep-alive" : "close" }] : []
    if (isLast && answer?.needsPlain && isCompressed(head.value, framing.value)) return end("compressed")
    if (!(await client.write(written(head.value, connection, answer)))) return end("broken")
    if (!isLast) continue
    if ((await passBody(framing.value, server, client, answer?.body())) === "broken") return end("broken")
    return end(goesOn ? "more" : "over", staysOpen(head.value, framing.value))
  }
}

function written(head: ResponseHead, connection: RequestHead["headers"], answer: AnswerChange | undefined): Buffer {
  const { text = (value: string): string => value } = answer ?? {}
  const headers = passedOn(head).map(({ name, value }) => ({ name, value: text(value) }))
  return writeHead(`HTTP/1.1 ${head.status} ${text(head.reason)}`, [...headers, ...connection])
}

const isCompressed = (head: ResponseHead, framing: Framing): boolean =>
  framing.kind !== "none" && wordsOf(head, "content-encoding").some((word) => word !== "" && word !== "identity")

const isUpgrade = (head: RequestHead): boolean =>
  head.version === "1.1" && wordsOf(head, "connection").includes("upgrade") && valuesOf(head, "upgrade").length > 0

function keepsAlive(request: RequestHead, framing: Framing): boolean {
  const wishes = [...wordsOf(request, "connection"), ...wordsOf(request, "proxy-connection")]
  return request.version === "1.1" && framing.kind !== "until_close" && !wishes.includes("close")
}

const staysOpen = (head: ResponseHead, framing: Framing): boolean =>
  head.version === "1.1" && framing.kind !== "until_close" && !wordsOf(head, "connection").includes("close")
