/** The loop kit: sends a prompt again and again while the session is open, each time once. */

import type { EntryBody } from "#agent/words/entry.ts"
import { byKind } from "#agent/words/follower.ts"
import type { Kit } from "#agent/words/kit.ts"
import { type Loop, nextTime } from "#agent/words/loop.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface LoopPorts {
  readonly clock: Clock
  readonly ids: Ids
  readonly record: (body: EntryBody) => void
  /** Sends a prompt as the user would; one with an id that the log knows is not sent again. */
  readonly send: (text: string, promptId: string) => void
  /** Why no loop can run here, if so. */
  readonly unable: string | undefined
  /** A copy of a session does not continue the loop of the original. */
  readonly isCopy: boolean
}

export interface LoopKit extends Kit {
  readonly loop: () => Loop | undefined
  readonly set: (loop: Pick<Loop, "everyMs" | "prompt"> | null) => Result<void, string>
}

/** The clock may jump while we sleep, so the time is looked at again now and then. */
const longestSleepMs = 60_000

export function loopKit({ clock, ids, record, send, unable, isCopy }: LoopPorts): LoopKit {
  let last: Loop | undefined
  /** The prompt that was sent last, until it is taken up. */
  let waiting: string | undefined
  let isStarted = false
  let cancel = (): void => {}

  const current = (): Loop | undefined => (last?.stopped ? undefined : last)

  function arm(): void {
    cancel()
    const loop = current()
    if (!loop || !isStarted) return
    cancel = clock.after(Math.min(Math.max(0, loop.nextAt - clock.now()), longestSleepMs), ring)
  }

  function ring(): void {
    const loop = current()
    if (!loop) return
    const now = clock.now()
    if (now >= loop.nextAt) fire(loop, now)
    // The clock was set back: it would be silent for as long as that.
    else if (loop.nextAt - now > loop.everyMs) record({ kind: "loop", ...loop, nextAt: now + loop.everyMs })
    else arm()
  }

  function fire(loop: Loop, now: number): void {
    const nextAt = nextTime(loop, now)
    // Whatever waits already does the same.
    if (waiting !== undefined) return record({ kind: "loop", ...loop, nextAt })
    const promptId = `${loop.loopId}-${loop.sent + 1}`
    waiting = promptId
    // Sent first: after a kill between the two it is sent under the same id, which counts once.
    send(loop.prompt, promptId)
    record({ kind: "loop", ...loop, sent: loop.sent + 1, nextAt })
  }

  const takeUp = ({ promptId }: { readonly promptId: string }): void => {
    if (promptId === waiting) waiting = undefined
  }

  function onLoopEntry(body: EntryBody): void {
    if (body.kind !== "loop") return
    const { loopId, everyMs, prompt, since, nextAt, sent, stopped } = body
    last = { loopId, everyMs, prompt, since, nextAt, sent, ...(stopped && { stopped }) }
    arm()
  }

  return {
    name: "loop",
    loop: current,
    set(wish) {
      const loop = current()
      if (wish === null) {
        if (!loop) return failed("There is no loop to end.")
        record({ kind: "loop", ...loop, stopped: true })
        return ok(undefined)
      }
      if (unable !== undefined) return failed(unable)
      const now = clock.now()
      record({ kind: "loop", ...wish, loopId: ids.uuid(), since: now, nextAt: now, sent: 0 })
      return ok(undefined)
    },
    onEntry: byKind({
      loop: onLoopEntry,
      compaction: ({ standing }) => standing.forEach(onLoopEntry),
      prompt: takeUp,
      command: takeUp,
      unsent: takeUp,
      queued: ({ promptId }) => void (promptId.startsWith(`${last?.loopId}-`) && (waiting = promptId)),
      withdrawn: ({ prompts }) => prompts.forEach(takeUp),
    }),
    stirs() {
      const loop = current()
      if (loop && isCopy) record({ kind: "loop", ...loop, stopped: true })
      isStarted = true
      arm()
      return () => {
        isStarted = false
        cancel()
      }
    },
  }
}
