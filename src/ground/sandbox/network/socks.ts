/** The proxy's SOCKS5 side: connections to names and addresses; no listening, no datagrams. */

import type { Clock } from "#lib/clock.ts"
import type { ConnectionRefusal, ConnectionWish } from "./gate.ts"
import { plainHost } from "./hosts.ts"
import { finish, headMilliseconds } from "./http-talk.ts"
import { readExactly } from "./reading.ts"
import type { Service } from "./service.ts"
import { tunnel } from "./tunnel.ts"
import type { Wire } from "./wire.ts"

export const socksVersion = 5
const noAuthentication = 0
const byUserName = 2
const noMethod = 0xff

const replies = {
  done: 0,
  failure: 1,
  notAllowed: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  timedOut: 6,
  commandUnknown: 7,
  addressUnknown: 8,
} as const

export async function serveSocks(client: Wire, service: Service): Promise<void> {
  const { gate, clock } = service
  const asked = await greet(client, clock)
  if (asked === undefined) return client.destroy()
  if (typeof asked === "number") return refuse(client, clock, asked)
  const server = await gate.pass(asked, client)
  if (!server.ok) {
    if (server.failure.kind === "left") return client.destroy()
    return refuse(client, clock, replyTo(server.failure))
  }
  if (!(await client.write(reply(replies.done)))) return server.value.destroy()
  await tunnel({ client, server: server.value, wish: asked, service })
}

/** The requested destination, the code of a refusal, or undefined when the client does not speak SOCKS5. */
async function greet(client: Wire, clock: Clock): Promise<ConnectionWish | number | undefined> {
  const late = new AbortController()
  const cancel = clock.after(headMilliseconds, () => late.abort())
  const readBytes = (count: number): Promise<Buffer | undefined> => readExactly(client, count, late.signal)
  try {
    return await readWish(client, readBytes)
  } finally {
    cancel()
  }
}

type ReadBytes = (count: number) => Promise<Buffer | undefined>

async function readWish(client: Wire, readBytes: ReadBytes): Promise<ConnectionWish | number | undefined> {
  const callId = await authenticate(client, readBytes)
  if (callId === undefined) return undefined
  const [version, command, , kind] = (await readBytes(4)) ?? []
  if (version !== socksVersion) return undefined
  if (kind !== 1 && kind !== 3 && kind !== 4) return replies.addressUnknown
  const host = await readHost(kind, readBytes)
  const port = (await readBytes(2))?.readUInt16BE()
  if (port === undefined || host === undefined) return undefined
  if (command !== 1) return replies.commandUnknown
  const plain = plainHost(host)
  if (!plain.ok || port === 0) return replies.addressUnknown
  return { host: plain.value, port, ...(callId !== "" && { callId }) }
}

/** The user name is the call's id; empty when the client sends none. */
async function authenticate(client: Wire, readBytes: ReadBytes): Promise<string | undefined> {
  const [version, count = 0] = (await readBytes(2)) ?? []
  const methods = version === socksVersion ? await readBytes(count) : undefined
  if (methods === undefined) return undefined
  const method = [byUserName, noAuthentication].find((each) => methods.includes(each))
  await client.write(Buffer.from([socksVersion, method ?? noMethod]))
  if (method !== byUserName) return method === undefined ? undefined : ""
  const [subversion, length = 0] = (await readBytes(2)) ?? []
  const name = subversion === 1 ? await readBytes(length) : undefined
  const [passwordLength = 0] = (await readBytes(1)) ?? []
  if (name === undefined || (await readBytes(passwordLength)) === undefined) return undefined
  await client.write(Buffer.from([1, 0]))
  return name.toString("utf8")
}

async function readHost(kind: 1 | 3 | 4, readBytes: ReadBytes): Promise<string | undefined> {
  if (kind === 1) return (await readBytes(4))?.join(".")
  if (kind === 3) {
    const [length = 0] = (await readBytes(1)) ?? []
    return (await readBytes(length))?.toString("utf8")
  }
  const bytes = await readBytes(16)
  return bytes && Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16)).join(":")
}

function replyTo(refusal: Exclude<ConnectionRefusal, { readonly kind: "left" }>): number {
  if (refusal.kind === "denied" || refusal.kind === "special") return replies.notAllowed
  if (refusal.kind === "unresolved") return replies.hostUnreachable
  return codes[refusal.code] ?? replies.failure
}

const codes: { readonly [code: string]: number } = {
  ECONNREFUSED: replies.refused,
  ENETUNREACH: replies.networkUnreachable,
  EHOSTUNREACH: replies.hostUnreachable,
  ETIMEDOUT: replies.timedOut,
}

async function refuse(client: Wire, clock: Clock, code: number): Promise<void> {
  await client.write(reply(code))
  await finish(client, clock)
}

/** The bound address is of no use to a client behind us. */
const reply = (code: number): Buffer => Buffer.from([socksVersion, code, 0, 1, 0, 0, 0, 0, 0, 0])
