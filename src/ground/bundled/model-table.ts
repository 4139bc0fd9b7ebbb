/** The table of models that ships with the program: from the source tree, or from the executable. */

import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { objectIn, type JsonObject } from "#lib/json.ts"
import { embeddedPath } from "./embedded.ts"

/** Read when a model is asked for whose facts are in it, which cannot wait. */
export function bundledModelTable(): JsonObject {
  const path = embeddedPath("model-table.json") ?? resolve(import.meta.dir, "../models/model-table.json")
  return objectIn(readFileSync(path, "utf8")) ?? {}
}
