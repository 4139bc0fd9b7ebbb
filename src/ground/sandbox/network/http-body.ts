/** Passes a body from one connection to another, and no byte more than its framing says. */

import { never } from "#lib/never.ts"
import type { Framing } from "./http-head.ts"
import { readUntil } from "./reading.ts"
import type { Wire } from "./wire.ts"

/** `broken`: it ended too early, its framing is invalid, or the receiver is gone. */
export type Passed = "whole" | "broken"

export async function passBody(framing: Framing, from: Wire, to: Wire): Promise<Passed> {
  switch (framing.kind) {
    case "none":
      return "whole"
    case "length":
      return passBytes(framing.bytes, from, to)
    case "chunked":
      return passChunks(from, to)
    case "until_close":
      return passAll(from, to)
    default:
      return never(framing)
  }
}

async function passAll(from: Wire, to: Wire): Promise<Passed> {
  for (;;) {
    const bytes = await from.read()
    if (bytes === undefined) return "whole"
    if (!(await to.write(bytes))) return "broken"
  }
}

async function passBytes(count: number, from: Wire, to: Wire): Promise<Passed> {
  let left = count
  while (left > 0) {
    const bytes = await from.read()
    if (bytes === undefined) return "broken"
    from.unread(bytes.subarray(left))
    if (!(await to.write(bytes.subarray(0, left)))) return "broken"
    left -= Math.min(left, bytes.length)
  }
  return "whole"
}

const longestLine = 8192
const mostTrailers = 100

/** Chunks are written again, without their extensions and trailers, so that only what was understood is passed on. */
async function passChunks(from: Wire, to: Wire): Promise<Passed> {
  for (;;) {
    const line = await readLine(from)
    const [, digits] = /^([0-9a-fA-F]{1,12})[ \t]*(?:;[\t -~\x80-\xff]*)?$/.exec(line ?? "") ?? []
    if (digits === undefined) return "broken"
    const size = Number.parseInt(digits, 16)
    if (size === 0) break
    if (!(await to.write(Buffer.from(`${size.toString(16)}\r\n`)))) return "broken"
    if ((await passBytes(size, from, to)) === "broken" || (await readLine(from)) !== "") return "broken"
    if (!(await to.write(Buffer.from("\r\n")))) return "broken"
  }
  for (let count = 0; count < mostTrailers; count++) {
    const line = await readLine(from)
    if (line === undefined) return "broken"
    if (line === "") return (await to.write(Buffer.from("0\r\n\r\n"))) ? "whole" : "broken"
  }
  return "broken"
}

async function readLine(from: Wire): Promise<string | undefined> {
  const line = await readUntil(from, "\r\n", longestLine)
  return line === undefined || line === "too_long" ? undefined : line.toString("latin1")
}
