/** Which machines a session contacts, and why: one entry when it does so first, one with the count when it is closed. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { SearchSource } from "#ground/web/search.ts"
import { optional } from "#lib/optional.ts"
import type { ConnectionFact, OnConnection } from "#lib/network.ts"
import type { SessionOptions } from "./options.ts"

export interface ConnectionLog {
  readonly record: OnConnection
  /** Records how often each was contacted since its first entry. */
  readonly settle: () => void
}

export function openConnectionLog(record: (body: EntryBody) => void): ConnectionLog {
  const known = new Map<string, { readonly fact: ConnectionFact; more: number }>()
  return {
    record(fact) {
      const { why, name, host, port, proxy, refused } = fact
      const key = JSON.stringify([why, name, host, port, proxy, refused])
      const before = known.get(key)
      if (before) {
        // What is refused is asked about more often than it is tried.
        if (!refused) before.more++
        return
      }
      known.set(key, { fact, more: 0 })
      record({ kind: "connection", ...fact, count: 1 })
    },
    settle() {
      for (const one of known.values()) {
        if (one.more > 0) record({ kind: "connection", ...one.fact, count: one.more })
        one.more = 0
      }
    },
  }
}

/** Whatever the session uses to reach others tells what it does; so does what its agents are given. */
export function withConnectionLog(options: SessionOptions, onConnection: OnConnection): SessionOptions {
  const { place, model, search } = options
  const hearAbout = (fact: ConnectionFact | undefined): void => {
    if (fact) onConnection(fact)
  }
  return {
    ...options,
    place: { ...place, network: place.network.observedBy(onConnection) },
    model: {
      ...model,
      port: {
        ...model.port,
        stream(request, signal) {
          hearAbout(model.connectionOf?.(request.model))
          return model.port.stream(request, signal)
        },
      },
    },
    ...optional<"search", SearchSource>(
      "search",
      search && {
        ...search,
        search(...asked) {
          hearAbout(place.network.connectionTo({ why: "search", chosenBy: "user" }, search.address))
          return search.search(...asked)
        },
      },
    ),
  }
}
