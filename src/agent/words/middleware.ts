/**
 * One layer around a call: refuse, change, observe, or pass on. Hooks, permissions, plan mode and snapshots are each
 * one.
 */

import type { JsonObject } from "#lib/json.ts"
import type { Footprint } from "./footprint.ts"
import type { AnyTool, CallContext, Complaint, Outcome } from "./tool.ts"

/** A call on its way to its tool. `input` is as the model wrote it, `parsed` as the tool understood it. */
export interface Call extends CallContext {
  readonly tool: AnyTool
  readonly input: JsonObject
  readonly parsed: unknown
  readonly footprint: Footprint
  /** The tool's own objection: unless the call is denied anyway, this is its answer, and no one is asked. */
  readonly complaint?: string | Complaint
  /** A hook's decision; rules, plan mode and safety checks override it. */
  readonly hook?: HookWord
}

export interface HookWord {
  readonly behavior: "allow" | "ask"
  readonly name: string
  readonly reason?: string
}

/** A hook's answer instead of the user's. */
export type HookAnswer =
  | {
      readonly behavior: "allow"
      readonly name: string
      readonly updatedInput?: JsonObject
      /** Rules that apply to the session from here on. */
      readonly grants: readonly string[]
    }
  | { readonly behavior: "deny"; readonly name: string; readonly message: string }

export type Next = (call: Call) => Promise<Outcome>
export type Middleware = (call: Call, next: Next) => Promise<Outcome>
