/** Checks values against a JSON Schema, and says where each one does not fit. */

import { isObject, type JsonObject, type JsonValue } from "./json.ts"
import { failed, ok, type Result } from "./result.ts"
import { referred, schemaProblem } from "./schema-problem.ts"

/** One line for each thing that does not fit, `/path: what it must be`; empty if all is well. */
export type SchemaCheck = (value: JsonValue) => readonly string[]

/** The check, or why the schema cannot be used, as a sentence. */
export function readSchema(schema: JsonObject): Result<SchemaCheck, string> {
  const problem = schemaProblem(schema)
  if (problem !== undefined) return failed(problem)
  return ok((value) => complaints(schema, value, { root: schema, path: "", depth: 0 }))
}

interface At {
  readonly root: JsonObject
  readonly path: string
  readonly depth: number
}

type Schema = JsonValue | undefined
type Complaints = readonly string[]

/** A schema that refers to itself without end describes nothing. */
const deepest = 300
const none: Complaints = []

function complaints(schema: Schema, value: JsonValue, at: At): Complaints {
  if (schema === true || schema === undefined) return none
  if (schema === false) return [said(at, "must be left out")]
  if (!isObject(schema)) return none
  if (at.depth > deepest) return [said(at, "is nested too deeply")]
  const inner: At = { ...at, depth: at.depth + 1 }
  const { $ref } = schema
  return [
    ...(typeof $ref === "string" ? complaints(referred($ref, at.root), value, inner) : none),
    ...kindComplaints(schema, value, at),
    ...(typeof value === "string" ? stringComplaints(schema, value, at) : none),
    ...(typeof value === "number" ? numberComplaints(schema, value, at) : none),
    ...(Array.isArray(value) ? listComplaints(schema, value, inner) : none),
    ...(isObject(value) ? objectComplaints(schema, value, inner) : none),
    ...combined(schema, value, inner),
  ]
}

const said = ({ path }: At, words: string): string => `${path === "" ? "/" : path}: ${words}`
const below = (at: At, key: string | number): At => ({
  ...at,
  path: `${at.path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`,
})
const fits = (schema: Schema, value: JsonValue, at: At): boolean => complaints(schema, value, at).length === 0

