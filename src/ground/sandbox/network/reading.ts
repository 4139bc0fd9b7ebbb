/** Reads a connection up to a delimiter or a number of bytes; what follows stays for the next reader. */

import type { Wire } from "./wire.ts"

/**
 * Everything before the delimiter, which is dropped; `too_long` beyond so many bytes, undefined when the stream ends
 * first.
 */
export async function readUntil(
  wire: Wire,
  mark: string,
  most: number,
  signal?: AbortSignal,
): Promise<Buffer | "too_long" | undefined> {
  let buffered: Buffer = Buffer.alloc(0)
  for (;;) {
    const bytes = await wire.read(signal)
    if (bytes === undefined) return undefined
    const from = Math.max(0, buffered.length - mark.length)
    buffered =
      buffered.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        : Buffer.concat([buffered, bytes])
    const at = buffered.indexOf(mark, from, "latin1")
    if (at >= 0 && at <= most) {
      wire.unread(buffered.subarray(at + mark.length))
      return buffered.subarray(0, at)
    }
    if (at >= 0 || buffered.length > most) return "too_long"
  }
}

/** Undefined when the stream ends first. */
export async function readExactly(wire: Wire, count: number, signal?: AbortSignal): Promise<Buffer | undefined> {
  let buffered: Buffer = Buffer.alloc(0)
  while (buffered.length < count) {
    const bytes = await wire.read(signal)
    if (bytes === undefined) return undefined
    buffered = Buffer.concat([buffered, bytes])
  }
  wire.unread(buffered.subarray(count))
  return buffered.subarray(0, count)
}
