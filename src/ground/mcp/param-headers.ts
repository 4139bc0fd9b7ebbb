/** Arguments that a server wants repeated in headers, so that gateways can route a call without reading it. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

interface ParamHeader {
  readonly path: readonly string[]
  readonly name: string
}

const mark = "x-mcp-header"
const types: readonly JsonValue[] = ["string", "integer", "boolean"]
const deepest = 32

/** Where a tool's schema marks arguments; a sentence if a mark is invalid, for then the tool must not be used. */
export function paramHeadersIn(schema: JsonObject): Result<readonly ParamHeader[], string> {
  const found: ParamHeader[] = []
  /** `path` is undefined where a mark means nothing: below lists, alternatives and conditions. */
  function visit(node: JsonValue | undefined, path: readonly string[] | undefined, depth: number): string | undefined {
    if (depth > deepest || typeof node !== "object" || node === null) return undefined
    if (Array.isArray(node)) return firstProblem(node.map((one: JsonValue) => () => visit(one, undefined, depth + 1)))
    if (!isObject(node)) return undefined
    if (Object.hasOwn(node, mark)) {
      const problem = markProblem(node, path, found)
      if (problem !== undefined) return problem
      found.push({ path: path ?? [], name: String(node[mark]) })
    }
    const { properties, ...others } = node
    const below = isObject(properties) ? Object.entries(properties) : []
    return firstProblem([
      ...below.map(
        ([name, one]) =>
          () =>
            visit(one, path && [...path, name], depth + 1),
      ),
      ...Object.entries(others).map(
        ([key, one]) =>
          () =>
            key === mark ? undefined : visit(one, undefined, depth + 1),
      ),
    ])
  }
  const problem = visit(schema, [], 0)
  return problem === undefined ? ok(found) : failed(problem)
}

const firstProblem = (checks: readonly (() => string | undefined)[]): string | undefined => {
  for (const check of checks) {
    const problem = check()
    if (problem !== undefined) return problem
  }
  return undefined
}

function markProblem(
  schema: JsonObject,
  path: readonly string[] | undefined,
  found: readonly ParamHeader[],
): string | undefined {
  const name = schema[mark]
  if (path === undefined || path.length === 0) return `${mark} stands where no argument is`
  if (typeof name !== "string" || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return `${mark} is no name of a header`
  if (!types.includes(schema.type ?? null)) return `${mark} is on an argument that is no string, integer or boolean`
  if (found.some((one) => one.name.toLowerCase() === name.toLowerCase())) return `${mark} names ${name} twice`
  return undefined
}

export function paramHeaders(marked: readonly ParamHeader[], input: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    marked.flatMap(({ path, name }) => {
      let value: JsonValue | undefined = input
      for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
      const isSimple = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value)
      return isSimple ? [[`Mcp-Param-${name}`, headerValue(String(value))]] : []
    }),
  )
}

/** What is no plain text for a header goes as Base64, marked as such. */
function headerValue(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`
}
