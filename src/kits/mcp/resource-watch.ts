/** Resources that were read in this session: when one changes at its server, the model is told once, until it reads it again. */

import type { Attachment } from "#agent/words/kit.ts"

export interface ResourceWatch {
  /** Gives all of that server that are to be watched now. */
  readonly wasRead: (server: string, uri: string) => readonly string[]
  readonly updated: (server: string, uri: string) => void
  /** What is new since the last look. */
  readonly news: () => readonly Attachment[]
}

/** The oldest are left behind. */
const mostWatched = 50

export function openResourceWatch(): ResourceWatch {
  const read = new Map<string, Set<string>>()
  const changed = new Map<string, readonly [server: string, uri: string]>()
  const keyOf = (server: string, uri: string): string => `${server} ${uri}`
  return {
    wasRead(server, uri) {
      changed.delete(keyOf(server, uri))
      const before = read.get(server) ?? new Set<string>()
      const uris = new Set([...[...before].filter((one) => one !== uri), uri].slice(-mostWatched))
      read.set(server, uris)
      return [...uris]
    },
    updated(server, uri) {
      if (read.get(server)?.delete(uri)) changed.set(keyOf(server, uri), [server, uri])
    },
    news() {
      if (changed.size === 0) return []
      const lines = [...changed.values()].map(([server, uri]) => `- ${uri} of ${server}`)
      changed.clear()
      return [
        {
          name: "changed_resources",
          text: `These MCP resources have changed since you read them. Read them again if you need them:\n${lines.join("\n")}`,
        },
      ]
    },
  }
}
