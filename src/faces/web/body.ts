/** What a client sent: read up to a bound, and judged by the schema of its route. */

import type { ZodType } from "zod"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Refusal, refusal } from "./refusal.ts"

const usualBytes = 1_000_000
const mostDepth = 100

/** How long a client may take to send a body. */
export interface BodyPatience {
  readonly clock: Clock
  readonly bodyMs: number
}

export async function bodyOf(
  request: Request,
  schema: ZodType,
  patience: BodyPatience,
  mostBytes: number = usualBytes,
): Promise<Result<JsonObject, Refusal>> {
  const text = await textOf(request, patience, mostBytes)
  if (!text.ok) return text
  const body = text.value.trim() === "" ? {} : objectIn(text.value)
  if (!body) return failed(refusal("bad_request", "The body is not a JSON object."))
  return bodyFrom(body, schema)
}

/** What arrived in another way than as the body of a request. */
export function bodyFrom(body: JsonObject, schema: ZodType): Result<JsonObject, Refusal> {
  if (isTooDeep(body)) return failed(refusal("invalid", `The body is nested more than ${mostDepth} levels deep.`))
  return fitting(body, schema)
}

/** Level by level: what calls itself for each of them, as schemas do, runs out of stack. */
function isTooDeep(body: JsonObject): boolean {
  let level: readonly JsonValue[] = [body]
  for (let depth = 0; depth <= mostDepth; depth++) {
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []))
    if (level.length === 0) return false
  }
  return true
}

/** What is there in a query; a field without a value is left out. */
export const queryOf = (query: URLSearchParams, schema: ZodType): Result<JsonObject, Refusal> =>
  fitting(Object.fromEntries([...query].filter(([, value]) => value !== "")), schema)

function fitting(input: JsonObject, schema: ZodType): Result<JsonObject, Refusal> {
  const parsed = schema.safeParse(input)
  if (parsed.success && isObject(parsed.data)) return ok(parsed.data)
  const issues = parsed.error?.issues ?? []
  const said = issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "))
  return failed(refusal("invalid", said.join("; ")))
}

/** Reads no more than it may, whatever the client says about the length, and waits no longer than it should. */
async function textOf(
  request: Request,
  { clock, bodyMs }: BodyPatience,
  mostBytes: number,
): Promise<Result<string, Refusal>> {
  const tooLarge = failed(refusal("too_large", `A body has at most ${mostBytes} bytes.`))
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) return tooLarge
  const reader = request.body?.getReader()
  if (!reader) return ok("")
  const late = deferred<"late">()
  const stop = clock.after(bodyMs, () => late.resolve("late"))
  try {
    const pieces: Uint8Array[] = []
    for (let bytes = 0; ;) {
      const read = await Promise.race([reader.read(), late.promise])
      if (read === "late") return failed(refusal("bad_request", "The body did not arrive in time."))
      if (read.done) return ok(Buffer.concat(pieces).toString("utf8"))
      bytes += read.value.byteLength
      if (bytes > mostBytes) return tooLarge
      pieces.push(read.value)
    }
  } finally {
    stop()
    reader.cancel().catch(() => undefined)
  }
}
