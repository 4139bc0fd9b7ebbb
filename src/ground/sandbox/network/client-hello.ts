/** The server name in the first message of a TLS client, as far as the message has arrived. */

export type ClientHello =
  | { readonly kind: "more" }
  | { readonly kind: "other" }
  /** Starts like TLS but is invalid. */
  | { readonly kind: "broken" }
  /** `name` is absent when the client names no server, as for an address. */
  | { readonly kind: "hello"; readonly name?: string }

/** The most that a first message may take, all records included. */
export const longestHello = 65_536

const handshakeRecord = 0x16
const clientHelloMessage = 0x01

export function readClientHello(bytes: Uint8Array): ClientHello {
  if (bytes.length === 0) return { kind: "more" }
  if (bytes[0] !== handshakeRecord) return { kind: "other" }
  if (bytes.length < 2) return { kind: "more" }
  if (bytes[1] !== 3) return { kind: "other" }
  const message = joinRecords(bytes)
  if (message === "broken") return { kind: "broken" }
  if (message.length < 4) return bytes.length > longestHello ? { kind: "broken" } : { kind: "more" }
  if (message[0] !== clientHelloMessage) return { kind: "broken" }
  const length = number(message, 1, 3)
  if (length > longestHello) return { kind: "broken" }
  if (message.length < 4 + length) return bytes.length > longestHello ? { kind: "broken" } : { kind: "more" }
  return readMessage(message.subarray(4, 4 + length))
}

/** The handshake message out of its records; a client may split it into any number of them. */
function joinRecords(bytes: Uint8Array): Uint8Array | "broken" {
  const parts: Uint8Array[] = []
  let at = 0
  while (at + 5 <= bytes.length) {
    const length = number(bytes, at + 3, 2)
    if (bytes[at] !== handshakeRecord || bytes[at + 1] !== 3 || length === 0 || length > 16_384)
      return parts.length > 0 && isWhole(parts) ? joined(parts) : "broken"
    parts.push(bytes.subarray(at + 5, at + 5 + length))
    at += 5 + length
  }
  return joined(parts)
}

/** What follows the message may be a record of another kind. */
function isWhole(parts: readonly Uint8Array[]): boolean {
  const message = joined(parts)
  return message.length >= 4 && message.length >= 4 + number(message, 1, 3)
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => (parts.length === 1 && parts[0]) || Buffer.concat(parts)

function readMessage(message: Uint8Array): ClientHello {
  // Version and random come first, then three lists, each after its length.
  let at = 2 + 32
  for (const width of [1, 2, 1]) {
    if (at + width > message.length) return { kind: "broken" }
    at += width + number(message, at, width)
  }
  if (at === message.length) return { kind: "hello" }
  if (at + 2 > message.length || at + 2 + number(message, at, 2) !== message.length) return { kind: "broken" }
  at += 2
  let name: string | undefined
  while (at < message.length) {
    if (at + 4 > message.length) return { kind: "broken" }
    const [type, length] = [number(message, at, 2), number(message, at + 2, 2)]
    at += 4
    if (at + length > message.length) return { kind: "broken" }
    if (type === 0) {
      const named = readServerName(message.subarray(at, at + length))
      if (named === undefined || name !== undefined) return { kind: "broken" }
      name = named
    }
    at += length
  }
  return name === undefined ? { kind: "hello" } : { kind: "hello", name }
}

/** A list with one host name; different servers would read anything else differently. */
function readServerName(list: Uint8Array): string | undefined {
  if (list.length < 5 || number(list, 0, 2) !== list.length - 2 || list[2] !== 0) return undefined
  const name = list.subarray(5)
  return number(list, 3, 2) === name.length ? Buffer.from(name).toString("latin1") : undefined
}

function number(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let i = 0; i < width; i++) value = value * 256 + (bytes[at + i] ?? 0)
  return value
}
