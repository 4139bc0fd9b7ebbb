/** A model that makes the calls an MCP client asks for: so they are decided, recorded and undone like any other. */

import { type Model, type ModelEvent, noUsage } from "#agent/words/model.ts"
import type { JsonObject } from "#lib/json.ts"

export interface ClientCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

export interface ClientModel extends Model {
  /** What the next request is answered with. The one after it has nothing left to call, which ends the turn. */
  readonly make: (call: ClientCall) => void
}

export function openClientModel(): ClientModel {
  let next: ClientCall | undefined
  return {
    make: (call) => void (next = call),
    async *stream({ purpose, model }) {
      // Hooks that ask a model, summaries and the like have none here.
      if (purpose !== undefined) return yield { type: "error", failure: noModel }
      const call = next
      next = undefined
      yield { type: "message_start", id: `msg_${call?.id ?? "end"}`, model, usage: noUsage }
      if (call) yield* callEvents(call)
      yield { type: "message_delta", stopReason: call ? "tool_use" : "end_turn", usage: {} }
      yield { type: "message_stop" }
    },
  }
}

const noModel = { kind: "rejected", message: "An MCP client makes the calls here, and no model is asked." } as const

function* callEvents({ id, name, input }: ClientCall): Generator<ModelEvent> {
  yield { type: "block_start", index: 0, block: { type: "tool_use", id, name, input: {} } }
  yield { type: "input_delta", index: 0, json: JSON.stringify(input) }
  yield { type: "block_stop", index: 0 }
}
