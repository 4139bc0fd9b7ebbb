/** Prompts of the editor: each is answered once, when the turn that delivered it has gone on to the next or ended. */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { SessionPort } from "#session/port/session.ts"
import type { ContentBlock } from "./params.ts"
import { promptContent } from "./prompt-content.ts"
import { type IncomingCall, type RpcError, rpcError } from "#lib/json-rpc.ts"

type Came = Result<JsonObject, RpcError>

export interface EditorPrompts {
  readonly prompt: (blocks: readonly ContentBlock[], call: Pick<IncomingCall, "signal">) => Promise<Came>
  /** Whether this client sent it. */
  readonly isOwn: (promptId: string) => boolean
  readonly onEvent: (event: Event) => void
  /** The session is closed. */
  readonly end: () => void
}

export function openPrompts({
  session,
  ids,
  say,
}: {
  readonly session: Pick<SessionPort, "submit">
  readonly ids: Ids
  readonly say: (text: string) => void
}): EditorPrompts {
  /** Those without an answer, in the order in which they came. */
  const waiting = new Map<string, (came: Came) => void>()
  /** Those that the running turn has delivered. */
  let delivered: readonly string[] = []
  let isOver = false

  function settle(promptId: string, came: Came): void {
    waiting.get(promptId)?.(came)
    waiting.delete(promptId)
  }

  function settleDelivered(came: Came): void {
    const done = delivered
    delivered = []
    for (const promptId of done) settle(promptId, came)
  }

  function entry(one: Entry): void {
    switch (one.kind) {
      case "prompt":
      case "command":
      case "unsent":
        if (!waiting.has(one.promptId)) return
        // The turn continues with the next prompt, so the one before is answered.
        settleDelivered(stopped("end_turn"))
        if (one.kind === "unsent") return settle(one.promptId, stopped("refusal"))
        delivered = [one.promptId]
        return
      case "withdrawn":
        return one.prompts.forEach(({ promptId }) => settle(promptId, stopped("cancelled")))
      case "turn_end":
        return settleDelivered(cameOf(one))
    }
  }

  /** Only the last prompt in the queue can be taken back alone. */
  function withdraw(promptId: string): void {
    if (delivered.includes(promptId)) return void session.submit({ type: "interrupt" })
    if ([...waiting.keys()].at(-1) === promptId) void session.submit({ type: "withdraw", what: "last", by: "editor" })
  }

  return {
    isOwn: (promptId) => waiting.has(promptId),
    async prompt(blocks, { signal }) {
      const { content, origin } = promptContent(blocks)
      if (content.length === 0) return failed(rpcError("params", "The prompt is empty."))
      if (isOver) return failed(rpcError("notFound", "The session is closed."))
      const promptId = ids.uuid()
      const came = new Promise<Came>((resolve) => waiting.set(promptId, resolve))
      const op = { type: "prompt", content, when: "queue", promptId, ...optional("origin", origin) } as const
      const submitted = await session.submit(op)
      if (!submitted.ok) {
        waiting.delete(promptId)
        if (submitted.failure.kind === "closed") return failed(rpcError("notFound", "The session is closed."))
        say(opFailureWords(submitted.failure))
        return stopped("end_turn")
      }
      if (signal.aborted) withdraw(promptId)
      else signal.addEventListener("abort", () => withdraw(promptId), { once: true })
      return came
    },
    onEvent: (event) => (event.type === "entry" ? entry(event.entry) : undefined),
    end() {
      isOver = true
      for (const promptId of waiting.keys()) settle(promptId, stopped("cancelled"))
    },
  }
}

type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled"

const stopped = (stopReason: StopReason): Came => ok({ stopReason })

function cameOf({ reason, cause, message }: End): Came {
  switch (reason) {
    case "completed":
      return stopped(cause === "max_tokens" || cause === "refusal" ? cause : "end_turn")
    case "aborted":
      return stopped("cancelled")
    case "max_turns":
    case "max_budget":
      return stopped("max_turn_requests")
    case "blocked_by_hook":
      return stopped("refusal")
    case "structured_output_retry_exhausted":
    case "error": {
      if (cause === "max_tokens" || cause === "refusal") return stopped(cause)
      const isUnauthorized = cause === "unauthorized" || cause === "no_provider"
      return failed(rpcError(isUnauthorized ? "authRequired" : "internal", message ?? cause ?? "The turn failed."))
    }
  }
}
