/**
 * One layer around a call: refuse, change, observe, or pass on. Hooks, permissions, plan mode and snapshots are each
 * one.
 */

import type { JsonObject } from "#lib/json.ts"
import type { Footprint } from "./footprint.ts"
import { type AnyTool, type CallContext, type Complaint, type Outcome, refused } from "./tool.ts"

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
  /** Where nobody can be asked, the question waits in the log until somebody answers. */
  readonly defers?: true
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

/** The call with an input that somebody changed, parsed and checked like the original; a refusal if it is not valid. */
export async function withInput(call: Call, changed: JsonObject, who: string): Promise<Call | Outcome> {
  const { complaint: _before, ...rest } = call
  const { tool, signal } = call
  const input = tool.modernize?.(changed) ?? changed
  const parsed = tool.parse(input)
  if (!parsed.ok)
    return refused(`${tool.name} was not run: ${who} changed its input, which is not valid now. ${parsed.message}`)
  const complaint = await tool.validate?.(parsed.value, signal)
  const footprint = tool.footprint(parsed.value)
  if (complaint === undefined) return { ...rest, input, parsed: parsed.value, footprint }
  const { message, shown } = typeof complaint === "string" ? { message: complaint, shown: complaint } : complaint
  const attributedComplaint = { message: `${message} (The input was changed by ${who}.)`, shown }
  return { ...rest, input, parsed: parsed.value, footprint, complaint: attributedComplaint }
}
