/** What a server tells by itself: changed lists and changed resources, over one stream or as older servers do. */

import type { Client } from "@modelcontextprotocol/client"
import type { Clock } from "#lib/clock.ts"
import type { McpHost } from "./connection.ts"

export interface ServerNews {
  /** Starts to listen. Nothing waits for it. */
  readonly start: () => void
  readonly watchResources: (uris: readonly string[]) => void
  readonly stop: () => void
}

interface NewsParts {
  readonly client: Client
  readonly host: Pick<McpHost, "onChanged">
  readonly clock: Clock
}

type Filter = Parameters<Client["listen"]>[0]

/** A stream that ends is opened again after these pauses, the last one from then on. */
const pausesMs: readonly number[] = [1_000, 5_000, 30_000, 120_000]
/** One that held this long counts as one that works. */
const steadyMs = 60_000
const acknowledgeMs = 30_000

export const openNews = (parts: NewsParts): ServerNews =>
  parts.client.getProtocolEra() === "modern" ? openStream(parts) : openSubscriptions(parts)

/** Servers of the 2026 revision say only what they are asked for, on a stream that is opened for it. */
function openStream({ client, host, clock }: NewsParts): ServerNews {
  const life = new AbortController()
  const can = client.getServerCapabilities() ?? {}
  const lists: Filter = {
    ...(can.tools?.listChanged && { toolsListChanged: true }),
    ...(can.prompts?.listChanged && { promptsListChanged: true }),
    ...(can.resources?.listChanged && { resourcesListChanged: true }),
  }
  let watched: readonly string[] = []
  let current = new AbortController()

  function filter(): Filter {
    return watched.length > 0 ? { ...lists, resourceSubscriptions: [...watched] } : lists
  }

  /** What changed while nobody listened was not told. */
  function refreshAll(): void {
    for (const what of ["tools", "prompts", "resources"] as const) if (can[what]) host.onChanged(what)
  }

  async function listen(own: AbortController): Promise<void> {
    let failures = 0
    for (let opened = 0; !own.signal.aborted; opened++) {
      const since = clock.now()
      const stream = await client
        .listen(filter(), { signal: own.signal, timeout: acknowledgeMs })
        .catch(() => undefined)
      if (stream && opened > 0) refreshAll()
      if ((await stream?.closed) === "local") return
      failures = clock.now() - since > steadyMs ? 0 : failures + 1
      await clock.sleep(pausesMs[Math.min(failures, pausesMs.length) - 1] ?? pausesMs[0] ?? 0, own.signal)
    }
  }

  function start(): void {
    current.abort()
    current = new AbortController()
    if (life.signal.aborted || Object.keys(filter()).length === 0) return
    void listen(current)
  }

  return {
    start,
    watchResources(uris) {
      if (can.resources?.subscribe !== true || isSame(uris, watched)) return
      watched = [...uris]
      start()
    },
    stop() {
      life.abort()
      current.abort()
    },
  }
}

/** Older servers tell changed lists without being asked, and take one request for each resource. */
function openSubscriptions({ client }: NewsParts): ServerNews {
  const can = client.getServerCapabilities()?.resources?.subscribe === true
  let watched: readonly string[] = []
  return {
    start() {},
    watchResources(uris) {
      if (!can) return
      const [added, gone] = [uris.filter((uri) => !watched.includes(uri)), watched.filter((uri) => !uris.includes(uri))]
      watched = [...uris]
      // Who does not take it tells nothing, which is no worse than before.
      for (const uri of added) void client.subscribeResource({ uri }).catch(() => {})
      for (const uri of gone) void client.unsubscribeResource({ uri }).catch(() => {})
    },
    stop() {},
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one))
