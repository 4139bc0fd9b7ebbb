/** The table of models that ships with the program: from the source tree, or from the executable. */

import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { isObject, objectIn, type JsonObject, type JsonValue } from "#lib/json.ts"
import { embeddedPath } from "./embedded.ts"

/** A model a line, so that changes can be read; here in the shape of a user's models.json. */
export function bundledModelTable(): JsonObject {
  const path = embeddedPath("model-table.jsonl") ?? resolve(import.meta.dir, "../models/model-table.jsonl")
  const [head = "", ...lines] = readFileSync(path, "utf8").split("\n")
  const providers: { [name: string]: { aliases: JsonValue; models: { [id: string]: JsonValue } } } = {}
  for (const line of lines) {
    const { provider, aliases = {}, id, ...facts } = objectIn(line) ?? {}
    if (typeof provider !== "string") continue
    const section = (providers[provider] ??= { aliases: {}, models: {} })
    if (typeof id === "string") section.models[id] = facts
    else if (isObject(aliases)) section.aliases = aliases
  }
  return { ...objectIn(head), providers }
}
