/** Heads of HTTP messages, parsed strictly: what two programs could read differently is refused. */

import { failed, ok, type Result } from "#lib/result.ts"
import { plainHost } from "./hosts.ts"

export interface Header {
  readonly name: string
  readonly value: string
}

export interface RequestHead {
  readonly method: string
  readonly target: string
  readonly version: "1.0" | "1.1"
  readonly headers: readonly Header[]
}

export interface ResponseHead {
  readonly version: "1.0" | "1.1"
  readonly status: number
  readonly reason: string
  readonly headers: readonly Header[]
}

export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "until_close" }

export interface Endpoint {
  readonly host: string
  readonly port: number
}

export interface Bad {
  readonly status: 400 | 408 | 431 | 501
  readonly why: string
}

const bad = (why: string, status: Bad["status"] = 400): Result<never, Bad> => failed({ status, why })

/** `text` is the head without the final empty line, one character per byte. */
export function parseRequestHead(text: string): Result<RequestHead, Bad> {
  const [first = "", ...rest] = text.split("\r\n")
  const [, method, target, minor] = /^([!#$%&'*+.^_`|~\w-]+) ([!-~]+) HTTP\/1\.([01])$/.exec(first) ?? []
  if (method === undefined || target === undefined) return bad("the request line is not HTTP/1.1")
  const headers = parseHeaders(rest)
  return headers.ok ? ok({ method, target, version: minor === "0" ? "1.0" : "1.1", headers: headers.value }) : headers
}

export function parseResponseHead(text: string): Result<ResponseHead, Bad> {
  const [first = "", ...rest] = text.split("\r\n")
  const [, minor, status, reason] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t -~\x80-\xff]*))?$/.exec(first) ?? []
  if (status === undefined) return bad("the answer is not HTTP/1.1")
  const headers = parseHeaders(rest)
  if (!headers.ok) return headers
  return ok({
    version: minor === "0" ? "1.0" : "1.1",
    status: Number(status),
    reason: reason ?? "",
    headers: headers.value,
  })
}

function parseHeaders(lines: readonly string[]): Result<readonly Header[], Bad> {
  const headers: Header[] = []
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/.exec(line) ?? []
    if (name === undefined || value === undefined) return bad("a header line is malformed")
    headers.push({ name, value })
  }
  return ok(headers)
}

/** One for each occurrence of the header. */
export function valuesOf({ headers }: { readonly headers: readonly Header[] }, name: string): readonly string[] {
  return headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value)
}

export function wordsOf(head: { readonly headers: readonly Header[] }, name: string): readonly string[] {
  return valuesOf(head, name).flatMap((value) => value.split(",").map((word) => word.trim().toLowerCase()))
}

export function requestFraming(head: RequestHead): Result<Framing, Bad> {
  const framing = declaredFraming(head)
  if (framing.ok && framing.value?.kind === "chunked" && head.version === "1.0")
    return bad("HTTP/1.0 has no Transfer-Encoding")
  return framing.ok ? ok(framing.value ?? { kind: "none" }) : framing
}

/** `method` is that of the request being answered. */
export function responseFraming(head: ResponseHead, method: string): Result<Framing, Bad> {
  const framing = declaredFraming(head)
  if (!framing.ok) return framing
  if (method === "HEAD" || head.status < 200 || head.status === 204 || head.status === 304) return ok({ kind: "none" })
  return ok(framing.value ?? { kind: "until_close" })
}

function declaredFraming(head: { readonly headers: readonly Header[] }): Result<Framing | undefined, Bad> {
  const lengths = valuesOf(head, "content-length")
  const encodings = valuesOf(head, "transfer-encoding")
  if (lengths.length > 0 && encodings.length > 0) return bad("Content-Length and Transfer-Encoding exclude each other")
  if (encodings.length > 0)
    return encodings.length === 1 && encodings[0]?.toLowerCase() === "chunked"
      ? ok({ kind: "chunked" })
      : bad("the only Transfer-Encoding that is passed on is chunked", 501)
  if (lengths.length === 0) return ok(undefined)
  const [length = ""] = lengths
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length)) return bad("Content-Length is not one number")
  return ok({ kind: "length", bytes: Number(length) })
}

