/** Which hooks a moment is for: matches the name of a tool, a source or a reason. */

import { failed, ok, type Result } from "#lib/result.ts"

export type Matches = (subjects: readonly string[]) => boolean

/** Empty or `*` matches everything, plain names match exactly, anything else is a regular expression that may match anywhere. */
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
