/** Intent before action: what is about to happen is in the log, on disk, before it happens. */

import type { EntryBody } from "#agent/words/entry.ts"
import { isReadOnly } from "#agent/words/footprint.ts"
import { interrupterOf } from "#agent/words/interruption.ts"
import type { Call, Middleware, Next } from "#agent/words/middleware.ts"
import { interrupted, type Outcome, refused } from "#agent/words/tool.ts"
import type { LogFailure } from "#ground/transcript/log.ts"
import { optional } from "#lib/optional.ts"
import type { Result } from "#lib/result.ts"

export function recordIntent(parts: {
  readonly record: (body: EntryBody) => void
  /** Whether the session is closing and records nothing more. A background agent may still be running then. */
  readonly isSealed: () => boolean
  readonly fingerprint: (path: string) => string
  readonly sync: () => Promise<Result<void, LogFailure>>
}): Middleware {
  return (call, next) => (isReadOnly(call.footprint) && !call.tool.keyed ? next(call) : whenRecorded(call, next))

  async function whenRecorded(call: Call, next: Next): Promise<Outcome> {
    if (parts.isSealed()) return interrupted("Not run: the session is being left.", "before")
    const { callId, within, tool, footprint } = call
    const files = footprint.writes.map((path) => ({ path, before: parts.fingerprint(path) }))
    parts.record({
      kind: "intent",
      callId,
      ...optional("within", within),
      tool: tool.name,
      title: tool.title(call.parsed),
      files,
    })
    const recorded = hindrance(call.signal)
    if (tool.prepares) return next({ ...call, recorded })
    return (await recorded) ?? next(call)
  }

  /** The answer instead of running; undefined when it may run. */
  async function hindrance(signal: AbortSignal): Promise<Outcome | undefined> {
    const synced = await parts.sync()
    if (!synced.ok) return refused(`Not run: the session's log cannot be written (${synced.failure.message}).`)
    return signal.aborted ? interrupted(`Interrupted by ${interrupterOf(signal)} before it ran.`, "before") : undefined
  }
}
