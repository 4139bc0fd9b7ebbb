/** Frames of Amazon's event stream, as text in which each character is one byte. */

import { objectIn } from "#lib/json.ts"

/** Lengths and checksums are numbers of four bytes, the highest first. */
export function frame(headers: { readonly [name: string]: string }, payload: string): string {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)))
  const body = Buffer.from(payload)
  const lengths = Buffer.concat([uint32(16 + head.length + body.length), uint32(head.length)])
  const before = Buffer.concat([lengths, uint32(Bun.hash.crc32(lengths)), head, body])
  return Buffer.concat([before, uint32(Bun.hash.crc32(before))]).toString("latin1")
}

/** The events inside the frames of an answer, as lines of server-sent events. */
export function framedEvents(bytes: Buffer): string {
  const lines: string[] = []
  for (let at = 0; at + 16 <= bytes.length; at += bytes.readUInt32BE(at)) {
    const size = bytes.readUInt32BE(at)
    if (size < 16 || at + size > bytes.length) break
    const payload = bytes.toString("utf8", at + 12 + bytes.readUInt32BE(at + 4), at + size - 4)
    const inside = objectIn(payload)?.bytes
    if (typeof inside === "string") lines.push(`data: ${Buffer.from(inside, "base64").toString("utf8")}`)
  }
  return lines.join("\n")
}

const text = 7

function header(name: string, value: string): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([text]), length, bytes])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
