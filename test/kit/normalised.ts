/** What differs from run to run, replaced by what stands for it, so that whole objects can be compared. */

import { isObject, type JsonValue } from "#lib/json.ts"

/** Numbers that depend on the machine, or on the length of prompts and descriptions that others may reword. */
const numbers: readonly string[] = [
  "duration_ms",
  "duration_api_ms",
  "ttft_ms",
  "retry_delay_ms",
  "total_cost_usd",
  "costUSD",
  "costUsd",
  "durationMs",
  "input_tokens",
  "output_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "inputTokens",
  "outputTokens",
  "cacheReadInputTokens",
  "cacheCreationInputTokens",
  "ephemeral_5m_input_tokens",
  "end_time",
]

/** Ids are numbered as they appear, so that it still shows which are the same. */
const ids: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["id", /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g],
  ["message", /msg_sim[0-9a-f]+/g],
  ["call", /toolu_sim[0-9a-f]+/g],
  ["request", /req_sim[0-9a-f]+/g],
  ["run", /run_[0-9a-z]{13}/g],
  ["host", /127\.0\.0\.1:\d+/g],
]

/** The value with everything volatile named; `folder` becomes `<place>`. */
export function normalised(value: unknown, folder: string): JsonValue {
  const seen = new Map<string, string>()
  const counts = new Map<string, number>()
  const slug = folder.replace(/[^A-Za-z0-9]/g, "-")

  const named = (name: string, text: string): string => {
    const known = seen.get(text)
    if (known !== undefined) return known
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    seen.set(text, `<${name} ${count}>`)
    return `<${name} ${count}>`
  }
  const inText = (text: string): string =>
    ids
      .reduce((so, [name, pattern]) => so.replaceAll(pattern, (found) => named(name, found)), text)
      .replaceAll(folder, "<place>")
      .replaceAll(slug, "<slug>")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>")
  const inValue = (inner: JsonValue, key: string): JsonValue => {
    if (typeof inner === "string")
      return key === "claude_code_version" || key === "version" ? "<version>" : inText(inner)
    if (typeof inner === "number") return numbers.includes(key) ? "<number>" : inner
    if (Array.isArray(inner)) return key === "tools" ? "<tools>" : inner.map((one: JsonValue) => inValue(one, ""))
    if (!isObject(inner)) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, one]) => [inText(name), inValue(one, name)]))
  }
  return inValue(JSON.parse(JSON.stringify(value)) as JsonValue, "")
}
