/** The schema of structured output as it is given: whether it can be followed, and how the model sees it. */

import { acceptable } from "#kits/mcp/schema.ts"
import type { StructuredPorts } from "#kits/structured/kit.ts"
import type { JsonObject } from "#lib/json.ts"
import { readSchema } from "#lib/json-schema.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** The failure is a sentence for whoever gave the schema. */
export function readOutputSchema(schema: JsonObject): Result<StructuredPorts, string> {
  const check = readSchema(schema)
  if (!check.ok) return failed(`The JSON schema for the output cannot be used: ${check.failure}`)
  const { type = "object" } = schema
  if (type !== "object")
    return failed(`The JSON schema for the output must describe an object: its type is ${JSON.stringify(type)}.`)
  return ok({ ...acceptable(schema), check: check.value })
}