/** The destination of a CONNECT; its Host header, if there is one, must agree. */
export function tunnelPlace(head: RequestHead): Result<Endpoint, Bad> {
  const { host, port } = parseAuthority(head.target) ?? {}
  if (host === undefined || port === undefined) return bad("CONNECT needs a host and a port, such as example.com:443")
  const framing = requestFraming(head)
  if (!framing.ok) return framing
  if (framing.value.kind === "chunked" || (framing.value.kind === "length" && framing.value.bytes > 0))
    return bad("CONNECT has no body")
  return disagreement(head, { host, port }) ?? ok({ host, port })
}

/** The destination of a request in absolute form, and the path there. */
export function forwardPlace(head: RequestHead): Result<Endpoint & { readonly path: string }, Bad> {
  const [, scheme, authority = "", path = ""] = /^([A-Za-z][\w+.-]*):\/\/([^/?#]*)([^#]*)$/.exec(head.target) ?? []
  if (scheme === undefined) return bad("this is a proxy: it needs a whole address, such as http://example.com/")
  if (scheme.toLowerCase() !== "http")
    return bad(`${scheme} is not passed on in this form; use CONNECT, or an http address`)
  const named = parseAuthority(authority)
  if (named === undefined) return bad("the address has no valid host")
  const place = { host: named.host, port: named.port ?? 80 }
  return disagreement(head, place) ?? ok({ ...place, path: path.startsWith("/") ? path : `/${path}` })
}

/** Inside a tunnel: the path of a request, which must be for the host that the tunnel was made to. */
export function innerPath(head: RequestHead, place: Endpoint): Result<string, Bad> {
  if (head.method === "CONNECT") return bad("there is no tunnel inside a tunnel")
  if (head.version === "1.1" && valuesOf(head, "host").length === 0) return bad("there is no Host header")
  const wrong = disagreement(head, place)
  if (wrong) return wrong
  if (head.target.startsWith("/") || (head.target === "*" && head.method === "OPTIONS")) return ok(head.target)
  const [, authority = "", path = ""] = /^https?:\/\/([^/?#]*)([^#]*)$/i.exec(head.target) ?? []
  if (!agrees(authority, place)) return bad(`the address does not match ${place.host}:${place.port}`)
  return ok(path.startsWith("/") ? path : `/${path}`)
}

function agrees(authority: string, place: Endpoint): boolean {
  const named = parseAuthority(authority)
  return named?.host === place.host && (named.port ?? place.port) === place.port
}

function disagreement(head: RequestHead, place: Endpoint): Result<never, Bad> | undefined {
  const hosts = valuesOf(head, "host")
  if (hosts.length > 1) return bad("there is more than one Host header")
  if (hosts[0] === undefined) return undefined
  return agrees(hosts[0], place) ? undefined : bad(`the Host header does not match ${place.host}:${place.port}`)
}

/** `host`, `host:port`, `[v6]` or `[v6]:port`, without a user name and password. */
function parseAuthority(text: string): { readonly host: string; readonly port?: number } | undefined {
  const [, written = "", digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  const plain = plainHost(written)
  const port = digits === undefined ? undefined : Number(digits)
  if (written === "" || !plain.ok || (port !== undefined && (port < 1 || port > 65_535))) return undefined
  return { host: plain.value, ...(port !== undefined && { port }) }
}

/** As in a Host header. */
export const authorityOf = ({ host, port }: Endpoint): string =>
  `${host.includes(":") ? `[${host}]` : host}${port === 80 ? "" : `:${port}`}`

const betweenHops: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
])

/** The end-to-end headers. What frames the body stays. */
export function passedOn(head: { readonly headers: readonly Header[] }): readonly Header[] {
  const listed = new Set(wordsOf(head, "connection"))
  const kept = new Set(["content-length", "transfer-encoding", "host"])
  return head.headers.filter(({ name }) => {
    const lower = name.toLowerCase()
    return kept.has(lower) || (!betweenHops.has(lower) && !listed.has(lower))
  })
}

export function writeHead(first: string, headers: readonly Header[]): Buffer {
  return Buffer.from([first, ...headers.map(({ name, value }) => `${name}: ${value}`), "", ""].join("\r\n"), "latin1")
}
