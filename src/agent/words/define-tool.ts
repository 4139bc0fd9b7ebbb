/** Makes a tool from a schema: one declaration gives the model's JSON Schema, the parser and the input type. */

import { z } from "zod"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import type { Parsed, Tool } from "./tool.ts"

const defaultMaxResultChars = 100_000

export interface ToolDefinition<Schema extends z.ZodObject> extends Omit<
  Tool<z.output<Schema>>,
  "schema" | "parse" | "maxResultChars"
> {
  readonly input: Schema
  readonly maxResultChars?: number
}

export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool<z.output<Schema>> {
  const { input, ...rest } = definition
  const strict = input.strict()
  let schema: JsonObject | undefined
  // Made on first use: a tool that is never offered costs nothing at start.
  const jsonSchema = (): JsonObject => (schema ??= toJsonSchema(strict))
  return {
    maxResultChars: defaultMaxResultChars,
    ...rest,
    get schema() {
      return jsonSchema()
    },
    parse: (value) => parse<Schema>(strict, jsonSchema(), value),
  }
}

function toJsonSchema(schema: z.ZodObject): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    // The safe-integer bounds say nothing to a model and cost tokens in every request.
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  return rest as JsonObject
}

function parse<Schema extends z.ZodObject>(
  strict: z.ZodObject,
  json: JsonObject,
  value: JsonObject,
): Parsed<z.output<Schema>> {
  // Compiling a parser takes longer than all the inputs of a session take without one.
  const result = strict.safeParse(coerce(value, json), { jitless: true })
  // The strict schema differs from the typed one only in what it refuses, so its output has the same type.
  if (result.success) return { ok: true, value: result.data as z.output<Schema> }
  const known = isObject(json.properties) ? Object.keys(json.properties) : []
  return { ok: false, message: result.error.issues.map((issue) => sentence(issue, known)).join(" ") }
}

function sentence(issue: z.core.$ZodIssue, known: readonly string[]): string {
  if (issue.code === "unrecognized_keys")
    return issue.keys
      .map((key) => {
        const near = nearNames(key, known, 1)[0]
        return `Unknown field \`${key}\`${near ? `; did you mean \`${near}\`?` : `; the fields are ${known.join(", ")}.`}`
      })
      .join(" ")
  const field = issue.path.length === 0 ? "The input" : `Field \`${issue.path.join(".")}\``
  return `${field}: ${issue.message}.`
}

/** Models send numbers and booleans as strings now and then; where the schema wants one and the text is one, it becomes one. */
function coerce(value: JsonValue, schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return value
  if (typeof value === "string") return coerceText(value, schema.type)
  if (Array.isArray(value)) return value.map((element: JsonValue) => coerce(element, schema.items))
  if (!isObject(value) || !isObject(schema.properties)) return value
  const properties = schema.properties
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, coerce(inner, properties[key])]))
}

function coerceText(value: string, type: JsonValue | undefined): JsonValue {
  if ((type === "number" || type === "integer") && value.trim() !== "" && Number.isFinite(Number(value)))
    return Number(value)
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true"
  return value
}
