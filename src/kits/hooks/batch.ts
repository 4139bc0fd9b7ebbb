/** The calls of a step, gathered until all of them have results. */

import type { Entry } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"
import type { JsonObject } from "#lib/json.ts"

export interface Batch {
  readonly take: (entry: Entry) => void
  /** Those since the last time, in the order of their results. */
  readonly drain: () => readonly JsonObject[]
}

export function openBatch(): Batch {
  const inputs = new Map<string, JsonObject>()
  let done: JsonObject[] = []
  return {
    take(entry) {
      if (entry.kind === "turn_start") {
        inputs.clear()
        done = []
      }
      if (entry.kind === "reply" && entry.block.type === "tool_use") inputs.set(entry.block.id, entry.block.input)
      if (entry.kind !== "result") return
      const input = inputs.get(entry.callId)
      // Calls within other calls are not the model's own.
      if (!input) return
      inputs.delete(entry.callId)
      const { tool, callId, content } = entry
      done.push({ tool_name: tool, tool_input: input, tool_use_id: callId, tool_response: textOf(content) })
    },
    drain() {
      const drained = done
      done = []
      return drained
    },
  }
}