function kindComplaints({ type, enum: values, const: only }: JsonObject, value: JsonValue, at: At): Complaints {
  const types = Array.isArray(type) ? type.map(String) : typeof type === "string" ? [type] : []
  if (types.length > 0 && !types.some((one) => isOfType(value, one)))
    return [said(at, `must be ${types.map(typeWords).join(" or ")}`)]
  if (Array.isArray(values) && !values.some((one: JsonValue) => isSame(one, value)))
    return [said(at, `must be one of ${values.map((one: JsonValue) => JSON.stringify(one)).join(", ")}`)]
  return only !== undefined && !isSame(only, value) ? [said(at, `must be ${JSON.stringify(only)}`)] : none
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "null":
      return value === null
    case "array":
      return Array.isArray(value)
    case "object":
      return isObject(value)
    case "integer":
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

const typeWords = (type: string): string => {
  if (type === "null") return "null"
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`
}

const isSame = (a: JsonValue, b: JsonValue): boolean => Bun.deepEquals(a, b, true)

function stringComplaints({ minLength, maxLength, pattern }: JsonObject, value: string, at: At): Complaints {
  // In code points, as the standard counts.
  const { length } = [...value]
  return [
    ...(typeof minLength === "number" && length < minLength
      ? [said(at, `must have ${atLeast(minLength, "character")}`)]
      : none),
    ...(typeof maxLength === "number" && length > maxLength
      ? [said(at, `must have ${atMost(maxLength, "character")}`)]
      : none),
    ...(typeof pattern === "string" && !new RegExp(pattern, "u").test(value)
      ? [said(at, `must match ${pattern}`)]
      : none),
  ]
}

function numberComplaints(schema: JsonObject, value: number, at: At): Complaints {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: under, multipleOf } = schema
  const share = typeof multipleOf === "number" ? value / multipleOf : 0
  return [
    ...(typeof minimum === "number" && value < minimum ? [said(at, `must be at least ${minimum}`)] : none),
    ...(typeof maximum === "number" && value > maximum ? [said(at, `must be at most ${maximum}`)] : none),
    ...(typeof above === "number" && value <= above ? [said(at, `must be more than ${above}`)] : none),
    ...(typeof under === "number" && value >= under ? [said(at, `must be less than ${under}`)] : none),
    // Decimal fractions are not exact in binary.
    ...(Math.abs(share - Math.round(share)) > 1e-9 * Math.max(1, Math.abs(share))
      ? [said(at, `must be a multiple of ${String(multipleOf)}`)]
      : none),
  ]
}

function listComplaints(schema: JsonObject, value: readonly JsonValue[], at: At): Complaints {
  const { items, minItems, maxItems, uniqueItems, contains } = schema
  // Before 2020 a list of schemas stood under `items`, and the rest under `additionalItems`.
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : Array.isArray(items) ? items : []
  const rest = Array.isArray(items) ? schema.additionalItems : items
  const isRepeated =
    uniqueItems === true && value.some((one, i) => value.slice(0, i).some((other) => isSame(one, other)))
  const found = contains === undefined ? 0 : value.filter((one) => fits(contains, one, at)).length
  const least = typeof schema.minContains === "number" ? schema.minContains : 1
  return [
    ...(typeof minItems === "number" && value.length < minItems
      ? [said(at, `must have ${atLeast(minItems, "item")}`)]
      : none),
    ...(typeof maxItems === "number" && value.length > maxItems
      ? [said(at, `must have ${atMost(maxItems, "item")}`)]
      : none),
    ...(isRepeated ? [said(at, "must not repeat items")] : none),
    ...(contains !== undefined && found < least ? [said(at, "lacks an item of the required form")] : none),
    ...(contains !== undefined && typeof schema.maxContains === "number" && found > schema.maxContains
      ? [said(at, "has too many items of the limited form")]
      : none),
    ...value.flatMap((one, i) => complaints(i < first.length ? first[i] : rest, one, below(at, i))),
  ]
}

function objectComplaints(schema: JsonObject, value: JsonObject, at: At): Complaints {
  const { minProperties, maxProperties, propertyNames } = schema
  const properties = isObject(schema.properties) ? schema.properties : {}
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : []
  const names = Object.keys(value)
  const missing = textsIn(schema.required).filter((name) => !Object.hasOwn(value, name))
  const dependent = isObject(schema.dependentRequired) ? Object.entries(schema.dependentRequired) : []
  const lacking = dependent.flatMap(([name, needs]) =>
    Object.hasOwn(value, name) ? textsIn(needs).filter((other) => !Object.hasOwn(value, other)) : [],
  )
  const further = isObject(schema.dependentSchemas) ? Object.entries(schema.dependentSchemas) : []
  const member = (name: string): Complaints => {
    const one = value[name] ?? null
    const matching = patterns.filter(([pattern]) => new RegExp(pattern, "u").test(name)).map(([, inner]) => inner)
    const own = Object.hasOwn(properties, name) ? [properties[name]] : []
    const known = [...own, ...matching]
    if (known.length > 0) return known.flatMap((inner) => complaints(inner, one, below(at, name)))
    if (schema.additionalProperties === false) return [said(below(at, name), "is not a known field")]
    return complaints(schema.additionalProperties, one, below(at, name))
  }
  return [
    ...[...missing, ...lacking].map((name) => said(below(at, name), "is missing")),
    ...(typeof minProperties === "number" && names.length < minProperties
      ? [said(at, `must have ${atLeast(minProperties, "field")}`)]
      : none),
    ...(typeof maxProperties === "number" && names.length > maxProperties
      ? [said(at, `must have ${atMost(maxProperties, "field")}`)]
      : none),
    ...names.flatMap((name) =>
      fits(propertyNames, name, at) ? none : [said(below(at, name), "has a name that is not allowed")],
    ),
    ...names.flatMap(member),
    ...further.flatMap(([name, inner]) => (Object.hasOwn(value, name) ? complaints(inner, value, at) : none)),
  ]
}

function combined(schema: JsonObject, value: JsonValue, at: At): Complaints {
  const { allOf, anyOf, oneOf, not, if: condition } = schema
  const found: string[] = []
  if (Array.isArray(allOf)) found.push(...allOf.flatMap((one: JsonValue) => complaints(one, value, at)))
  if (Array.isArray(anyOf)) found.push(...closest(anyOf, value, at))
  if (Array.isArray(oneOf)) {
    const fitting = oneOf.filter((one: JsonValue) => fits(one, value, at)).length
    if (fitting > 1) found.push(said(at, `fits ${fitting} alternatives, but must fit exactly one`))
    if (fitting === 0) found.push(...closest(oneOf, value, at))
  }
  if (not !== undefined && fits(not, value, at)) found.push(said(at, "has a form that is not allowed"))
  if (condition !== undefined)
    found.push(...complaints(fits(condition, value, at) ? schema.then : schema.else, value, at))
  return found
}

/** Of several alternatives, what is wrong with the one that comes nearest. */
function closest(alternatives: readonly JsonValue[], value: JsonValue, at: At): Complaints {
  const each = alternatives.map((one) => complaints(one, value, at))
  return each.toSorted((a, b) => a.length - b.length)[0] ?? [said(at, "fits no alternative")]
}

const textsIn = (value: Schema): readonly string[] =>
  Array.isArray(value) ? value.filter((one: JsonValue) => typeof one === "string") : []

const atLeast = (count: number, what: string): string => `at least ${count} ${count === 1 ? what : `${what}s`}`
const atMost = (count: number, what: string): string => `at most ${count} ${count === 1 ? what : `${what}s`}`
