/** A call as it is judged: fully declared. */

import { bothOf } from "#agent/words/footprint.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { PermissionMode } from "#agent/words/permission.ts"

/** An outer layer may have changed only the raw or only the parsed input: then both are judged. In plan mode no declared footprint is trusted. */
export function declaredWhole(call: Call, mode: PermissionMode): Call {
  const { tool, input, parsed } = call
  const footprint = mode === "plan" ? tool.footprint(parsed) : call.footprint
  const typed = tool.parse(input)
  const isSame = !typed.ok || Bun.deepEquals(typed.value, parsed, true)
  if (isSame && footprint === call.footprint) return call
  return { ...call, footprint: isSame ? footprint : bothOf(footprint, tool.footprint(typed.value)) }
}
