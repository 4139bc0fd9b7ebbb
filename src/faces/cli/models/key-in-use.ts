/** Which key requests are sent with, where it comes from, and which others are there and not used: in words for people. */

import { keptKey, keyFile } from "#ground/settings/kept-key.ts"
import { tilde } from "#lib/tilde.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface KeyInUse {
  readonly source: "apiKeyHelper" | "ANTHROPIC_API_KEY" | "ANTHROPIC_AUTH_TOKEN" | "key.json" | "none"
  /** Starts a sentence: `The key in ~/.codewright/key.json (…abcd)`. */
  readonly which: string
  /** Sentences about keys that exist but are not used, and why. */
  readonly notes: readonly string[]
}

type KeySetting = Pick<StartupContext, "environment" | "loaded" | "loading" | "state" | "home">

/** Called before every request, so the file is read only if it is the source. A helper's key is not known here. */
export function chosenKey(place: KeySetting): {
  readonly source: KeyInUse["source"]
  readonly key?: string
} {
  const { environment, loaded } = place
  const { apiKey, authToken } = environment
  if (loaded.settings.apiKeyHelper) return { source: "apiKeyHelper" }
  if (apiKey) return { source: "ANTHROPIC_API_KEY", key: apiKey }
  if (authToken) return { source: "ANTHROPIC_AUTH_TOKEN", key: authToken }
  // A key from the first run was meant for Anthropic: another address never gets it.
  const kept = environment.baseUrl === undefined ? savedKey(place) : undefined
  return kept === undefined ? { source: "none" } : { source: "key.json", key: kept }
}

export function keyInUse(place: KeySetting): KeyInUse {
  const { source, key = "" } = chosenKey(place)
  switch (source) {
    case "apiKeyHelper":
      return { source, which: "The key printed by apiKeyHelper", notes: stored(place, source) }
    case "ANTHROPIC_API_KEY":
      return { source, which: `The key in ANTHROPIC_API_KEY (${maskedKey(key)})`, notes: stored(place, source) }
    case "ANTHROPIC_AUTH_TOKEN":
      return { source, which: `The token in ANTHROPIC_AUTH_TOKEN (${maskedKey(key)})`, notes: stored(place, source) }
    case "key.json":
      return { source, which: `The key in ${keyPlace(place)} (${maskedKey(key)})`, notes: [] }
    case "none": {
      const notes = place.environment.baseUrl === undefined ? [] : stored(place, "ANTHROPIC_BASE_URL")
      return { source, which: "A request without a key", notes }
    }
  }
}

const savedKey = ({ state, loading }: KeySetting): string | undefined => (loading.savedKey ? keptKey(state) : undefined)

/** What to do about a rejected key. */
export function keyAdvice({ source, notes }: KeyInUse, login: string): string {
  switch (source) {
    case "key.json":
      return `${login} to change the key.`
    case "ANTHROPIC_API_KEY":
    case "ANTHROPIC_AUTH_TOKEN":
      return `Change or unset the variable; it takes precedence over ${login}.`
    case "apiKeyHelper":
      return "Check the command in the setting apiKeyHelper."
    case "none":
      return [
        ...notes,
        notes.length > 0 ? "Set ANTHROPIC_API_KEY to a key for that address." : `${login} to add one.`,
      ].join(" ")
  }
}

export const keyPlace = ({ state, home }: Pick<StartupContext, "state" | "home">): string => tilde(keyFile(state), home)

/** The last four characters; none of a key so short that they would give it away. */
export const maskedKey = (key: string): string => (key.length < 12 ? "…" : `…${key.slice(-4)}`)

function stored(place: KeySetting, because: string): readonly string[] {
  const kept = savedKey(place)
  const verb =
    because === "ANTHROPIC_BASE_URL"
      ? "is not sent, because ANTHROPIC_BASE_URL is set"
      : `is not used, because ${because} is set`
  return kept === undefined ? [] : [`The key in ${keyPlace(place)} (${maskedKey(kept)}) ${verb}.`]
}
