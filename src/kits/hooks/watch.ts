/** Tells of the runs of hooks as they happen: that one starts, what it prints, how it ends. */

import type { HookRun, Moment } from "#agent/words/event.ts"
import type { Feeding } from "#ground/workspace/processes/feed.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import type { ConfiguredHook } from "./config.ts"
import type { HookResult } from "./meaning.ts"
import type { HookMoment } from "./moments.ts"

export interface HookWatch {
  readonly printed: NonNullable<Feeding["onOutput"]>
  readonly ended: (ran: HookResult) => void
}

/** What a hook prints is told at this pace; one that is done sooner is told at its end. */
const progressMs = 1_000

export const openHookWatch =
  ({ publish, clock, ids }: { readonly publish: (moment: Moment) => void; readonly clock: Clock; readonly ids: Ids }) =>
  ({ event, name }: ConfiguredHook, { subjects = [] }: HookMoment): HookWatch => {
    const run: HookRun = { id: ids.uuid(), event, ...optional("subject", subjects[0]), name }
    const decoders: { stdout?: TextDecoder; stderr?: TextDecoder } = {}
    let untold = { stdout: "", stderr: "" }
    let cancel: (() => void) | undefined

    function tellProgress(): void {
      cancel = undefined
      publish({ type: "hook_progress", run, ...untold })
      untold = { stdout: "", stderr: "" }
    }

    publish({ type: "hook_start", run })
    return {
      printed(from, bytes) {
        const decoder = (decoders[from] ??= new TextDecoder())
        untold = { ...untold, [from]: untold[from] + decoder.decode(bytes, { stream: true }) }
        cancel ??= clock.after(progressMs, tellProgress)
      },
      ended(ran) {
        cancel?.()
        publish({ type: "hook_end", run, ...endOf(ran) })
      },
    }
  }

function endOf(ran: HookResult): Omit<Extract<Moment, { readonly type: "hook_end" }>, "type" | "run"> {
  switch (ran.kind) {
    case "exited": {
      const { exit, stdout, stderr } = ran
      return { outcome: exit === 0 ? "success" : "error", stdout, stderr, exit }
    }
    case "judged":
      return { outcome: "success", stdout: JSON.stringify({ ok: ran.ok, reason: ran.reason }), stderr: "" }
    case "failed":
      return { outcome: ran.isInterrupted ? "cancelled" : "error", stdout: "", stderr: "", why: ran.why }
  }
}
