/** Callbacks of a client as hooks: found, run, and combined like all others. */

import type { Client, ClientHooks } from "#agent/words/client.ts"
import type { JsonObject } from "#lib/json.ts"
import { forReading } from "#lib/printable.ts"
import type { ConfiguredHook, HookConfiguration } from "./config.ts"
import { matcherOf } from "./match.ts"
import { type HookResult, interrupted } from "./meaning.ts"
import { type HookEvent, hookEvents } from "./moments.ts"

const usualTimeoutMs = 60_000

/** Hooks from files come first: of several changed inputs, the first counts. */
export function withClientHooks(files: HookConfiguration, client: ClientHooks): HookConfiguration {
  const hooks: ConfiguredHook[] = [...files.hooks]
  const problems: string[] = [...files.problems]
  for (const [name, groups] of Object.entries(client)) {
    const event = hookEvents.find((known) => known === name)
    const complain = (why: string): void => void problems.push(forReading(`The client's ${name} hooks: ${why}`))
    if (event === undefined) {
      complain("there is no such event, so they do not run.")
      continue
    }
    for (const { matcher = "", hookCallbackIds, timeout, onFailure } of groups) {
      const matches = matcherOf(matcher)
      // It is unclear which calls they are for, so they see all of them.
      if (!matches.ok) complain(`the matcher ${matcher} is not a valid regular expression, so they run for everything.`)
      for (const callbackId of hookCallbackIds)
        hooks.push({
          ...fixed,
          event,
          matcher: matcher === "*" ? "" : matcher,
          matches: matches.ok ? matches.value : () => true,
          work: { type: "callback", callbackId },
          name: `callback ${forReading(callbackId)}`,
          order: hooks.length,
          timeoutMs: timeout === undefined || !(timeout > 0) ? usualTimeoutMs : Math.min(timeout * 1000, longestMs),
          required: onFailure === undefined ? isRequiredAt(event) : onFailure === "block" && !isStop(event),
          // Silence is no failure that the client speaks of: it may still be thinking about the call.
          ...(isRequiredAt(event) && { inTime: true }),
        })
    }
  }
  return { hooks, problems }
}

const longestMs = 24 * 60 * 60_000

const fixed = {
  source: "client",
  file: "the client",
  isProject: false,
  isAsync: false,
  rewakes: false,
  isQuiet: false,
  once: false,
} as const

/** A client that guards calls must not lose one because it is slow or broken. */
const isRequiredAt = (event: HookEvent): boolean => event === "PreToolUse"

/** At these, nothing is held back when a hook fails. */
const isStop = (event: HookEvent): boolean =>
  event === "Stop" || event === "SubagentStop" || event === "TaskCompleted" || event === "TeammateIdle"

/** A client may never answer, not even after the signal. */
export async function callBack(
  hook: Client["hook"] | undefined,
  callbackId: string,
  input: JsonObject,
  signal: AbortSignal,
): Promise<HookResult> {
  if (!hook) return { kind: "failed", why: "the client is not connected" }
  const gone = Promise.withResolvers<HookResult>()
  const leave = (): void => gone.resolve(interrupted)
  signal.addEventListener("abort", leave, { once: true })
  if (signal.aborted) leave()
  const toolUseId = typeof input.tool_use_id === "string" ? input.tool_use_id : undefined
  const answered = hook(callbackId, input, toolUseId, signal).then(
    (answer): HookResult => ({ kind: "exited", exit: 0, stdout: JSON.stringify(answer), stderr: "", isCut: false }),
    (error: unknown): HookResult => ({ kind: "failed", why: `the client says: ${forReading(wordsOf(error))}` }),
  )
  try {
    return await Promise.race([answered, gone.promise])
  } finally {
    signal.removeEventListener("abort", leave)
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
