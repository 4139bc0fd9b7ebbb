/** The document of the API against what the server really answers. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { readSchema } from "#lib/json-schema.ts"
import { valueOf } from "../team/conformance.ts"

interface Heard {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}

/** One line for each answer that is not as the document says. */
export function undocumented(document: JsonObject, heard: readonly Heard[]): readonly string[] {
  return heard.flatMap(({ method, path, status, body }) => {
    const name = `${method} ${path} ${status}`
    const operation = operationOf(document, method, path)
    if (!operation) return status === 404 || !path.startsWith("/api/") ? [] : [`${name}: not in the document`]
    const answer = follow(document, at(operation, "responses", String(status)))
    if (!answer) return [`${name}: no such status in the document`]
    const schema = at(answer, "content", "application/json", "schema")
    if (schema === undefined) return body === null ? [] : [`${name}: a body nobody expects`]
    return problems(document, schema, body as JsonValue).map((problem) => `${name}: ${problem}`)
  })
}

/** One line for each event of a session that is not as the document says. */
export function undocumentedEvents(
  document: JsonObject,
  heard: readonly { readonly event: string; readonly data: string }[],
): readonly string[] {
  const path = ["paths", "/api/sessions/{id}/events", "get", "responses", "200", "content", "text/event-stream"]
  const schemas = at(document, ...path, "x-events")
  return heard.flatMap(({ event, data }) => {
    const schema = at(schemas, event)
    if (schema === undefined) return [`${event}: not in the document`]
    return problems(document, schema, JSON.parse(data) as JsonValue).map((problem) => `${event}: ${problem}`)
  })
}

/** One line for each place where the document is not what it says it is. */
export function documentFaults(document: JsonObject): readonly string[] {
  const faults: string[] = []
  walk(document, (value) => {
    const { $ref } = value
    if (typeof $ref === "string" && follow(document, value) === undefined) faults.push(`${$ref} leads nowhere`)
  })
  for (const [path, methods] of Object.entries(object(document["paths"])))
    for (const [method, operation] of Object.entries(object(methods))) {
      const { parameters = [], responses } = object(operation)
      const named = (parameters as JsonObject[]).filter((each) => each["in"] === "path").map((each) => each["name"])
      const expected = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      if (JSON.stringify(named) !== JSON.stringify(expected)) faults.push(`${method} ${path}: path parameters`)
      if (Object.keys(object(responses)).length === 0) faults.push(`${method} ${path}: no responses`)
    }
  for (const [name, schema] of Object.entries(object(at(document, "components", "schemas")))) {
    const read = readSchema({ ...object(schema), components: document["components"] ?? {} })
    if (!read.ok) faults.push(`${name}: ${read.failure}`)
  }
  return faults
}

const object = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {})

const at = (value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined =>
  keys.reduce<JsonValue | undefined>((inner, key) => object(inner)[key], value)

function follow(document: JsonObject, value: JsonValue | undefined): JsonValue | undefined {
  const { $ref } = object(value)
  return typeof $ref === "string" ? at(document, ...$ref.replace("#/", "").split("/")) : value
}

function operationOf(document: JsonObject, method: string, path: string): JsonValue | undefined {
  for (const [pattern, methods] of Object.entries(object(document["paths"]))) {
    const fits = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, "[^/]+")}$`)
    const found = fits.test(path) ? object(methods)[method.toLowerCase()] : undefined
    if (found) return found
  }
  return undefined
}

const problems = (document: JsonObject, schema: JsonValue, value: JsonValue): readonly string[] =>
  valueOf(readSchema({ ...object(schema), components: document["components"] ?? {} }))(value)

function walk(value: JsonValue, visit: (value: JsonObject) => void): void {
  if (Array.isArray(value)) for (const each of value as JsonValue[]) walk(each, visit)
  if (!isObject(value)) return
  visit(value)
  for (const each of Object.values(value)) if (each !== undefined) walk(each, visit)
}
