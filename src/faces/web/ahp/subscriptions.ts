/** The channels that one client follows, and what it has been shown. */

import { isObject, type JsonObject } from "#lib/json.ts"
import type { TokenOwner } from "#fleet/records.ts"
import { chosen } from "./asked.ts"
import { channelOf } from "./names.ts"
import type { ActionEnvelope, Shared, ShownDigests } from "./shared.ts"
import { provider } from "./session-state.ts"
import { watchList } from "./session-list.ts"

export interface Subscriptions {
  /** A snapshot, or undefined if there is no such channel for this user. Actions wait until `release`. */
  readonly add: (channel: string, who: TokenOwner) => Promise<JsonObject | undefined>
  readonly remove: (channel: string) => void
  /** The snapshots were sent, and what came since follows them. */
  readonly release: (channels: readonly string[]) => void
  /** What came since is sent in another way. */
  readonly discard: (channels: readonly string[]) => void
  readonly deliver: (envelope: ActionEnvelope) => void
  /** The client learns of it in another way than by `deliver`. */
  readonly note: (action: JsonObject) => void
  readonly shown: ShownDigests
  readonly close: () => void
}

interface Subscription {
  readonly leave: () => void
  held: ActionEnvelope[] | undefined
}

export function openSubscriptions(shared: Shared, notify: (method: string, params: JsonObject) => void): Subscriptions {
  const subscriptions = new Map<string, Subscription>()
  const shown: ShownDigests = new Map()
  const list = watchList(shared, notify)
  let isClosed = false

  function note({ toolCallId, options }: JsonObject): void {
    if (typeof toolCallId !== "string" || !Array.isArray(options)) return
    for (const option of options) {
      const choice = isObject(option) ? chosen(String(option["id"])) : undefined
      if (choice) shown.set(toolCallId, (shown.get(toolCallId) ?? new Set()).add(choice.digest))
    }
  }

  function deliver({ origin, ...envelope }: ActionEnvelope): void {
    note(envelope.action)
    notify("action", { ...envelope, ...(origin && { origin: { ...origin } }) })
  }

  const listener = (envelope: ActionEnvelope): void => {
    const subscription = subscriptions.get(envelope.channel)
    if (subscription?.held) subscription.held.push(envelope)
    else if (subscription) deliver(envelope)
  }
  shared.listeners.add(listener)

  async function stateOf(
    channel: string,
    who: TokenOwner,
  ): Promise<{ readonly state: JsonObject; readonly leave: () => void } | undefined> {
    const found = channelOf(channel)
    if (!found) return undefined
    if (found.kind === "root") return { state: rootState, leave: await list.start(who) }
    const session = await shared.follow(found.sessionId, who)
    if (!session) return undefined
    const leave = (): void => shared.leave(found.sessionId)
    if (found.kind === "session") return { state: session.state(), leave }
    // Everything in the state is plain data.
    for (const part of session.chat().activeTurn?.responseParts ?? [])
      if (part.kind === "toolCall") note(part.toolCall as unknown as JsonObject)
    return { state: session.chat() as unknown as JsonObject, leave }
  }

  function remove(channel: string): void {
    subscriptions.get(channel)?.leave()
    subscriptions.delete(channel)
  }

  return {
    async add(channel, who) {
      remove(channel)
      const found = await stateOf(channel, who)
      if (!found) return undefined
      if (isClosed) found.leave()
      else subscriptions.set(channel, { leave: found.leave, held: [] })
      return { resource: channel, state: found.state, fromSeq: shared.seq() }
    },
    remove,
    release(channels) {
      for (const channel of channels) {
        const subscription = subscriptions.get(channel)
        if (!subscription?.held) continue
        const { held } = subscription
        subscription.held = undefined
        for (const envelope of held) deliver(envelope)
      }
    },
    discard(channels) {
      for (const channel of channels) {
        const subscription = subscriptions.get(channel)
        if (subscription) subscription.held = []
      }
    },
    deliver,
    note,
    shown,
    close() {
      isClosed = true
      shared.listeners.delete(listener)
      for (const channel of subscriptions.keys()) remove(channel)
      list.close()
    },
  }
}

const rootState: JsonObject = {
  agents: [
    {
      provider,
      displayName: "Codewright",
      description: "A coding agent. Its sessions run on this server and wait for decisions.",
      models: [],
    },
  ],
}
