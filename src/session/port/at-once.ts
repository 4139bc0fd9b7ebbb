/** Ops that take effect immediately, even while something runs. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { GoalCheck } from "#agent/words/goal.ts"
import type { Loop } from "#agent/words/loop.ts"
import type { Op } from "#agent/words/op.ts"
import { type Effort, type Thinking, type ThinkingAbility, thinks } from "#agent/words/thinking.ts"
import type { AgentTree } from "#kits/subagents/agent-state.ts"
import { never } from "#lib/never.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OpFailure } from "./session.ts"

const types = [
  "set_mode",
  "set_gate",
  "set_goal",
  "set_loop",
  "set_model",
  "set_thinking",
  "set_effort",
  "set_budget",
  "rename",
  "feedback",
  "set_todos",
  "add_rule",
  "drop_rule",
  "add_folder",
  "background",
  "stop_agent",
  "steer_agent",
] as const
export type OpAtOnce = Op & { readonly type: (typeof types)[number] }

export const isAtOnce = (op: Op): op is OpAtOnce => types.some((type) => type === op.type)

export interface AtOnceParts {
  readonly record: (body: EntryBody) => void
  /** As chosen, without what a turn adds. */
  readonly thinking: () => Thinking
  /** Which thinking settings the current model supports. */
  readonly ability: () => ThinkingAbility | undefined
  readonly bypassAvailable: boolean
  readonly withoutAuto?: true | undefined
  /** The last answer of the conversation. */
  readonly lastReply: () => string | undefined
  /** Whether the plan gate keeps it in plan mode. */
  readonly isHeld: () => boolean
  /** The failure is a message for the user, as with those below. */
  readonly setGate: (op: Op & { readonly type: "set_gate" }) => Result<void, string>
  readonly setGoal: (goal: GoalCheck | null) => Result<void, string>
  readonly setLoop: (loop: Pick<Loop, "everyMs" | "prompt"> | null) => Result<void, string>
  /** The rule applies at once; the failure is a message for the user. */
  readonly addRule: (rule: Op & { readonly type: "add_rule" }) => Result<void, string>
  readonly addFolder: (folder: Op & { readonly type: "add_folder" }) => Result<void, string>
  /** Lets what runs, or what one call started, continue in the background; whether there was something. */
  readonly moveToBackground: (callId?: string) => boolean
  readonly agents: AgentTree | undefined
}

export function doAtOnce(op: OpAtOnce, parts: AtOnceParts): Result<void, OpFailure> {
  const { record, agents } = parts
  switch (op.type) {
    case "set_mode":
      if ((op.mode === "bypassPermissions" && !parts.bypassAvailable) || (op.mode === "auto" && parts.withoutAuto))
        return failed({ kind: "mode_not_available", mode: op.mode })
      if (op.mode !== "plan" && parts.isHeld()) return failed({ kind: "plan_gate" })
      record({ kind: "mode", mode: op.mode })
      return ok(undefined)
    case "set_gate": {
      const set = parts.setGate(op)
      return set.ok ? ok(undefined) : failed({ kind: "gate", message: set.failure })
    }
    case "set_goal": {
      const set = parts.setGoal(op.goal)
      return set.ok ? ok(undefined) : failed({ kind: "goal", message: set.failure })
    }
    case "set_loop": {
      const set = parts.setLoop(op.loop)
      return set.ok ? ok(undefined) : failed({ kind: "loop", message: set.failure })
    }
    case "set_model":
      record({ kind: "model", model: op.model, why: "chosen" })
      return ok(undefined)
    case "set_thinking":
      record({ kind: "thinking", thinking: op.to === "toggle" ? toggled(parts) : op.to })
      return ok(undefined)
    case "set_effort":
      record({ kind: "thinking", thinking: withEffort(parts.thinking(), op.effort) })
      return ok(undefined)
    case "set_budget":
      record({ kind: "budget", budget: op.budget })
      return ok(undefined)
    case "rename":
      if (op.title.trim() === "") return failed({ kind: "empty_title" })
      record({ kind: "title", text: op.title.trim(), by: "person" })
      return ok(undefined)
    case "feedback": {
      const text = op.text?.trim()
      const messageId = optional("messageId", parts.lastReply())
      record({ kind: "feedback", rating: op.rating, ...(text ? { text } : {}), ...messageId })
      return ok(undefined)
    }
    case "set_todos":
      if (op.todos.some(({ content }) => content.trim() === "")) return failed({ kind: "empty_todo" })
      record({ kind: "todo", todos: op.todos, by: "person" })
      return ok(undefined)
    case "add_rule": {
      const added = parts.addRule(op)
      return added.ok ? ok(undefined) : failed({ kind: "rule", message: added.failure })
    }
    case "drop_rule":
      record({ kind: "grant", rule: op.rule, destination: "session", behavior: op.behavior, gone: true })
      return ok(undefined)
    case "add_folder": {
      const added = parts.addFolder(op)
      return added.ok ? ok(undefined) : failed({ kind: "folder", message: added.failure })
    }
    case "background":
      return parts.moveToBackground(op.callId) ? ok(undefined) : failed({ kind: "nothing_runs" })
    case "stop_agent":
      return agents?.stop(op.agentId) ? ok(undefined) : noAgent(op.agentId)
    case "steer_agent":
      return agents?.steer(op.agentId, op.content) ? ok(undefined) : noAgent(op.agentId)
    default:
      return never(op)
  }
}

function toggled({ thinking, ability }: AtOnceParts): Thinking {
  const now = thinking()
  return { ...now, type: thinks(now, ability()) ? "off" : "on" }
}

/** A level replaces a token budget, and turns thinking on if it was off. */
function withEffort(now: Thinking, effort: Effort | "auto"): Thinking {
  const { effort: _effort, tokens: _tokens, ...rest } = now
  if (effort === "auto") return { ...rest, type: now.type === "off" ? "off" : "auto" }
  return { ...rest, type: now.type === "auto" ? "auto" : "on", effort }
}

const noAgent = (agentId: string): Result<never, OpFailure> => failed({ kind: "no_such_agent", agentId })
