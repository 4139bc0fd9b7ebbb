/** One layer around a call: refuse, change, watch, or pass on. Hooks, permissions, plan mode and checkpoints are each one. */

import type { JsonObject } from "#lib/json.ts"
import type { Footprint } from "./footprint.ts"
import type { AnyTool, CallContext, Complaint, Outcome } from "./tool.ts"

/** A call on its way to its tool. `input` is as the model wrote it, `parsed` as the tool understood it. */
export interface Call extends CallContext {
  readonly tool: AnyTool
  readonly input: JsonObject
  readonly parsed: unknown
  readonly footprint: Footprint
  /** What the tool itself has against it: a call that is not refused anyway gets this for an answer, and nobody is asked. */
  readonly complaint?: string | Complaint
  /** What a hook says about it; rules, plan mode and safety checks are stronger. */
  readonly hook?: HookWord
}

export interface HookWord {
  readonly behavior: "allow" | "ask"
  readonly name: string
  readonly reason?: string
}

/** What a hook answers in place of the person. */
export type HookAnswer =
  | {
      readonly behavior: "allow"
      readonly name: string
      readonly updatedInput?: JsonObject
      /** Rules that hold for the session from here on. */
      readonly grants: readonly string[]
    }
  | { readonly behavior: "deny"; readonly name: string; readonly message: string }

export type Next = (call: Call) => Promise<Outcome>
export type Middleware = (call: Call, next: Next) => Promise<Outcome>
