/** Why a JSON Schema cannot be used: a keyword of the wrong kind, a reference that leads nowhere, something unknown to us. */

import { isObject, type JsonObject, type JsonValue } from "./json.ts"

/** As a sentence with the place; undefined if it can be used. */
export function schemaProblem(schema: JsonObject): string | undefined {
  return problemIn(schema, "#", schema)
}

type KeywordCheck = (value: JsonValue, place: string, root: JsonObject) => string | undefined

function problemIn(schema: JsonValue, place: string, root: JsonObject): string | undefined {
  if (typeof schema === "boolean") return undefined
  if (!isObject(schema)) return `The schema at ${place} must be an object, or true or false.`
  for (const [keyword, value] of Object.entries(schema)) {
    const check = Object.hasOwn(looks, keyword) ? looks[keyword] : undefined
    const problem = check?.(value, `${place}/${keyword}`, root)
    if (problem !== undefined) return problem
  }
  return undefined
}

const is =
  (holds: (value: JsonValue) => boolean, wanted: string): KeywordCheck =>
  (value, place) =>
    holds(value) ? undefined : `${place} must be ${wanted}, not ${shown(value)}.`

const shown = (value: JsonValue): string => {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

const types: readonly JsonValue[] = ["object", "array", "string", "number", "integer", "boolean", "null"]
const isType = (value: JsonValue): boolean => types.includes(value)
const isTexts = (value: JsonValue): boolean =>
  Array.isArray(value) && value.every((one: JsonValue) => typeof one === "string")

const type = is(
  (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  "object, array, string, number, integer, boolean, null, or a list of these",
)
const number = is((value) => typeof value === "number", "a number")
const count = is((value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0, "a count")
const names = is(isTexts, "a list of names")
const flag = is((value) => typeof value === "boolean", "true or false")

const regular: KeywordCheck = (value, place) => {
  try {
    if (typeof value === "string" && new RegExp(value, "u")) return undefined
  } catch {
    // Said below, like anything else that is no pattern.
  }
  return `${place} must be a regular expression, not ${shown(value)}.`
}

const schemas: KeywordCheck = (value, place, root) => {
  if (!Array.isArray(value) || value.length === 0) return `${place} must be a list of schemas.`
  for (const [i, one] of value.entries()) {
    const problem = problemIn(one as JsonValue, `${place}/${i}`, root)
    if (problem !== undefined) return problem
  }
  return undefined
}

const named: KeywordCheck = (value, place, root) => {
  if (!isObject(value)) return `${place} must be an object of schemas.`
  for (const [name, one] of Object.entries(value)) {
    const problem = problemIn(one, `${place}/${name}`, root)
    if (problem !== undefined) return problem
  }
  return undefined
}

const byPattern: KeywordCheck = (value, place, root) => {
  const wrong = isObject(value) ? Object.keys(value).map((pattern) => regular(pattern, place, root)) : []
  return wrong.find((problem) => problem !== undefined) ?? named(value, place, root)
}

const reference: KeywordCheck = (value, place, root) => {
  if (typeof value !== "string" || !/^#(?:\/|$)/.test(value))
    return `${place} must refer to a part of the schema itself, as in #/$defs/name, not to ${shown(value)}.`
  const target = referred(value, root)
  return isObject(target) || typeof target === "boolean" ? undefined : `${place} refers to ${value}, which is missing.`
}

/** The part of a schema that a reference within it leads to. */
export function referred(ref: string, root: JsonObject): JsonValue | undefined {
  let target: JsonValue | undefined = root
  for (const step of ref.slice(1).split("/").slice(1)) {
    const key = unescaped(step)
    target = Array.isArray(target)
      ? (target as readonly JsonValue[])[Number(key)]
      : isObject(target) && Object.hasOwn(target, key)
        ? target[key]
        : undefined
  }
  return target
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")
  } catch {
    return step
  }
}

/** Ignoring a limit would let values pass that its author wanted refused. */
const unsupported: KeywordCheck = (_value, place) => `${place} is not supported. Describe the same without it.`

const looks: { readonly [keyword: string]: KeywordCheck } = {
  type,
  enum: is((value) => Array.isArray(value) && value.length > 0, "a list of values"),
  $ref: reference,
  $dynamicRef: unsupported,
  $recursiveRef: unsupported,
  unevaluatedProperties: unsupported,
  unevaluatedItems: unsupported,
  dependencies: unsupported,
  $defs: named,
  definitions: named,
  properties: named,
  patternProperties: byPattern,
  dependentSchemas: named,
  dependentRequired: is(
    (value) => isObject(value) && Object.values(value).every(isTexts),
    "an object of lists of names",
  ),
  additionalProperties: problemIn,
  propertyNames: problemIn,
  required: names,
  minProperties: count,
  maxProperties: count,
  items: (value, place, root) => (Array.isArray(value) ? schemas : problemIn)(value, place, root),
  prefixItems: schemas,
  additionalItems: problemIn,
  contains: problemIn,
  minContains: count,
  maxContains: count,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: problemIn,
  if: problemIn,
  then: problemIn,
  else: problemIn,
  minLength: count,
  maxLength: count,
  pattern: regular,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: is((value) => typeof value === "number" && value > 0, "a number above 0"),
}
