/**
 * The schema of a tool as Gemini takes it: few keywords, no `$schema`, no reference beside anything else, not too deep.
 * A single schema that does not fit gets a whole request refused, so each is rewritten. What is left out only says
 * less to the model: inputs are checked before a tool runs.
 */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** Passed on as they are. */
const plain: ReadonlySet<string> = new Set(
  (
    "title description default example nullable pattern propertyOrdering minItems maxItems minLength maxLength " +
    "minProperties maxProperties minimum maximum additionalProperties"
  ).split(" "),
)
const formats: ReadonlySet<JsonValue> = new Set("date-time date time float double int32 int64".split(" "))
const types: ReadonlySet<JsonValue> = new Set("string number integer boolean array object null".split(" "))

/** Beyond these, anything may be given. References can make a small schema endless. */
const deepest = 24
const mostNodes = 2_000

interface SchemaWalk {
  readonly root: JsonObject
  /** References that are being followed. */
  readonly open: readonly string[]
  readonly depth: number
  readonly budget: { left: number }
}

export function fittedSchema(schema: JsonObject): JsonObject {
  const walk: SchemaWalk = { root: schema, open: ["#"], depth: 0, budget: { left: mostNodes } }
  return { ...fit(schema, walk), type: "object" }
}

function fit(schema: JsonValue, from: SchemaWalk): JsonObject {
  from.budget.left--
  if (!isObject(schema) || from.depth > deepest || from.budget.left < 0) return {}
  const { whole, walk } = resolved(schema, from)
  const below: SchemaWalk = { ...walk, depth: walk.depth + 1 }
  return { ...keptOf(whole), ...boundsOf(whole), ...childrenOf(whole, below) }
}

/** With what it refers to, and all that it is made of, in one. */
function resolved(schema: JsonObject, walk: SchemaWalk): { readonly whole: JsonObject; readonly walk: SchemaWalk } {
  const { $ref: reference, allOf, ...own } = schema
  if (typeof reference === "string") {
    const target = walk.open.includes(reference) ? undefined : targetOf(reference, walk.root)
    const inner: SchemaWalk = { ...walk, open: [...walk.open, reference] }
    return resolved({ ...target, ...own, ...definedField("allOf", allOf ?? target?.allOf) }, inner)
  }
  if (!Array.isArray(allOf)) return { whole: own, walk }
  const parts = allOf.filter(isObject).map((part: JsonObject) => resolved(part, walk))
  const open = [...new Set([...walk.open, ...parts.flatMap((part) => part.walk.open)])]
  return { whole: [...parts.map((part) => part.whole), own].reduce(joined, {}), walk: { ...walk, open } }
}

const definedField = (name: string, value: JsonValue | undefined): JsonObject =>
  value === undefined ? {} : { [name]: value }

function joined(a: JsonObject, b: JsonObject): JsonObject {
  return {
    ...a,
    ...b,
    ...(isObject(a.properties) && isObject(b.properties) && { properties: { ...a.properties, ...b.properties } }),
    ...(Array.isArray(a.required) && Array.isArray(b.required) && { required: [...a.required, ...b.required] }),
  }
}

/** Undefined for a reference into another document, and for one that leads nowhere. */
function targetOf(reference: string, root: JsonObject): JsonObject | undefined {
  if (!reference.startsWith("#/")) return undefined
  let at: JsonValue | undefined = root
  for (const step of reference.slice(2).split("/")) {
    const name = unescaped(step)
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : Array.isArray(at) ? at[Number(name)] : undefined
  }
  return isObject(at) ? at : undefined
}

function unescaped(step: string): string {
  const plainStep = step.replaceAll("~1", "/").replaceAll("~0", "~")
  try {
    return decodeURIComponent(plainStep)
  } catch {
    return plainStep
  }
}

function keptOf({ type, format, enum: values, const: value, required, properties, ...rest }: JsonObject): JsonObject {
  const kept = Object.entries(rest).filter(([name]) => plain.has(name))
  const kinds = (Array.isArray(type) ? type : [type]).filter((kind: JsonValue | undefined) => types.has(kind ?? ""))
  const choices = (Array.isArray(values) ? values : [value]).filter(
    (choice: JsonValue | undefined) => typeof choice === "string" || typeof choice === "number",
  )
  const names = (Array.isArray(required) ? required : []).filter(
    (name: JsonValue) => typeof name === "string" && isObject(properties) && Object.hasOwn(properties, name),
  )
  return {
    ...Object.fromEntries(kept),
    ...(kinds.length > 0 && { type: kinds.length === 1 ? kinds[0] : kinds }),
    ...(format !== undefined && formats.has(format) && { format }),
    ...(choices.length > 0 && { enum: choices }),
    ...(names.length > 0 && { required: [...new Set<JsonValue>(names)] }),
  }
}

/** Bounds that exclude their own value are the nearest that do not. */
function boundsOf({
  type,
  exclusiveMinimum: above,
  exclusiveMaximum: below,
  minimum,
  maximum,
}: JsonObject): JsonObject {
  const step = type === "integer" ? 1 : 0
  return {
    ...(typeof above === "number" && minimum === undefined && { minimum: above + step }),
    ...(typeof below === "number" && maximum === undefined && { maximum: below - step }),
  }
}

function childrenOf(schema: JsonObject, walk: SchemaWalk): JsonObject {
  const { properties, items, prefixItems, anyOf, oneOf, additionalProperties: others } = schema
  const list = (values: JsonValue | undefined): readonly JsonObject[] | undefined =>
    Array.isArray(values) ? values.map((value: JsonValue) => fit(value, walk)) : undefined
  const tuple = list(prefixItems ?? items)
  const choice = list(anyOf ?? oneOf)
  return {
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, fit(inner, walk)])),
    }),
    ...(isObject(items) && { items: fit(items, walk) }),
    ...(tuple && { prefixItems: tuple }),
    ...(choice && choice.length > 0 && { anyOf: choice }),
    ...(isObject(others) && { additionalProperties: fit(others, walk) }),
  }
}
