/** Passes a body from one connection to another, and no byte more than its framing says. */

import { never } from "#lib/never.ts"
import type { Framing } from "./http-head.ts"
import { readUntil } from "./reading.ts"
import type { Wire } from "./wire.ts"

/** `broken`: it ended too early, its framing is invalid, or the receiver is gone. */
export type Passed = "whole" | "broken"

/** A change of what passes, which keeps its length in total. */
export interface BodyChange {
  readonly pass: (bytes: Uint8Array) => Uint8Array
  /** What is held back, at the end. */
  readonly rest: () => Uint8Array
}

const unchanged: BodyChange = { pass: (bytes) => bytes, rest: () => new Uint8Array() }

export async function passBody(
  framing: Framing,
  from: Wire,
  to: Wire,
  change: BodyChange = unchanged,
): Promise<Passed> {
  const write = (bytes: Uint8Array): Promise<boolean> => to.write(change.pass(bytes))
  switch (framing.kind) {
    case "none":
      return "whole"
    case "length":
      return passRest(await passBytes(framing.bytes, from, write), to, change)
    case "chunked":
      return passChunks(from, to, change)
    case "until_close":
      return passRest(await passAll(from, write), to, change)
    default:
      return never(framing)
  }
}

type Write = (bytes: Uint8Array) => Promise<boolean>

async function passRest(passed: Passed, to: Wire, { rest }: BodyChange): Promise<Passed> {
  const last = passed === "whole" ? rest() : new Uint8Array()
  // A receiver that has everything may be gone already.
  return last.length === 0 || (await to.write(last)) ? passed : "broken"
}

async function passAll(from: Wire, write: Write): Promise<Passed> {
  for (;;) {
    const bytes = await from.read()
    if (bytes === undefined) return "whole"
    if (!(await write(bytes))) return "broken"
  }
}

async function passBytes(count: number, from: Wire, write: Write): Promise<Passed> {
  let left = count
  while (left > 0) {
    const bytes = await from.read()
    if (bytes === undefined) return "broken"
    from.unread(bytes.subarray(left))
    if (!(await write(bytes.subarray(0, left)))) return "broken"
    left -= Math.min(left, bytes.length)
  }
  return "whole"
}

const lineEnd = Buffer.from("\r\n")
const longestLine = 8192
const mostTrailers = 100

/** Chunks are written again, without their extensions and trailers, so that only what was understood is passed on. */
async function passChunks(from: Wire, to: Wire, change: BodyChange): Promise<Passed> {
  const chunk = async (bytes: Uint8Array): Promise<boolean> =>
    bytes.length === 0 || to.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, lineEnd]))
  for (;;) {
    const line = await readLine(from)
    const [, digits] = /^([0-9a-fA-F]{1,12})[ \t]*(?:;[\t -~\x80-\xff]*)?$/.exec(line ?? "") ?? []
    if (digits === undefined) return "broken"
    const size = Number.parseInt(digits, 16)
    if (size === 0) break
    const passed = await passBytes(size, from, (bytes) => chunk(change.pass(bytes)))
    if (passed === "broken" || (await readLine(from)) !== "") return "broken"
  }
  if (!(await chunk(change.rest()))) return "broken"
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
