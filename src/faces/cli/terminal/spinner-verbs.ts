/** The words of the spinner, as the settings have them. */

import { isObject, type JsonValue } from "#lib/json.ts"

/** A list, or an object with the list and whether it replaces our own words; empty if neither. */
export function spinnerVerbs(setting: unknown): readonly string[] {
  if (Array.isArray(setting)) return wordsIn(setting)
  // Our own words say what happens; with more to choose from they would not.
  return isObject(setting) ? wordsIn(setting.verbs) : []
}

const wordsIn = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap((word: JsonValue) => (typeof word === "string" && word.trim() !== "" ? [word.trim()] : []))
    : []
