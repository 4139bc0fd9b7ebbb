/** Makes the input schema of a server's tool acceptable to providers: valid parts stay, invalid ones are dropped. */

import { escapeImitations } from "#agent/words/reminder.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { cutText, plainText, plainValue } from "#lib/plain-text.ts"

export interface AcceptableSchema {
  readonly schema: JsonObject
  /** Restores the original names of renamed fields. */
  readonly restore: (input: JsonObject) => JsonObject
}

/** Nothing sensible is nested deeper. */
const deepest = 40

/** No model could fill in more than this; it would be sent with every request. */
const longestSchema = 100_000

export function acceptable(schema: JsonObject): AcceptableSchema {
  if (JSON.stringify(schema).length > longestSchema) return { schema: { type: "object" }, restore: (input) => input }
  const whole = atTop(tidied(resolved(schema), 0))
  const properties = isObject(whole.properties) ? whole.properties : {}
  const renamed = new Map<string, string>()
  const taken = new Set(Object.keys(properties))
  for (const name of taken) {
    if (fieldName.test(name)) continue
    let plain = name.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 60) || "_"
    while (taken.has(plain)) plain = `${plain}_`
    taken.add(plain)
    renamed.set(name, plain)
  }
  if (renamed.size === 0) return { schema: readable(whole), restore: (input) => input }
  const name = (field: string): string => renamed.get(field) ?? field
  const original = new Map([...renamed].map(([field, plain]) => [plain, field]))
  return {
    schema: readable({
      ...whole,
      properties: renamedKeys(properties, name),
      ...(Array.isArray(whole.required) && { required: whole.required.map((field: JsonValue) => name(String(field))) }),
    }),
    restore: (input) => renamedKeys(input, (field) => original.get(field) ?? field),
  }
}

/** Cleans every text in it for the model: only visible characters, nothing that imitates others. Returns the same value if nothing changes. */
function readable(schema: JsonObject): JsonObject {
  const read = readableValue(schema, "")
  return isObject(read) ? read : schema
}

function readableValue(value: JsonValue, keyword: string): JsonValue {
  if (typeof value === "string")
    return escapeImitations(said.includes(keyword) ? cutText(plainText(value), longestWords) : plainValue(value))
  if (Array.isArray(value)) {
    const items = value.map((one: JsonValue) => readableValue(one, ""))
    return items.some((one, at) => one !== value[at]) ? items : value
  }
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([key, one]) => [readableKey(key), readableValue(one, key)] as const)
  const isSame = members.every(([key, one]) => Object.hasOwn(value, key) && value[key] === one)
  return isSame ? value : Object.fromEntries(members)
}

const readableKey = (key: string): string => escapeImitations(plainValue(key))

/** Keywords with text, and how much of it is kept. */
const said: readonly string[] = ["title", "description", "$comment"]
const longestWords = 2_048

/** What providers accept as a top-level field name. */
const fieldName = /^[A-Za-z0-9_.-]{1,64}$/

const renamedKeys = (value: JsonObject, name: (key: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [name(key), inner]))

/** A schema that only refers into itself is replaced by its target. */
function resolved(schema: JsonObject): JsonObject {
  const { $ref } = schema
  if (typeof $ref !== "string" || !$ref.startsWith("#/")) return schema
  let target: JsonValue | undefined = schema
  for (const step of $ref.slice(2).split("/"))
    target = isObject(target) && Object.hasOwn(target, step) ? target[step] : undefined
  if (!isObject(target)) return schema
  const { $ref: _, ...rest } = schema
  return { ...rest, ...target }
}

/** The top level must be an object without alternatives: their fields are merged, and the server reports what is wrong. */
function atTop(schema: JsonObject): JsonObject {
  const { allOf, anyOf, oneOf, type: _, ...rest } = schema
  const all = branches(allOf)
  const any = [...branches(anyOf), ...branches(oneOf)]
  if (all.length + any.length === 0) {
    if (schema.type === "object" && allOf === undefined && anyOf === undefined && oneOf === undefined) return schema
    return { type: "object", ...rest }
  }
  const each = [...any, ...all, rest]
  const properties = Object.assign({}, ...each.map((one) => (isObject(one.properties) ? one.properties : {})))
  const shared =
    any.length === 0
      ? []
      : requiredOf(any[0] ?? {}).filter((field) => any.every((one) => requiredOf(one).includes(field)))
  const required = [...new Set([...requiredOf(rest), ...all.flatMap(requiredOf), ...shared])]
  const { required: __, additionalProperties: ___, ...others } = rest
  return { type: "object", ...others, properties, ...(required.length > 0 && { required }) }
}

