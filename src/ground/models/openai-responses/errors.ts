/** Errors inside an answer, by their codes: each counts like the status it would have had before the answer began. */

import type { DecodeStatus } from "#ground/models/format.ts"
import { isObject, type JsonValue } from "#lib/json.ts"

export function errorIn(error: JsonValue | undefined): DecodeStatus {
  const { type, code, message } = isObject(error) ? error : {}
  const name = typeof code === "string" ? code : ""
  const status = statusOf(name)
  return {
    kind: "refused",
    type: overloadCodes.has(name) ? "overloaded_error" : typeof type === "string" && type !== "" ? type : name,
    message: typeof message === "string" ? message : "",
    ...(status !== undefined && { status }),
  }
}

/** Providers that have no status of their own for it name it. */
const overloadCodes: ReadonlySet<string> = new Set(["server_is_overloaded", "overloaded", "slow_down"])

const statuses: { readonly [code: string]: number } = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_error: 500,
  vector_store_timeout: 504,
  invalid_api_key: 401,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  data_residency_mismatch: 400,
}

/** Undefined where the type decides. */
function statusOf(code: string): number | undefined {
  if (overloadCodes.has(code)) return 503
  if (Object.hasOwn(statuses, code)) return statuses[code]
  return /image|policy|^invalid_/.test(code) ? 400 : undefined
}
