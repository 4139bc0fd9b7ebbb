/**
 * What goes between a program and the host it was allowed to reach. The name in a TLS greeting and the host of plain
 * requests are checked; where credentials of the host were handed in as sentinels, TLS is ended here.
 */

import type { Clock } from "#lib/clock.ts"
import { failed, type Result } from "#lib/result.ts"
import { type FirstBytes, openHttpWatch, readFirstBytes } from "./first-bytes.ts"
import { type ConnectionWish, sayRefusal } from "./gate.ts"
import { plainHost } from "./hosts.ts"
import type { BodyChange } from "./http-body.ts"
import { type InnerParts, serveInner } from "./inner-http.ts"
import { pump } from "./pump.ts"
import type { Credentials, Service } from "./service.ts"
import type { Wire } from "./wire.ts"

export interface TunnelOptions {
  readonly client: Wire
  readonly server: Wire
  /** What was allowed. A client that names another host in TLS or in a request would reach that one. */
  readonly wish: ConnectionWish
  readonly service: Service
}

/** How long to wait, each time, for data to a client that has finished sending. */
const lingerMilliseconds = 60_000
const handshakeMilliseconds = 30_000

export async function tunnel({ client, server, wish, service }: TunnelOptions): Promise<void> {
  const { clock, misnamed } = service
  const destroy = (): void => {
    client.destroy()
    server.destroy()
  }

  function isRight(first: FirstBytes | undefined): first is FirstBytes {
    const name = first?.kind === "tls" ? wrongName(first.name, wish.host) : undefined
    if (name !== undefined) misnamed({ ...wish, host: name })
    return first !== undefined && name === undefined
  }

  const waiting = readFirstBytes(client, clock)
  const first = await unlessServerBegins(waiting, server)
  if (first === "server") {
    const begin = async (): Promise<boolean> => {
      const late = await waiting
      if (!isRight(late) || late.kind === "http") return false
      client.unread(late.bytes)
      return true
    }
    return joinWires(client, server, { clock, begin })
  }
  if (!isRight(first)) return destroy()
  client.unread(first.bytes)
  const credentials = first.kind === "tls" ? service.credentials() : undefined
  if (credentials && credentials.of(wish.host, wish.port).length > 0)
    return intercept({ client, server, wish, service }, credentials)
  if (first.kind === "http")
    return inner({ client, wish, service, dial: dialer({ client, server, wish, service }), secrets: () => [] })
  return joinWires(client, server, { clock })
}

/** TLS ends here and starts again towards the real server, whose certificate is checked as the client would. */
async function intercept({ client, server, wish, service }: TunnelOptions, credentials: Credentials): Promise<void> {
  const { endTls } = await import("./tls-end.ts")
  const decrypted = await endTls(client, {
    socket: credentials.socket(),
    issued: credentials.certificateFor(wish.host),
  })
  if (!decrypted.ok) {
    server.destroy()
    return client.destroy()
  }
  const dial = dialer({ client, server, wish, service })
  await inner({
    client: decrypted.value,
    wish,
    service,
    secrets: () => credentials.of(wish.host, wish.port),
    async dial() {
      const dialed = await dial()
      if (!dialed.ok) return dialed
      const late = new AbortController()
      const cancel = service.clock.after(handshakeMilliseconds, () => late.abort())
      const secure = await dialed.value.secure({ host: wish.host, roots: credentials.roots() }, late.signal)
      cancel()
      return secure.ok ? secure : failed(`No secure connection to ${wish.host}: ${secure.failure}.`)
    },
  })
}

/** The connection that is there, and then new ones, each judged again. */
function dialer({ client, server, wish, service }: TunnelOptions): () => Promise<Result<Wire, string>> {
  let ready: Wire | undefined = server
  return async () => {
    const before = ready
    ready = undefined
    if (before !== undefined && !before.isClosed()) return { ok: true, value: before }
    const passed = await service.gate.pass(wish, client)
    return passed.ok ? passed : failed(sayRefusal(passed.failure))
  }
}

async function inner(parts: InnerParts): Promise<void> {
  const { switched } = await serveInner(parts)
  if (switched) {
    const change = switched.answer?.body()
    return joinWires(parts.client, switched.server, { clock: parts.service.clock, ...(change && { change }) })
  }
  parts.client.end()
}

interface JoinOptions {
  readonly clock: Clock
  /** For what the server sends. */
  readonly change?: BodyChange
  /** Waited for before anything of the client is passed on; false closes both. */
  readonly begin?: () => Promise<boolean>
}

/** Bytes in both directions. */
async function joinWires(client: Wire, server: Wire, { clock, change, begin }: JoinOptions): Promise<void> {
  const destroy = (): void => {
    client.destroy()
    server.destroy()
  }

  async function upwards(): Promise<void> {
    if (begin && !(await begin())) return destroy()
    await pump(client, server, change ? {} : { mayPass: openHttpWatch() })
  }

  let hasLeft = false
  let cancel = (): void => {}
  const passed = (): void => {
    cancel()
    if (hasLeft) cancel = clock.after(lingerMilliseconds, destroy)
  }
  const stay = client.whenLeft(() => {
    hasLeft = true
    passed()
  })
  await Promise.all([upwards(), pump(server, client, { passed, ...(change && { change }) })])
  stay()
  cancel()
  client.end()
  server.end()
}

/** What the client begins with, unless the server speaks first, as for mail. */
async function unlessServerBegins<First>(client: Promise<First>, server: Wire): Promise<First | "server"> {
  const stop = new AbortController()
  const spoken = async (): Promise<"server"> => {
    const bytes = await server.read(stop.signal)
    if (bytes !== undefined) server.unread(bytes)
    return "server"
  }
  const first = await Promise.race([client, spoken()])
  stop.abort()
  return first
}

/** The name, if it is not the host that was allowed. Without a name, the host is all there is. */
function wrongName(name: string | undefined, host: string): string | undefined {
  if (name === undefined) return undefined
  const plain = plainHost(name)
  if (plain.ok && plain.value === host) return undefined
  return plain.ok ? plain.value : host
}
