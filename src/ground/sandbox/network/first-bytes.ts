/** What a client begins to speak in a tunnel: TLS, HTTP, or anything else. */

import type { Clock } from "#lib/clock.ts"
import { longestHello, readClientHello } from "./client-hello.ts"
import type { Wire } from "./wire.ts"

/** `name` is the server that a greeting of TLS names. */
export type FirstBytes =
  | { readonly kind: "tls"; readonly bytes: Uint8Array; readonly name?: string }
  | { readonly kind: "http" | "other"; readonly bytes: Uint8Array }

/** A client that starts with TLS must name its server within this time. */
const helloMilliseconds = 30_000
/** What may still become a request is passed on after this time, and closed if it becomes one. */
const requestMilliseconds = 2000

/** Held back until it is clear what it is; undefined if it is not valid or the client is gone. */
export async function readFirstBytes(client: Wire, clock: Clock): Promise<FirstBytes | undefined> {
  const late = new AbortController()
  let cancel: (() => void) | undefined
  let bytes: Uint8Array = new Uint8Array()
  try {
    for (;;) {
      const more = await client.read(late.signal)
      if (more === undefined) return isGreeting(bytes) || client.isClosed() ? undefined : { kind: "other", bytes }
      bytes = bytes.length === 0 ? more : Buffer.concat([bytes, more])
      const first = clientKind(bytes)
      if (first !== "more") return first
      if (bytes.length > 2 * longestHello) return undefined
      cancel ??= clock.after(isGreeting(bytes) ? helloMilliseconds : requestMilliseconds, () => late.abort())
    }
  } finally {
    cancel?.()
  }
}

const isGreeting = (bytes: Uint8Array): boolean => readClientHello(bytes).kind === "more" && bytes.length > 0

function clientKind(bytes: Uint8Array): FirstBytes | "more" | undefined {
  const hello = readClientHello(bytes)
  if (hello.kind === "hello") return { kind: "tls", bytes, ...(hello.name !== undefined && { name: hello.name }) }
  if (hello.kind === "broken") return undefined
  if (hello.kind === "more") return "more"
  const looks = httpLooks(bytes)
  // A single word may be all that another protocol begins with, so it is not held back.
  return looks === "begun" ? "more" : { kind: looks === "http" ? "http" : "other", bytes }
}

/** Whether bytes begin like a request, have begun like one, could still do so, or cannot any more. */
function httpLooks(bytes: Uint8Array): "http" | "begun" | "perhaps" | "no" {
  // Servers skip empty lines before a request.
  const text = Buffer.from(bytes.subarray(0, longestHello))
    .toString("latin1")
    .replace(/^[\r\n]+/, "")
  if (/^[!#$%&'*+.^_`|~\w-]+ [!-\xff]+ HTTP\/\d/.test(text)) return "http"
  if (/^[!#$%&'*+.^_`|~\w-]+ [!-\xff]*(?: (?:H(?:T(?:T(?:P\/?)?)?)?)?)?$/.test(text)) return "begun"
  return /^[!#$%&'*+.^_`|~\w-]*$/.test(text) ? "perhaps" : "no"
}

/** Looks at what passes in a tunnel: false as soon as it turns out to be HTTP after all. */
export function openHttpWatch(): (bytes: Uint8Array) => boolean {
  let seen: Uint8Array | undefined = new Uint8Array()
  return (bytes) => {
    if (seen === undefined) return true
    seen = Buffer.concat([seen, bytes])
    const looks = httpLooks(seen)
    if (looks === "no" || seen.length > longestHello) seen = undefined
    return looks !== "http"
  }
}
