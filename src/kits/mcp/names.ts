/** Names of server tools: `mcp__server__tool`, in characters that providers accept, all distinct. */

import { plainServerName } from "#agent/words/named-servers.ts"

const longestName = 64
const longestServer = 36
const hashLength = 8

/** The name of each server within tool names. */
export function serverNames(servers: readonly string[]): ReadonlyMap<string, string> {
  return distinct(
    servers,
    plainServerName,
    (server) => server,
    longestServer,
    // Together with the one before the hash there would be two.
    (start) => start.replace(/_+$/, ""),
  )
}

/** The names of one server's tools, by the server's own names. */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const name = (tool: string): string => `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`
  return distinct(tools, name, (tool) => `mcp__${server}__${tool}`, longestName)
}

/**
 * A name that is valid as given is kept. A changed one is kept if it is unique; otherwise a hash of the original makes it distinct, independent of the
 * order in which tools came.
 */
function distinct(
  originals: readonly string[],
  shorten: (original: string) => string,
  unchanged: (original: string) => string,
  longest: number,
  cut: (start: string) => string = (start) => start,
): ReadonlyMap<string, string> {
  const wanted = new Map<string, string[]>()
  for (const original of new Set(originals)) {
    const name = shorten(original)
    wanted.set(name, [...(wanted.get(name) ?? []), original])
  }
  const named = new Map<string, string>()
  const others: (readonly [string, string])[] = []
  for (const [name, those] of wanted)
    for (const original of those) {
      const fits = name.length <= longest && (those.length === 1 || name === unchanged(original))
      if (fits) named.set(original, name)
      else others.push([original, name])
    }
  const taken = new Set(named.values())
  for (const [original, name] of others.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const start = cut(name.slice(0, longest - hashLength - 1))
    let hashed = `${start}_${hashOf(original)}`
    // Another tool may already have exactly this name.
    while (taken.has(hashed)) hashed = `${start}_${hashOf(`${hashed} ${original}`)}`
    taken.add(hashed)
    named.set(original, hashed)
  }
  return named
}

const hashOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, hashLength)
