/** Hooks after the calls of a step: they hear of all of them at once, and can make the step the last one. */

import { byKind, type OnEntry } from "#agent/words/follower.ts"
import { textOf } from "#agent/words/message.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Dispatcher } from "./dispatch.ts"
import { contextWords } from "./words.ts"

export interface Batch {
  readonly onEntry: OnEntry
  /** The next request is about to be made. */
  readonly after: (signal: AbortSignal) => Promise<void>
}

export interface BatchPorts extends Pick<Dispatcher, "fire" | "has"> {
  readonly addContext: (text: string) => void
  readonly stop: (why: string) => void
}

export function openBatch({ fire, has, addContext, stop }: BatchPorts): Batch {
  const inputs = new Map<string, JsonObject>()
  /** In the order of their results. */
  let done: JsonObject[] = []
  return {
    onEntry: byKind({
      turn_start() {
        inputs.clear()
        done = []
      },
      reply: ({ block }) => void (block.type === "tool_use" && inputs.set(block.id, block.input)),
      result({ tool, callId, content }) {
        const input = inputs.get(callId)
        // Calls within other calls are not the model's own.
        if (!input) return
        inputs.delete(callId)
        done.push({ tool_name: tool, tool_input: input, tool_use_id: callId, tool_response: textOf(content) })
      },
    }),
    async after(signal) {
      const tool_calls = done
      done = []
      if (tool_calls.length === 0 || !has("PostToolBatch") || signal.aborted) return
      const fired = await fire({ event: "PostToolBatch", fields: { tool_calls } }, signal)
      for (const context of fired.contexts) addContext(contextWords("PostToolBatch", context))
      const why = fired.stop ?? (fired.verdict === "deny" ? (fired.reason ?? "It gave no reason.") : undefined)
      if (why !== undefined) stop(why)
    },
  }
}
