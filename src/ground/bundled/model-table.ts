/** The table of models that ships with the program: from the source tree, or from the executable. */

import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { isObject, objectIn, type JsonObject, type JsonValue } from "#lib/json.ts"
import { embeddedPath } from "./embedded.ts"

export interface BundledModels {
  /** The day of the oldest of its facts and prices. */
  readonly date: string
  /** What it says of a provider, in the shape of a user's models.json; undefined if nothing. */
  readonly of: (provider: string) => JsonObject | undefined
  readonly providers: () => readonly string[]
}

/** A model a line, so that changes can be read, and only the lines of one provider have to be. */
export function bundledModels(): BundledModels {
  const path = embeddedPath("model-table.jsonl") ?? resolve(import.meta.dir, "../models/model-table.jsonl")
  const text = readFileSync(path, "utf8")
  return {
    date: String(objectIn(text.slice(0, text.indexOf("\n")))?.date ?? ""),
    of(provider) {
      const lines = linesWith(`{"provider":${JSON.stringify(provider)},`, text)
      if (lines.length === 0) return undefined
      let aliases: JsonValue = {}
      const models: { [id: string]: JsonValue } = {}
      for (const line of lines) {
        const { provider: _provider, aliases: named, id, ...facts } = objectIn(line) ?? {}
        if (typeof id === "string") models[id] = facts
        else if (isObject(named)) aliases = named
      }
      return { aliases, models }
    },
    providers: () => [...new Set(Array.from(text.matchAll(/^\{"provider":"([^"]+)"/gm), ([, name = ""]) => name))],
  }
}

function linesWith(beginning: string, text: string): readonly string[] {
  const lines: string[] = []
  for (let at = text.indexOf(`\n${beginning}`); at !== -1; at = text.indexOf(`\n${beginning}`, at + 1)) {
    const end = text.indexOf("\n", at + 1)
    lines.push(text.slice(at + 1, end === -1 ? undefined : end))
  }
  return lines
}
