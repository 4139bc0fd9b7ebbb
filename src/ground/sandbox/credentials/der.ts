/** The few forms of DER that a certificate is made of. */

/** A value with its tag and its length in front. */
export function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = minimal(BigInt(length))
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

function minimal(value: bigint): Buffer {
  const digits = value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => tagged(0x30, ...contents)
export const setOf = (...contents: readonly Uint8Array[]): Buffer => tagged(0x31, ...contents)
export const octets = (content: Uint8Array): Buffer => tagged(0x04, content)
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text))
export const yes: Buffer = tagged(0x01, Buffer.from([0xff]))

/** Never negative: a leading zero keeps the highest bit from meaning a sign. */
export function integer(value: bigint): Buffer {
  const bytes = minimal(value)
  return tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

export const bits = (content: Uint8Array, unused = 0): Buffer => tagged(0x03, Buffer.from([unused]), content)

/** `1.2.840.10045.4.3.2` */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(inSevens)]))
}

function inSevens(value: number): number[] {
  const groups = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
  return groups
}

/** Two digits for the year up to 2049 and four after it, as certificates require. */
export function time(milliseconds: number): Buffer {
  const [date = ""] = new Date(milliseconds).toISOString().split(".")
  const digits = date.replaceAll(/[-:T]/g, "")
  return Number(digits.slice(0, 4)) < 2050
    ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : tagged(0x18, Buffer.from(`${digits}Z`))
}
