/** What hooks do, in the words of clients. */

import type { Event } from "#agent/words/event.ts"
import { optional } from "#lib/optional.ts"
import type { EventMemory } from "./event-memory.ts"
import type { Envelope } from "./envelope.ts"

export type HookEvent = Extract<Event, { readonly type: "hook_start" | "hook_progress" | "hook_end" }>

export const isHookEvent = (event: Event): event is HookEvent =>
  event.type === "hook_start" || event.type === "hook_progress" || event.type === "hook_end"

/** Clients are always told of these. */
export const isStartHook = ({ run }: HookEvent): boolean => run.event === "SessionStart" || run.event === "Setup"

export function hookMessage(event: HookEvent, memory: Pick<EventMemory, "printed">, { stamp }: Envelope): object {
  const { id: hook_id, event: hook_event, subject } = event.run
  const hook_name = subject === undefined ? hook_event : `${hook_event}:${subject}`
  const which = { hook_id, hook_name, hook_event }
  switch (event.type) {
    case "hook_start":
      return { type: "system", subtype: "hook_started", ...which, ...stamp() }
    case "hook_progress": {
      const { stdout, stderr } = memory.printed(hook_id)
      return { type: "system", subtype: "hook_progress", ...which, stdout, stderr, output: stdout + stderr, ...stamp() }
    }
    case "hook_end": {
      const { stdout, stderr, why, exit, outcome } = event
      return {
        type: "system",
        subtype: "hook_response",
        ...which,
        output: why ?? stdout + stderr,
        stdout,
        stderr,
        ...optional("exit_code", exit),
        outcome,
        ...stamp(),
      }
    }
  }
}
