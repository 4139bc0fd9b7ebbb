/** What hooks say when the model has nothing more to do: done, or not yet. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Dispatcher } from "./dispatch.ts"
import { contextWords, enoughWords, goOnWords, stoppedWords } from "./words.ts"

export interface Resting {
  /** A turn begins, in which no hook has made the agent continue yet. */
  readonly turnBegins: () => void
  readonly atRest: (signal: AbortSignal) => Promise<"go_on" | "end">
}

export interface RestingPorts extends Dispatcher {
  readonly record: (body: Extract<EntryBody, { readonly kind: "attachment" | "notice" }>) => void
  readonly addContext: (text: string) => void
  readonly lastAnswer: () => string
  /** What still runs in the background, in the words of clients. */
  readonly background: () => readonly JsonObject[]
  /** `SubagentStop` in an agent that another one started. */
  readonly event: "Stop" | "SubagentStop"
  readonly subjects: readonly string[]
}

/** A hook that is never satisfied must not keep an agent working forever. */
const mostTimes = 10

export function openResting(ports: RestingPorts): Resting {
  const { event, subjects } = ports
  let times = 0
  return {
    turnBegins: () => void (times = 0),
    async atRest(signal) {
      if (!ports.has(event)) return "end"
      const fields = {
        stop_hook_active: times > 0,
        last_assistant_message: ports.lastAnswer(),
        background_tasks: ports.background(),
        // A loop has no cron expression, so it is not listed.
        session_crons: [],
      }
      const fired = await ports.fire({ event, subjects, fields }, signal)
      // The loop itself reports the interrupt.
      if (signal.aborted) return "go_on"
      for (const context of fired.contexts) ports.addContext(contextWords(event, context))
      if (fired.stop !== undefined) {
        ports.record({ kind: "notice", level: "info", text: stoppedWords(fired.stop) })
        return "end"
      }
      if (fired.verdict !== "deny") return "end"
      if (times >= mostTimes) {
        ports.record({ kind: "notice", level: "warning", text: enoughWords(times) })
        return "end"
      }
      times++
      const text = goOnWords(fired.by ?? "a hook", fired.reason ?? "It gave no reason.")
      ports.record({ kind: "attachment", name: "hook", text })
      return "go_on"
    },
  }
}
