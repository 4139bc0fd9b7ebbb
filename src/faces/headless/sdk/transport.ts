/** How messages come in: as lines of bytes from another process, or as objects of this one. */

import type { JsonObject } from "#lib/json.ts"
import { failed, type Result } from "#lib/result.ts"
import { type Inbound, readInbound, readMessage } from "./inbound.ts"
import { linesIn, longestLine } from "#lib/input-lines.ts"

export type InboundStream = AsyncIterable<Result<Inbound, string>>

export async function* fromLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Result<Inbound, string>, void> {
  for await (const line of linesIn(input))
    yield line.kind === "line" ? readInbound(line.text) : failed(lineWords[line.kind])
}

export async function* fromObjects(input: AsyncIterable<object>): AsyncGenerator<Result<Inbound, string>, void> {
  for await (const message of input) yield readMessage(message as JsonObject)
}

const lineWords = {
  too_long: `a line of more than ${longestLine / 1_000_000} MB`,
  not_utf8: "a line that is not UTF-8",
} as const
