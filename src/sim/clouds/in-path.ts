/** Requests that name their model in the path, and their version in the body. */

import type { JsonObject } from "#lib/json.ts"
import { refuse, type Refusal } from "#sim/refusal.ts"

/** The model's name without what a cloud adds: an area, a maker, a day, a version. */
export function plainModel(id: string): string {
  const name = /claude-[\w.-]+/i.exec(id)?.[0] ?? id
  return name.replace(/-v\d+$/, "").replace(/-\d{8}$/, "")
}

export function checkFieldsOf(
  body: JsonObject,
  { version, refused }: { readonly version: string; readonly refused: readonly string[] },
): Refusal {
  const extra = refused.find((field) => field in body)
  if (extra !== undefined) return refuse(extra, "Extra inputs are not permitted")
  return body["anthropic_version"] === version ? undefined : refuse("anthropic_version", `must be ${version}`)
}
