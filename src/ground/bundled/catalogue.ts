/** The table of models that ships with the program: from the source tree, or from the executable. */

import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { objectIn, type JsonObject } from "#lib/json.ts"
import { embeddedPath } from "./embedded.ts"

/** Read when a model is asked for whose facts are in it, which cannot wait. */
export function bundledCatalogue(): JsonObject {
  const path = embeddedPath("catalogue.json") ?? resolve(import.meta.dir, "../models/catalogue.json")
  return objectIn(readFileSync(path, "utf8")) ?? {}
}
