/** Each setting has its place in what a project may set: a new one is not trusted, or lost, because nobody thought of it. */

import { expect, test } from "bun:test"
import { settingsJsonSchema } from "#ground/settings/schema.ts"
import { judgedSettings } from "#ground/settings/scope.ts"
import { isObject, type JsonObject } from "#lib/json.ts"

/** The settings of the schema, those within others where the table looks into them. */
function settingsIn(schema: JsonObject, prefix = ""): readonly string[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  return Object.entries(properties).flatMap(([key, inner]) => {
    const path = prefix + key
    const isOpened = [...judgedSettings].some((judged) => judged.startsWith(`${path}.`))
    return isObject(inner) && isOpened ? [path, ...settingsIn(inner, `${path}.`)] : [path]
  })
}

const known = settingsIn(settingsJsonSchema())

test("what a project may set is decided for every setting, by name", () => {
  expect(known.filter((path) => !judgedSettings.has(path))).toEqual([])
})

test("nothing is decided about settings that do not exist", () => {
  expect([...judgedSettings].filter((path) => !known.includes(path))).toEqual([])
})
