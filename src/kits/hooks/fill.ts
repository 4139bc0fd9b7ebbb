/** Fills the input of a server's tool from the fields of a moment, as in `${tool_input.file_path}`. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

const reference = /\$\{([\w.]+)\}/g
const wholeReference = /^\$\{([\w.]+)\}$/

/** A text that is one reference becomes the value itself, of any type; a field that is not there becomes empty. */
export const filledFrom = (input: JsonObject, moment: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [name, filled(value, moment)]))

function filled(value: JsonValue, moment: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((one: JsonValue) => filled(one, moment))
  if (isObject(value)) return filledFrom(value, moment)
  if (typeof value !== "string") return value
  const [, whole] = wholeReference.exec(value) ?? []
  if (whole !== undefined) return fieldAt(moment, whole) ?? ""
  return value.replaceAll(reference, (_, path: string) => {
    const found = fieldAt(moment, path) ?? ""
    return typeof found === "string" ? found : JSON.stringify(found)
  })
}

function fieldAt(moment: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = moment
  for (const name of path.split(".")) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}
