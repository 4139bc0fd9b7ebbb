/** What a client sent: read up to a bound, and judged by the schema of its route. */

import type { ZodType } from "zod"
import { isObject, type JsonObject, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Refusal, refusal } from "./refusal.ts"

export const mostBytes = 1_000_000

export async function bodyOf(request: Request, schema: ZodType): Promise<Result<JsonObject, Refusal>> {
  const text = await textOf(request)
  if (!text.ok) return text
  const given = objectIn(text.value)
  if (!given) return failed(refusal("bad_request", "The body is not a JSON object."))
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    const said = parsed.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "))
    return failed(refusal("invalid", said.join("; ")))
  }
  return isObject(parsed.data) ? ok(parsed.data) : failed(refusal("bad_request", "The body is not a JSON object."))
}

/** Reads no more than it may, whatever the client says about the length. */
async function textOf(request: Request): Promise<Result<string, Refusal>> {
  const tooLarge = failed(refusal("too_large", `A body has at most ${mostBytes} bytes.`))
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) return tooLarge
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of request.body ?? []) {
    bytes += piece.byteLength
    if (bytes > mostBytes) return tooLarge
    pieces.push(piece)
  }
  return ok(Buffer.concat(pieces).toString("utf8"))
}
