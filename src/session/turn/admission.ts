/** Passes prompts through the hooks: delivered, refused, or put back if interrupted before that was settled. */

import type { End } from "#agent/words/end.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { SessionHooks } from "#session/adapters/hooks.ts"
import type { Inbox, WaitingPrompt } from "#session/journal/inbox.ts"
import type { Turns } from "./turns.ts"
import { withdrawn } from "./withdrawn.ts"

export interface PromptAdmission {
  /** Whether a prompt has to wait before it is delivered. */
  readonly isGuarded: () => boolean
  /** How the turn ends if its prompt is not delivered; undefined if it is. */
  readonly first: (waiting: WaitingPrompt, signal: AbortSignal) => Promise<End | undefined>
  readonly steering: (all: readonly WaitingPrompt[], signal: AbortSignal) => Promise<readonly WaitingPrompt[]>
}

export function openAdmission({
  hooks,
  inbox,
  turns,
  record,
}: {
  readonly hooks: Pick<SessionHooks, "guardsPrompts" | "beforePrompt">
  readonly inbox: Inbox
  readonly turns: Pick<Turns, "withdrawal" | "said">
  readonly record: (body: EntryBody) => void
}): PromptAdmission {
  /** Why a prompt is not delivered; undefined if it is, or if nobody waits for it any more. */
  async function refusal(waiting: WaitingPrompt, signal: AbortSignal): Promise<string | undefined> {
    const why = await hooks.beforePrompt(waiting, signal)
    if (why === undefined || signal.aborted) return undefined
    record({ kind: "unsent", promptId: waiting.promptId, why })
    return why
  }

  /** Interrupted while hooks were running: returned to whoever submitted them, or queued again. */
  function putBack(left: readonly WaitingPrompt[]): void {
    const withdrawal = turns.withdrawal()
    const gone = left.filter(({ from }) => withdrawal && from === withdrawal.from)
    const kept = left.filter((one) => !gone.includes(one))
    if (withdrawal && gone.length > 0) record(withdrawn(gone, withdrawal.by))
    for (const waiting of kept.toReversed()) inbox.putFirst(waiting)
    // What another face sent is delivered all the same.
    if (withdrawal && kept.length > 0) turns.said()
  }

  return {
    isGuarded: hooks.guardsPrompts,
    async first(waiting, signal) {
      const message = await refusal(waiting, signal)
      if (signal.aborted) {
        putBack([waiting])
        return { reason: "aborted" }
      }
      return message === undefined ? undefined : { reason: "blocked_by_hook", message }
    },
    async steering(all, signal) {
      const passed: WaitingPrompt[] = []
      for (const [index, waiting] of all.entries()) {
        const text = await refusal(waiting, signal)
        if (signal.aborted) {
          putBack(all.slice(index))
          break
        }
        if (text === undefined) passed.push(waiting)
        else record({ kind: "notice", level: "warning", text })
      }
      return passed
    },
  }
}
