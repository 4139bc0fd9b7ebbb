/** The sandbox's proxy: HTTP and SOCKS5 on one unix socket, told apart by the first byte; each host is judged. */

import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import type { NetworkPolicy } from "#ground/sandbox/policy.ts"
import type { Violation } from "#agent/words/confinement.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type GateOptions, type Judge, openGate, type Resolve, type ConnectionWish } from "./gate.ts"
import { leadsWhereAllowed, verdict } from "./hosts.ts"
import { serveHttp } from "./http.ts"
import { idleMilliseconds } from "./http-talk.ts"
import type { Service } from "./service.ts"
import { isOwnAddress } from "./own-addresses.ts"
import { serveSocks, socksVersion } from "./socks.ts"
import { listen, type Wire } from "./wire.ts"

export interface Proxy {
  /** Hosts refused to a call, or to clients that named no call: each once, in order. */
  readonly violations: (callId?: string) => readonly Violation[]
  readonly forget: (callId?: string) => void
  readonly connections: () => number
  readonly close: () => void
}

export interface ProxyOptions {
  /** The socket's path. Its folder is created, private to the user. */
  readonly socket: string
  readonly judge: Judge
  readonly mayLeadTo: (wish: ConnectionWish, address: string) => boolean
  readonly isOwn: (address: string) => boolean
  readonly resolve: Resolve
  readonly clock: Clock
  readonly credentials?: Service["credentials"]
  readonly reached?: GateOptions["reached"]
  readonly upstream?: GateOptions["upstream"]
}

/** Judges hosts by a policy; only those it leaves open are asked about. */
export function judgeBy(
  policy: () => NetworkPolicy,
  ask: (wish: ConnectionWish, signal: AbortSignal) => Promise<"allow" | "deny">,
  isOwn: (address: string) => boolean = isOwnAddress,
): Pick<ProxyOptions, "judge" | "mayLeadTo" | "isOwn"> {
  return {
    async judge(wish, signal) {
      const { decision, because } = verdict(policy(), wish.host, wish.port)
      if (decision === "ask") return ask(wish, signal)
      return decision === "allow" ? "allow" : { deny: because }
    },
    mayLeadTo: ({ host, port }, address) => leadsWhereAllowed(policy(), host, port, address, isOwn),
    isOwn,
  }
}

const mostConnections = 1024
const mostRemembered = 200
const mostCalls = 1000

export function openProxy(options: ProxyOptions): Result<Proxy, string> {
  const { socket, judge, mayLeadTo, isOwn, resolve, clock, reached, upstream, credentials = () => undefined } = options
  const refusals = openRefusals()
  const gate = openGate({ judge, mayLeadTo, isOwn, resolve, clock, refused: refusals.add, reached, upstream })
  const service: Service = { gate, clock, misnamed: refusals.add, credentials }
  const wires = new Set<Wire>()

  async function serve(client: Wire): Promise<void> {
    const idle = new AbortController()
    const cancel = clock.after(idleMilliseconds, () => idle.abort())
    const first = await client.read(idle.signal)
    cancel()
    if (first === undefined) return
    client.unread(first)
    await (first[0] === socksVersion ? serveSocks : serveHttp)(client, service)
  }

  async function accept(client: Wire): Promise<void> {
    if (wires.size >= mostConnections) return client.destroy()
    wires.add(client)
    try {
      await serve(client)
      client.end()
    } catch {
      // Whoever judges or resolves made a mistake: nothing is let through because of it.
      client.destroy()
    } finally {
      wires.delete(client)
    }
  }

  try {
    mkdirSync(dirname(socket), { recursive: true, mode: 0o700 })
    chmodSync(dirname(socket), 0o700)
    rmSync(socket, { force: true })
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
  const listening = listen(socket, (client) => void accept(client))
  if (!listening.ok) return listening
  return ok({
    violations: refusals.of,
    forget: refusals.forget,
    connections: () => wires.size,
    close() {
      listening.value.close()
      for (const wire of wires) wire.destroy()
      rmSync(socket, { force: true })
    },
  })
}

interface Refusals {
  readonly add: (wish: ConnectionWish) => void
  readonly of: (callId?: string) => readonly Violation[]
  readonly forget: (callId?: string) => void
}

/** Bounded: a program can try any number of hosts in the name of any number of calls. */
function openRefusals(): Refusals {
  const byCall = new Map<string, Map<string, Violation>>()
  return {
    add({ host, port, callId = "" }) {
      if (!byCall.has(callId) && byCall.size >= mostCalls) return
      const known = byCall.get(callId) ?? new Map<string, Violation>()
      byCall.set(callId, known)
      if (known.size < mostRemembered) known.set(`${host} ${port}`, { kind: "host", host, port })
    },
    of: (callId = "") => [...(byCall.get(callId)?.values() ?? [])],
    forget: (callId = "") => void byCall.delete(callId),
  }
}
