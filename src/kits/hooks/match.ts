/** Which hooks a moment is for: the matcher, held against the name of a tool, a source or a reason. */

import { failed, ok, type Result } from "#lib/result.ts"

/** Whether a matcher fits what a moment is about. */
export type Matches = (subjects: readonly string[]) => boolean

/** Nothing or `*` fits all, plain names fit exactly, anything else is a regular expression that may fit anywhere. */
export function matcherOf(text: string): Result<Matches, string> {
  const trimmed = text.trim()
  if (trimmed === "" || trimmed === "*") return ok(() => true)
  if (/^[\w\- ,|]+$/.test(trimmed)) {
    const names = trimmed.split(/[|,]/).map((name) => name.trim())
    return ok((subjects) => subjects.some((subject) => names.includes(subject)))
  }
  try {
    const pattern = new RegExp(trimmed)
    return ok((subjects) => subjects.some((subject) => pattern.test(subject)))
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}
