/** A call as it is judged: fully declared, or with a changed input. */

import { bothOf } from "#agent/words/footprint.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { JsonObject } from "#lib/json.ts"

/** An outer layer may have changed only the raw or only the parsed input: then both are judged. In plan mode no declared footprint is trusted. */
export function declaredWhole(call: Call, mode: PermissionMode): Call {
  const { tool, input, parsed } = call
  const footprint = mode === "plan" ? tool.footprint(parsed) : call.footprint
  const typed = tool.parse(input)
  const isSame = !typed.ok || Bun.deepEquals(typed.value, parsed, true)
  if (isSame && footprint === call.footprint) return call
  return { ...call, footprint: isSame ? footprint : bothOf(footprint, tool.footprint(typed.value)) }
}

/** The call with another input, parsed and checked like the original; a message for the model if it is invalid. */
export async function withInput(call: Call, input: JsonObject, who = "the user"): Promise<Call | string> {
  const { tool, signal } = call
  const parsed = tool.parse(input)
  if (!parsed.ok) return `${tool.name} was not run: the input that ${who} changed is not valid. ${parsed.message}`
  const complaint = await tool.validate?.(parsed.value, signal)
  if (complaint !== undefined) return typeof complaint === "string" ? complaint : complaint.message
  return { ...call, input, parsed: parsed.value, footprint: tool.footprint(parsed.value) }
}
