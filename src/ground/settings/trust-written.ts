/** What the user has us write into a trusted project's file is their own: it is added to what they trust there. */

import { relative } from "node:path"
import { isObject, type JsonValue } from "#lib/json.ts"
import { ok, type Result } from "#lib/result.ts"
import type { SettingsPlace } from "./edit-file.ts"
import { admit } from "./scope.ts"
import { trustMore } from "./trust.ts"

/** `value`: settings with only what was written. */
export function trustWritten({ file, project }: SettingsPlace, value: JsonValue): Result<unknown, string> {
  if (!project || !isObject(value)) return ok(undefined)
  const shownFile = relative(project.root, file)
  const { lines } = admit(value, { name: "local settings", file, shownFile, trust: "trusted", isSecret: () => false })
  return trustMore(project, project.root, lines)
}
