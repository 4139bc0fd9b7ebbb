/**
 * The only way out: a destination is judged, resolved once, and connected to at exactly the address that was judged.
 */

import type { Clock } from "#lib/clock.ts"
import { isLoopbackName } from "#lib/host-names.ts"
import { isIp, specialRange, rangeWords } from "#lib/ip.ts"
import { never } from "#lib/never.ts"
import type { Upstream } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { adviceToAllow } from "./hosts.ts"
import { tunnelThrough } from "./upstream.ts"
import { connect, type Wire } from "./wire.ts"

export interface ConnectionWish {
  /** Normalised with `plainHost`. */
  readonly host: string
  readonly port: number
  /** The call that made the connection, if the program named it. */
  readonly callId?: string
}

/** May take long, as the user may be asked; the signal aborts when no one waits any more. */
export type Judge = (wish: ConnectionWish, signal: AbortSignal) => Promise<"allow" | "deny" | { readonly deny: string }>

/** The preferred addresses come first; a failure says why there are none. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<Result<readonly string[], string>>

export type ConnectionRefusal =
  | { readonly kind: "denied"; readonly wish: ConnectionWish; readonly why?: string }
  | { readonly kind: "special"; readonly wish: ConnectionWish; readonly address: string; readonly isOwn: boolean }
  | { readonly kind: "unresolved"; readonly wish: ConnectionWish; readonly why: string }
  /** `code` is the system's. */
  | { readonly kind: "unreachable"; readonly wish: ConnectionWish; readonly code: string }
  | { readonly kind: "left" }

export interface Gate {
  readonly pass: (wish: ConnectionWish, client: Wire) => Promise<Result<Wire, ConnectionRefusal>>
}

/** The address that was connected to, or the proxy that looked the name up. */
export type Reached = { readonly ip: string } | { readonly proxy: string }

export interface GateOptions {
  readonly judge: Judge
  readonly mayLeadTo: (wish: ConnectionWish, address: string) => boolean
  /** Whether an address is one of this machine. */
  readonly isOwn: (address: string) => boolean
  readonly resolve: Resolve
  readonly clock: Clock
  /** The proxy beyond which a host lies; reached directly if there is none. */
  readonly upstream?: ((wish: ConnectionWish) => Upstream | undefined) | undefined
  /** Called for every connection that was made. */
  readonly reached?: ((wish: ConnectionWish, how: Reached) => void) | undefined
  /** Called for everything refused because it is not allowed. */
  readonly refused: (wish: ConnectionWish) => void
}

const connectMilliseconds = 10_000
const mostTries = 4
const beyondLookupMilliseconds = 2_000

export function openGate({
  judge,
  mayLeadTo,
  isOwn,
  resolve,
  clock,
  refused,
  reached: tellReached,
  upstream,
}: GateOptions): Gate {
  async function locate(
    wish: ConnectionWish,
    signal: AbortSignal,
  ): Promise<Result<readonly string[], ConnectionRefusal>> {
    const { host } = wish
    // Names of this machine mean its loopback, whatever a name server says.
    const found = isIp(host)
      ? ok([host])
      : isLoopbackName(host)
        ? ok(["127.0.0.1", "::1"])
        : await resolve(host, signal)
    if (!found.ok) return failed({ kind: "unresolved", wish, why: found.failure })
    const foreign = found.value.find((address) => !mayLeadTo(wish, address))
    if (foreign !== undefined) return failed({ kind: "special", wish, address: foreign, isOwn: isOwn(foreign) })
    return found.value.length > 0
      ? ok(found.value)
      : failed({ kind: "unresolved", wish, why: "the name has no address" })
  }

  async function reach(
    wish: ConnectionWish,
    addresses: readonly string[],
    left: AbortSignal,
  ): Promise<Result<Wire, ConnectionRefusal>> {
    let code = "ETIMEDOUT"
    for (const address of [...new Set(addresses)].slice(0, mostTries)) {
      const late = new AbortController()
      const cancel = clock.after(connectMilliseconds, () => late.abort())
      const connected = await connect(address, wish.port, AbortSignal.any([late.signal, left]))
      cancel()
      if (connected.ok) {
        tellReached?.(wish, { ip: address })
        return connected
      }
      if (left.aborted) break
      code = connected.failure
    }
    return failed({ kind: "unreachable", wish, code })
  }

  /** Names of the internet are often unknown behind a proxy; one that is known must not lead where it may not. */
  async function reachBeyond(
    wish: ConnectionWish,
    beyond: Upstream,
    left: AbortSignal,
  ): Promise<Result<Wire, ConnectionRefusal>> {
    const late = new AbortController()
    const cancel = clock.after(beyondLookupMilliseconds, () => late.abort())
    const located = await locate(wish, AbortSignal.any([late.signal, left]))
    cancel()
    if (!located.ok && located.failure.kind === "special") return located
    const tunnel = await tunnelThrough(beyond, wish, { clock, left })
    if (!tunnel.ok) return failed({ kind: "unreachable", wish, code: tunnel.failure })
    tellReached?.(wish, { proxy: beyond.shown })
    return tunnel
  }

  async function decide(wish: ConnectionWish, left: AbortSignal): Promise<Result<Wire, ConnectionRefusal>> {
    const judged = await unlessAborted(judge(wish, left), left)
    if (judged === undefined) return failed({ kind: "left" })
    if (judged !== "allow") return failed({ kind: "denied", wish, ...(judged !== "deny" && { why: judged.deny }) })
    const beyond = upstream?.(wish)
    if (beyond) return reachBeyond(wish, beyond, left)
    const located = await locate(wish, left)
    return located.ok ? reach(wish, located.value, left) : located
  }

  return {
    async pass(wish, client) {
      const leaving = new AbortController()
      const stay = client.whenLeft(() => leaving.abort())
      const reached = await decide(wish, leaving.signal)
      stay()
      if (leaving.signal.aborted) {
        if (reached.ok) reached.value.destroy()
        return failed({ kind: "left" })
      }
      if (!reached.ok && (reached.failure.kind === "denied" || reached.failure.kind === "special")) refused(wish)
      return reached
    },
  }
}

/** Undefined as soon as the signal aborts: a judge that ignores the signal is not waited for. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined)
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}

export function sayRefusal(refusal: ConnectionRefusal): string {
  switch (refusal.kind) {
    case "denied":
      return `The sandbox blocked ${placeOf(refusal.wish)}. ${refusal.why ?? adviceToAllow(refusal.wish.host)}`
    case "special": {
      const { wish, address, isOwn } = refusal
      const range = specialRange(address) ?? (isOwn ? "loopback" : undefined)
      const what = range === undefined ? "which is denied" : rangeWords[range]
      const advice = range === undefined ? "" : ` ${adviceToAllow(address, wish.port)}`
      return `The sandbox blocked ${placeOf(wish)}. It leads to ${address}, ${what}.${advice}`
    }
    case "unresolved":
      return `The host ${refusal.wish.host} was not found: ${refusal.why}. Check the name.`
    case "unreachable":
      return `${placeOf(refusal.wish)} cannot be reached: ${codeWords[refusal.code] ?? refusal.code}.`
    case "left":
      return "The connection was closed."
    default:
      return never(refusal)
  }
}

const placeOf = ({ host, port }: ConnectionWish): string => `${host.includes(":") ? `[${host}]` : host}:${port}`

const codeWords: { readonly [code: string]: string } = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed",
  ETIMEDOUT: "it does not accept the connection",
  ENETUNREACH: "there is no route to its network",
  EHOSTUNREACH: "there is no route to it",
}
