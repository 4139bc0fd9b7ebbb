/** Ops that are done as soon as they are asked for, whatever runs. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import { never } from "#lib/never.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OpFailure } from "./session.ts"

const types = ["set_mode", "set_model", "rename", "add_rule", "background", "stop_agent", "steer_agent"] as const
export type OpAtOnce = Op & { readonly type: (typeof types)[number] }

export const isAtOnce = (op: Op): op is OpAtOnce => types.some((type) => type === op.type)

export interface AtOnceParts {
  readonly record: (body: EntryBody) => void
  readonly bypassAvailable: boolean
  /** A permission rule that counts from now on; the failure is a sentence for the person. */
  readonly addRule: (rule: Op & { readonly type: "add_rule" }) => Result<void, string>
  /** Lets what runs continue in the background; whether there was something. */
  readonly moveToBackground: () => boolean
  /** Agents that this one started and that work now; each says whether there was such a one. */
  readonly agents:
    | {
        readonly stop: (agentId: string) => boolean
        readonly steer: (agentId: string, content: readonly PromptBlock[]) => boolean
      }
    | undefined
}

export function doAtOnce(op: OpAtOnce, parts: AtOnceParts): Result<void, OpFailure> {
  const { record, agents } = parts
  switch (op.type) {
    case "set_mode":
      if (op.mode === "bypassPermissions" && !parts.bypassAvailable)
        return failed({ kind: "mode_not_available", mode: op.mode })
      record({ kind: "mode", mode: op.mode })
      return ok(undefined)
    case "set_model":
      record({ kind: "model", model: op.model, why: "chosen" })
      return ok(undefined)
    case "rename":
      if (op.title.trim() === "") return failed({ kind: "empty_title" })
      record({ kind: "title", text: op.title.trim(), by: "person" })
      return ok(undefined)
    case "add_rule": {
      const added = parts.addRule(op)
      return added.ok ? ok(undefined) : failed({ kind: "rule", message: added.failure })
    }
    case "background":
      return parts.moveToBackground() ? ok(undefined) : failed({ kind: "nothing_runs" })
    case "stop_agent":
      return agents?.stop(op.agentId) ? ok(undefined) : noAgent(op.agentId)
    case "steer_agent":
      return agents?.steer(op.agentId, op.content) ? ok(undefined) : noAgent(op.agentId)
    default:
      return never(op)
  }
}

const noAgent = (agentId: string): Result<never, OpFailure> => failed({ kind: "no_such_agent", agentId })
