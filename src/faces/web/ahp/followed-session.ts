/** A session that clients follow: its events are read once for all of them, and folded as they come. */

import { digestOf } from "#lib/digest.ts"
import type { JsonObject } from "#lib/json.ts"
import type { FleetEvent } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { Clock } from "#lib/clock.ts"
import { openChatFold } from "./chat-fold.ts"
import type { OpenQuestion } from "./call-fold.ts"
import { type ChatAction, type ChatState, emptyChat } from "./chat-state.ts"
import { chatChannel, sessionChannel } from "./names.ts"
import { chatSummaryOf, inputNeededOf, type SessionAbout, sessionStateOf } from "./session-state.ts"

/** Which client asked for an action, and as which of its own. */
export interface ActionOrigin {
  readonly clientId: string
  readonly clientSeq: number
}

export interface FollowedSession {
  /** Once all that has happened so far is known. */
  readonly ready: Promise<void>
  readonly about: () => SessionAbout
  readonly chat: () => ChatState
  readonly state: () => JsonObject
  readonly openQuestion: (id: string) => OpenQuestion | undefined
  /** Something may be new. */
  readonly read: () => void
  /** The action that comes of what a client asked for says so. */
  readonly expect: (type: ChatAction["type"], id: string, origin: ActionOrigin) => void
  readonly forget: (type: ChatAction["type"], id: string) => void
  /** What the client calls the first turn, which the worker names after the session. */
  readonly nameFirstTurn: (turnId: string) => void
  /** An action of a client that no event says. */
  readonly add: (action: ChatAction, origin: ActionOrigin) => void
  readonly close: () => void
}

export interface FollowParts {
  readonly store: Pick<FleetStore, "sessions" | "lines">
  readonly clock: Clock
  readonly emit: (channel: string, action: JsonObject, origin: ActionOrigin | undefined) => void
  readonly report?: ((text: string) => void) | undefined
}

const page = 200

export function followSession(first: SessionAbout, { store, clock, emit, report }: FollowParts): FollowedSession {
  const { id } = first
  const [chatUri, sessionUri] = [chatChannel(id), sessionChannel(id)]
  const turnNames = new Map<string, string>()
  const fold = openChatFold(emptyChat(chatUri, first.title, new Date(first.createdAt).toISOString()), turnNames)
  const expected = new Map<string, ActionOrigin>()
  let about = first
  let cursor = 0
  let isStale = false
  let isReading = false
  let isUpToDate = false
  let isClosed = false
  const chat = (): ChatState => ({ ...fold.state(), title: about.title })
  let shown = shownNow()

  function shownNow() {
    const needed = new Map(inputNeededOf(chat()).map((each) => [each.id, each]))
    return { title: about.title, chat: chatSummaryOf(chat()), needed }
  }

  /** What those who follow only the session get to know. */
  function emitSession(): void {
    const before = shown
    shown = shownNow()
    const say = (action: JsonObject): void => emit(sessionUri, action, undefined)
    if (shown.title !== before.title) say({ type: "session/titleChanged", title: shown.title })
    for (const [key, request] of shown.needed)
      if (digestOf(before.needed.get(key) ?? null) !== digestOf(request))
        say({ type: "session/inputNeededSet", request })
    for (const key of before.needed.keys())
      if (!shown.needed.has(key)) say({ type: "session/inputNeededRemoved", id: key })
    const { resource: _resource, ...changes } = shown.chat
    if (shown.chat.status !== before.chat.status || shown.title !== before.title)
      say({ type: "session/chatUpdated", chat: chatUri, changes })
  }

  function onEvent(event: FleetEvent): void {
    cursor = event.seq
    for (const action of fold.onEvent(event, clock.now())) {
      if (!isUpToDate) continue
      const key = keyOf(action)
      const origin = expected.get(key)
      expected.delete(key)
      emit(chatUri, action as unknown as JsonObject, origin)
    }
  }

  async function readAll(): Promise<void> {
    while (isStale && !isClosed) {
      isStale = false
      const events = await store.lines.events(id, cursor, page)
      for (const event of events) onEvent(event)
      if (events.length === page) isStale = true
      if (events.length > 0) about = (await store.sessions.get(id)) ?? about
      if (isUpToDate) emitSession()
    }
  }

  async function read(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    try {
      await readAll()
    } catch (error) {
      // The database is away; whatever happens next reads again.
      report?.(`warning: the events of session ${id} could not be read: ${String(error)}`)
    } finally {
      isReading = false
    }
  }

  const ready = read().then(() => {
    isUpToDate = true
    shown = shownNow()
  })

  return {
    ready,
    about: () => about,
    chat,
    state: () => sessionStateOf(about, chat()),
    openQuestion: fold.open,
    read: () => void read(),
    expect: (type, actionId, origin) => void expected.set(`${type} ${actionId}`, origin),
    forget: (type, actionId) => void expected.delete(`${type} ${actionId}`),
    nameFirstTurn: (turnId) => void turnNames.set(id, turnId),
    add(action, origin) {
      fold.add(action, clock.now())
      emit(chatUri, action as unknown as JsonObject, origin)
      emitSession()
    },
    close: () => void (isClosed = true),
  }
}

/** By what an action and the request for it are recognized as the same. */
function keyOf(action: ChatAction): string {
  if ("toolCallId" in action) return `${action.type} ${action.toolCallId}`
  if ("requestId" in action) return `${action.type} ${action.requestId}`
  return "turnId" in action ? `${action.type} ${action.turnId}` : action.type
}

/** A session that a client made and has said nothing in yet: nothing is kept of it, and nobody else sees it. */
export const draftOf = (id: string, path: string, now: number): SessionAbout => ({
  id,
  title: "New session",
  opening: { workspace: { path } },
  stage: "completed",
  createdAt: now,
  updatedAt: now,
})