const branches = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((one: JsonValue) => isObject(one)) : []

const requiredOf = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? required.filter((field: JsonValue) => typeof field === "string") : []

/** Drops every keyword whose value has the wrong type. Returns the same value if nothing changes. */
function tidied(schema: JsonObject, depth: number): JsonObject {
  const kept: { [keyword: string]: JsonValue } = {}
  let isChanged = false
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined
    const sound = kind === undefined ? value : readers[kind](value, depth + 1)
    if (sound !== value) isChanged = true
    // A list of schemas for the items of an array has had another name since 2020.
    if (sound !== undefined) kept[keyword === "items" && Array.isArray(sound) ? "prefixItems" : keyword] = sound
    if (keyword === "items" && Array.isArray(sound)) isChanged = true
  }
  return isChanged ? kept : schema
}

type KeywordKind =
  "schema" | "schemas" | "named" | "items" | "types" | "texts" | "list" | "text" | "number" | "count" | "flag"

const keywords: { readonly [keyword: string]: KeywordKind } = {
  type: "types",
  properties: "named",
  patternProperties: "named",
  $defs: "named",
  definitions: "named",
  dependentSchemas: "named",
  items: "items",
  prefixItems: "schemas",
  allOf: "schemas",
  anyOf: "schemas",
  oneOf: "schemas",
  not: "schema",
  if: "schema",
  then: "schema",
  else: "schema",
  contains: "schema",
  propertyNames: "schema",
  additionalProperties: "schema",
  unevaluatedProperties: "schema",
  unevaluatedItems: "schema",
  required: "texts",
  enum: "list",
  examples: "list",
  title: "text",
  description: "text",
  pattern: "text",
  format: "text",
  $ref: "text",
  $schema: "text",
  $id: "text",
  $comment: "text",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "count",
  maxLength: "count",
  minItems: "count",
  maxItems: "count",
  minProperties: "count",
  maxProperties: "count",
  uniqueItems: "flag",
}

type KeywordReader = (value: JsonValue, depth: number) => JsonValue | undefined

const readSchema: KeywordReader = (value, depth) => {
  if (typeof value === "boolean") return value
  if (!isObject(value) || depth > deepest) return undefined
  return tidied(value, depth)
}

const readSchemas: KeywordReader = (value, depth) => {
  if (!Array.isArray(value)) return undefined
  const sound = value.flatMap((one: JsonValue) => readSchema(one, depth) ?? [])
  if (sound.length === 0) return undefined
  return sound.length === value.length && sound.every((one, i) => one === value[i]) ? value : sound
}

const readNamed: KeywordReader = (value, depth) => {
  if (!isObject(value)) return undefined
  let isChanged = false
  const sound = Object.entries(value).flatMap(([name, one]) => {
    const read = readSchema(one, depth)
    if (read !== one) isChanged = true
    return read === undefined ? [] : [[name, read] as const]
  })
  return isChanged ? Object.fromEntries(sound) : value
}

const typeNames: readonly JsonValue[] = ["object", "array", "string", "number", "integer", "boolean", "null"]

const when =
  (holds: (value: JsonValue) => boolean): KeywordReader =>
  (value) =>
    holds(value) ? value : undefined

const readers: { readonly [K in KeywordKind]: KeywordReader } = {
  schema: readSchema,
  schemas: readSchemas,
  named: readNamed,
  items: (value, depth) => (Array.isArray(value) ? readSchemas(value, depth) : readSchema(value, depth)),
  types: when((value) =>
    Array.isArray(value)
      ? value.length > 0 && value.every((one: JsonValue) => typeNames.includes(one))
      : typeNames.includes(value),
  ),
  texts: when((value) => Array.isArray(value) && value.every((one: JsonValue) => typeof one === "string")),
  list: when((value) => Array.isArray(value) && value.length > 0),
  text: when((value) => typeof value === "string"),
  number: when((value) => typeof value === "number"),
  count: when((value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0),
  flag: when((value) => typeof value === "boolean"),
}
