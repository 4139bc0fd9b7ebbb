/** What a project's files would have run: the keys, and a fingerprint of each, so that trust ends where they change. */

import { readFileSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { isObject, type JsonValue } from "#lib/json.ts"
import { parseJsonc } from "./jsonc.ts"

/** Settings by which a project starts programs, or changes what programs do. */
export const executableKeys: readonly string[] = [
  "apiKeyHelper",
  "awsAuthRefresh",
  "enableAllProjectMcpServers",
  "enabledMcpjsonServers",
  "enabledPlugins",
  "env",
  "extraKnownMarketplaces",
  "fileSuggestion",
  "hooks",
  "mcpServers",
  "otelHeadersHelper",
  "statusLine",
]

/** The files of a project that may hold them. */
export const projectFiles: readonly string[] = [
  ".codewright/settings.json",
  ".codewright/settings.local.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".mcp.json",
]

const largest = 4_000_000

/** Fingerprints by file and key. */
export type ExecutableConfiguration = { readonly [file: string]: { readonly [key: string]: string } }

/** What the project's files would have run now. A file that cannot be read would run nothing. */
export function executableConfiguration(root: string): ExecutableConfiguration {
  const found = projectFiles.flatMap((file) => {
    const keys = Object.entries(settingsIn(join(root, file))).filter(([key]) => executableKeys.includes(key))
    return keys.length === 0 ? [] : [[file, Object.fromEntries(keys.map(([key, value]) => [key, markOf(value)]))]]
  })
  return Object.fromEntries(found)
}

/** Whether a value in a project's file would run something and is not the one that was there at the time of trust. */
export type ChangedSince = (file: string, key: string, value: JsonValue) => boolean

export function changedSince(root: string, trusted: ExecutableConfiguration): ChangedSince {
  return (file, key, value) => {
    if (!executableKeys.includes(key)) return false
    const known = trusted[relative(root, file)]
    return !known || !Object.hasOwn(known, key) || known[key] !== markOf(value)
  }
}

/** The servers that `.mcp.json` names. */
export function mcpServersIn(root: string): { readonly file: string; readonly servers: JsonValue } | undefined {
  const file = join(root, ".mcp.json")
  const { mcpServers } = settingsIn(file)
  return isObject(mcpServers) && Object.keys(mcpServers).length > 0 ? { file, servers: mcpServers } : undefined
}

/** What a settings file holds; nothing when it cannot be read. */
export function settingsIn(file: string): { readonly [key: string]: JsonValue } {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat?.isFile() || stat.size > largest) return {}
    const parsed = parseJsonc(readFileSync(file, "utf8"))
    return parsed.ok && isObject(parsed.value.value) ? parsed.value.value : {}
  } catch {
    return {}
  }
}

const markOf = (value: JsonValue): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(sorted(value))).digest("hex")

/** The order of keys means nothing. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
