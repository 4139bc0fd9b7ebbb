/** What a log leaves open: calls without results, prompts not delivered, agents at work, the turn, and chores. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Entry, FileBefore } from "#agent/words/entry.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import { skillToolName } from "#kits/skills/tool.ts"
import type { Waiting } from "./inbox.ts"

/** A call without a result; `files` once it was begun, `agent` once it started one. */
export interface OpenCall {
  readonly use: ToolUseBlock
  files: readonly FileBefore[] | undefined
  agent?: ChildFact
}

/** Everything that had not come to its end when the last entry was written. */
export interface LeftOpen {
  readonly open: Map<string, OpenCall>
  readonly waiting: Map<string, Waiting>
  readonly agents: Map<string, Entry & { kind: "child" }>
  turn: string | undefined
  /** Whether the last answer had ended: only its calls were all asked for. */
  isWhole: boolean
  /** Whether a command of the person ran something before it became a prompt. */
  isExpanding: boolean
  /** What was done between turns and did not come to its end: a command of the person's own, or files going back. */
  chore: "restore" | { readonly command: string } | undefined
}

export function leftOpenIn(entries: readonly Entry[]): LeftOpen {
  const left: LeftOpen = {
    open: new Map(),
    waiting: new Map(),
    agents: new Map(),
    turn: undefined,
    isWhole: false,
    isExpanding: false,
    chore: undefined,
  }
  for (const entry of entries) take(left, entry)
  return left
}

function take(left: LeftOpen, entry: Entry): void {
  switch (entry.kind) {
    case "reply":
      left.isWhole = false
      if (entry.block.type === "tool_use") left.open.set(entry.block.id, { use: entry.block, files: undefined })
      break
    case "reply_end":
      // The complete calls of an answer that broke off were asked for like any others.
      left.isWhole = entry.cut === undefined || entry.cut === "broken"
      break
    case "intent": {
      const call = callOf(left, entry.callId)
      if (call) call.files = [...(call.files ?? []), ...entry.files]
      if (entry.tool === ownTool) left.chore = { command: entry.title }
      else if (!call) left.isExpanding = true
      break
    }
    case "snapshot":
      if (entry.when === "restore") left.chore = "restore"
      break
    case "shell":
    case "head":
      left.chore = undefined
      break
    case "notice":
      // What is said of a chore is said at its end; the rest, while it goes on.
      if (entry.level !== "info") left.chore = undefined
      break
    case "child": {
      const call = callOf(left, entry.callId)
      if (call) call.agent = entry
      else if (entry.state === "started") left.isExpanding = true
      if (entry.state === "ended") left.agents.delete(entry.agentId)
      else left.agents.set(entry.agentId, entry)
      break
    }
    case "result":
      left.open.delete(entry.callId)
      break
    case "queued":
      left.waiting.set(entry.promptId, { promptId: entry.promptId, content: entry.content, when: entry.when })
      break
    case "prompt":
    case "command":
    case "unsent":
      left.isExpanding = false
      left.waiting.delete(entry.promptId)
      break
    case "turn_start":
      left.isExpanding = false
      left.turn = entry.turnId
      left.chore = undefined
      break
    case "turn_end":
      left.turn = undefined
      break
  }
}

/** A skill makes calls of its own while it is loaded, one after the other and beside nothing else. */
const callOf = ({ open }: LeftOpen, callId: string): OpenCall | undefined =>
  open.get(callId) ?? [...open.values()].find(({ use }) => use.name === skillToolName)

/** By which the intent of a person's own command is known. */
export const ownTool = "!"
