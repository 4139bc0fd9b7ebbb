/** The tools of a request: valid names, and schemas with nothing in them that the Gemini API does not take. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "#sim/refusal.ts"
import { isList, listIn } from "#sim/request.ts"

const toolFields = "functionDeclarations googleSearch codeExecution urlContext googleMaps fileSearch".split(" ")
const declarationFields = "name description parameters parametersJsonSchema response responseJsonSchema behavior".split(
  " ",
)
const shared =
  "type format title description nullable enum items minItems maxItems minProperties maxProperties minLength " +
  "maxLength pattern minimum maximum anyOf properties required propertyOrdering default example"
const schemaFields = shared.split(" ")
const jsonSchemaFields = `${shared} prefixItems oneOf additionalProperties $ref $defs $id $anchor`.split(" ")
const deepest = 32

export function checkTools(tools: JsonValue | undefined): Refusal {
  if (tools === undefined) return undefined
  if (!isList(tools)) return refuse("tools", "must be a list")
  const names = new Set<string>()
  return firstRefusal(
    tools.map((tool, index) => () => {
      const place = `tools[${index}]`
      if (!isObject(tool)) return refuse(place, "must be an object")
      const all = listIn(tool.functionDeclarations)
      if (tool.functionDeclarations !== undefined && all.length === 0)
        return refuse(`${place}.function_declarations`, "must not be empty")
      return (
        checkFields(tool, place, toolFields) ??
        firstRefusal(all.map((one, at) => () => checkDeclaration(one, `${place}.function_declarations[${at}]`, names)))
      )
    }),
  )
}

function checkDeclaration(declaration: JsonValue, place: string, names: Set<string>): Refusal {
  if (!isObject(declaration)) return refuse(place, "must be an object")
  const { name, description, parameters, parametersJsonSchema: schema } = declaration
  if (typeof name !== "string" || !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(name))
    return `Invalid function name at ${place}.name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`
  if (names.has(name)) return `Duplicate function declaration found: ${name}`
  names.add(name)
  if (typeof description !== "string") return refuse(`${place}.description`, "is required")
  if (parameters !== undefined && schema !== undefined)
    return refuse(place, "parameters and parameters_json_schema are mutually exclusive")
  if (schema !== undefined && (!isObject(schema) || String(schema.type).toLowerCase() !== "object"))
    return refuse(`${place}.parameters_json_schema`, 'should be of type "object"')
  return (
    checkFields(declaration, place, declarationFields) ??
    (isObject(parameters)
      ? checkSchema(parameters, `${place}.parameters`, { fields: schemaFields, root: parameters })
      : undefined) ??
    (isObject(schema)
      ? checkSchema(schema, `${place}.parameters_json_schema`, { fields: jsonSchemaFields, root: schema })
      : undefined)
  )
}

interface Rules {
  readonly fields: readonly string[]
  readonly root: JsonObject
}

function checkSchema(schema: JsonValue, place: string, rules: Rules, depth = 0): Refusal {
  if (!isObject(schema)) return refuse(place, "must be an object")
  if (depth > deepest) return "A FunctionDeclaration in the request exceeds the maximum allowed nesting depth."
  const { $ref: reference, enum: values, type } = schema
  if (reference !== undefined) {
    const beside = Object.keys(schema).filter((name) => !["$ref", "description", "default"].includes(name))
    if (beside.length > 0) return `${place}: $ref was set alongside unsupported fields: ${beside.join(", ")}`
    const [, name = ""] = /^#\/\$defs\/(.+)$/.exec(String(reference)) ?? []
    return isObject(rules.root.$defs) && Object.hasOwn(rules.root.$defs, name)
      ? undefined
      : `reference to undefined schema at ${place}`
  }
  if (!listIn(values).every((value) => typeof value === "string" || typeof value === "number"))
    return `Invalid value at '${place}.enum'`
  if (!(isList(type) ? type : [type ?? "object"]).every((one) => kinds.includes(String(one).toLowerCase())))
    return `Invalid value at '${place}.type'`
  const required = listIn(schema.required)
  const stray = required.find((name) => !isObject(schema.properties) || !Object.hasOwn(schema.properties, String(name)))
  if (stray !== undefined) return `${place}.required: property ${String(stray)} is not defined`
  const extra = Object.keys(schema).find((name) => !rules.fields.includes(name))
  if (extra !== undefined)
    return `Invalid JSON payload received. Unknown name "${extra}" at '${place}': Cannot find field.`
  return firstRefusal(
    inner(schema).map(
      ([name, child]) =>
        () =>
          checkSchema(child, `${place}.${name}`, rules, depth + 1),
    ),
  )
}

const kinds = ["string", "number", "integer", "boolean", "array", "object", "null"]

function inner(schema: JsonObject): readonly (readonly [string, JsonValue])[] {
  const { properties, items, additionalProperties: others, $defs } = schema
  const lists = ["anyOf", "oneOf", "prefixItems"].flatMap((name) =>
    listIn(schema[name]).map((child, index) => [`${name}.${index}`, child] as const),
  )
  const maps = Object.entries({ properties, $defs }).flatMap(([name, map]) =>
    isObject(map) ? Object.entries(map).map(([key, child]) => [`${name}.${key}`, child] as const) : [],
  )
  return [
    ...lists,
    ...maps,
    ...(items === undefined ? [] : [["items", items] as const]),
    ...(isObject(others) ? [["additionalProperties", others] as const] : []),
  ]
}
