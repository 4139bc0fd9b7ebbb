/** The server as a host of the Agent Host Protocol: what clients share, and what each has been told. See decision 128. */

import type { JsonObject } from "#lib/json.ts"
import { maySee } from "#faces/web/route.ts"
import { openConnection } from "./connection.ts"
import type { AhpConnection, AhpHost, AhpParts, ActionEnvelope, Shared } from "./shared.ts"
import { type ActionOrigin, draftOf, type FollowedSession, followSession } from "./followed-session.ts"

/** For clients that come back. */
const mostKept = 2_000
const mostKnown = 10_000
const mostDrafts = 1_000
/** A session that nobody follows is folded for so long, in case somebody comes back. */
const lingerMs = 60_000

interface Held {
  readonly session: FollowedSession
  readonly unwatch: () => void
  /** The number of the last action before it was followed. */
  readonly since: number
  users: number
  stopLinger: () => void
}

export function openAhpHost(parts: AhpParts): AhpHost {
  const { store, clock, context, report } = parts
  const followedSessions = new Map<string, Held>()
  const drafts = new Map<string, { readonly path: string; readonly of: string }>()
  const listeners = new Set<(envelope: ActionEnvelope) => void>()
  const known = new Set<string>()
  const kept: ActionEnvelope[] = []
  const connections = new Set<AhpConnection>()
  // A server that is started again begins above every number that it has used.
  let seq = clock.now()
  let keptFrom = seq

  function emit(channel: string, action: JsonObject, origin: ActionOrigin | undefined): void {
    const envelope = { channel, action, serverSeq: ++seq, ...(origin && { origin }) }
    kept.push(envelope)
    if (kept.length > mostKept) keptFrom = kept.shift()?.serverSeq ?? keptFrom
    for (const listener of listeners) listener(envelope)
  }

  function drop(sessionId: string): void {
    followedSessions.get(sessionId)?.unwatch()
    followedSessions.get(sessionId)?.session.close()
    followedSessions.delete(sessionId)
  }

  function begin(sessionId: string, about: Parameters<typeof followSession>[0]): Held {
    const session = followSession(about, { store, clock, emit, report })
    const unwatch = store.watch(sessionId, () => session.read())
    return { session, unwatch, since: seq, users: 0, stopLinger: () => undefined }
  }

  function join(sessionId: string, about: Parameters<typeof followSession>[0]): Held {
    const one = followedSessions.get(sessionId) ?? begin(sessionId, about)
    followedSessions.set(sessionId, one)
    one.stopLinger()
    one.users++
    return one
  }

  const shared: Shared = {
    ...parts,
    seq: () => seq,
    nextSeq: () => ++seq,
    after(last, sessionIds) {
      const isKnown = sessionIds.every((id) => (followedSessions.get(id)?.since ?? Number.POSITIVE_INFINITY) <= last)
      if (last < keptFrom || last > seq || !isKnown) return undefined
      return kept.filter(({ serverSeq }) => serverSeq > last)
    },
    async follow(sessionId, who) {
      const draft = drafts.get(sessionId)
      const record = await store.sessions.get(sessionId)
      if (record ? !maySee(who, record, context.visibility) : draft?.of !== who.name) return undefined
      const { session } = join(sessionId, record ?? draftOf(sessionId, draft?.path ?? "/", clock.now()))
      await session.ready
      return session
    },
    leave(sessionId) {
      const one = followedSessions.get(sessionId)
      if (!one || --one.users > 0) return
      one.stopLinger = clock.after(lingerMs, () => drop(sessionId))
    },
    draft(sessionId, path, { name }) {
      if (drafts.has(sessionId) || drafts.size >= mostDrafts) return false
      drafts.set(sessionId, { path, of: name })
      return true
    },
    takeDraft(sessionId, { name }) {
      const draft = drafts.get(sessionId)
      if (draft?.of !== name) return undefined
      drafts.delete(sessionId)
      return draft.path
    },
    failed: (error) => report?.(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    listeners,
    known,
  }

  return {
    connect(socket) {
      if (known.size > mostKnown) known.clear()
      const connection = openConnection(socket, shared)
      connections.add(connection)
      return {
        receive: connection.receive,
        close() {
          connections.delete(connection)
          connection.close()
        },
      }
    },
    close() {
      for (const connection of connections) connection.close()
      for (const { stopLinger } of followedSessions.values()) stopLinger()
      for (const id of followedSessions.keys()) drop(id)
    },
  }
}
