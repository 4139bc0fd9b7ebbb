/** Tells a client when the list of sessions changes: a session more, or something about one. */

import { digestOf } from "#lib/digest.ts"
import type { JsonObject } from "#lib/json.ts"
import type { TokenOwner } from "#fleet/records.ts"
import { whoseSessions } from "#faces/web/route.ts"
import { rootChannel } from "./names.ts"
import type { Shared } from "./shared.ts"
import { summaryOf } from "./session-state.ts"

export interface SessionList {
  /** From now on; what it returns ends it. */
  readonly start: (who: TokenOwner) => Promise<() => void>
  readonly close: () => void
}

/** Changes come in bursts. */
const gatherMs = 200
/** Older ones are looked at again when a client lists them. */
const most = 50

export function watchList(
  { store, context, clock }: Shared,
  notify: (method: string, params: JsonObject) => void,
): SessionList {
  let stop = (): void => undefined

  async function start(who: TokenOwner): Promise<() => void> {
    stop()
    const createdBy = whoseSessions({ context, who })
    const wish = { limit: most, ...(createdBy !== undefined && { createdBy }) }
    const summaries = async (): Promise<ReadonlyMap<string, JsonObject>> =>
      new Map((await store.sessions.list(wish)).map((each) => [each.id, summaryOf(each)]))
    let before = await summaries()
    let stopTimer: (() => void) | undefined

    async function notifyChanges(): Promise<void> {
      stopTimer = undefined
      const now = await summaries().catch(() => before)
      const older = before
      before = now
      for (const [id, summary] of now) {
        const known = older.get(id)
        if (!known) notify("root/sessionAdded", { channel: rootChannel, summary })
        else if (digestOf(known) !== digestOf(summary))
          notify("root/sessionSummaryChanged", {
            channel: rootChannel,
            session: summary["resource"] ?? "",
            changes: changesIn(known, summary),
          })
      }
    }

    const unwatch = store.watchChanges((change) => {
      if (change?.of !== undefined && createdBy !== undefined && change.of !== createdBy) return
      stopTimer ??= clock.after(gatherMs, () => void notifyChanges())
    })
    stop = () => {
      unwatch()
      stopTimer?.()
      stop = () => undefined
    }
    return stop
  }

  return { start, close: () => stop() }
}

const changesIn = (before: JsonObject, now: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => digestOf(before[name] ?? null) !== digestOf(value)))
