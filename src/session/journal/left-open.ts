/** What a log leaves open: calls without results, prompts not delivered, agents at work, the turn, and chores. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Entry, FileBefore } from "#agent/words/entry.ts"
import { textOf, type ToolUseBlock } from "#agent/words/message.ts"
import { skillToolName } from "#kits/skills/tool.ts"
import { given } from "#lib/given.ts"
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
  /** How far the last answer came: `ended`, whole or broken off, with all its calls asked for; `streaming`, or over. */
  answer: "ended" | "streaming" | "over"
  /** The prompt of a command of the user that ran something before it was delivered. */
  expanding: string | undefined
  /** What was done between turns and did not come to its end: a command of the user's own, or files going back. */
  chore: "restore" | { readonly command: string } | undefined
}

export function leftOpenIn(entries: readonly Entry[]): LeftOpen {
  const left: LeftOpen = {
    open: new Map(),
    waiting: new Map(),
    agents: new Map(),
    turn: undefined,
    answer: "over",
    expanding: undefined,
    chore: undefined,
  }
  for (const entry of entries) take(left, entry)
  return left
}

function take(left: LeftOpen, entry: Entry): void {
  switch (entry.kind) {
    case "reply":
      left.answer = "streaming"
      if (entry.block.type === "tool_use") left.open.set(entry.block.id, { use: entry.block, files: undefined })
      break
    case "reply_end":
      // The complete calls of an answer that broke off were asked for like any others.
      left.answer = entry.cut === undefined || entry.cut === "broken" ? "ended" : "over"
      break
    case "intent": {
      const call = callOf(left, entry)
      if (call) call.files = [...(call.files ?? []), ...entry.files]
      if (entry.tool === ownTool) {
        left.chore = { command: entry.title }
        left.waiting.delete(entry.within ?? "")
      } else if (!call) left.expanding = expandedBy(left, entry)
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
      const call = callOf(left, entry)
      if (call) call.agent = entry
      else if (entry.state === "started") left.expanding = expandedBy(left, entry)
      if (entry.state === "ended") left.agents.delete(entry.agentId)
      else left.agents.set(entry.agentId, entry)
      break
    }
    case "result":
      left.open.delete(entry.callId)
      break
    case "queued":
      left.waiting.set(entry.promptId, {
        promptId: entry.promptId,
        content: entry.content,
        when: entry.when,
        ...given("origin", entry.origin),
        ...given("as", entry.as),
      })
      break
    case "withdrawn":
      for (const { promptId } of entry.prompts) left.waiting.delete(promptId)
      break
    case "prompt":
    case "command":
    case "unsent":
      left.expanding = undefined
      left.waiting.delete(entry.promptId)
      break
    case "turn_start":
      left.expanding = undefined
      left.turn = entry.turnId
      left.chore = undefined
      break
    case "turn_end":
      left.turn = undefined
      break
  }
}

interface Belonging {
  readonly callId: string
  readonly within?: string
}

/** The open call that something belongs to: its own, or the one that it was made for. */
const callOf = ({ open }: LeftOpen, belonging: Belonging): OpenCall | undefined =>
  open.get(belonging.within ?? belonging.callId) ?? (isUnsaid(belonging) ? oldLoader(open) : undefined)

/** The waiting prompt that something was run for. */
function expandedBy({ waiting }: LeftOpen, belonging: Belonging): string | undefined {
  if (belonging.within !== undefined) return belonging.within
  return isUnsaid(belonging) ? oldCommand(waiting.values())?.promptId : undefined
}

/** Logs of older versions do not say what a call is made for that the model did not ask for. */
const isUnsaid = ({ callId, within }: Belonging): boolean => within === undefined && callId.startsWith("command-")

/** In those, a skill was the only call that made others, one after the other and beside nothing else. */
const oldLoader = (open: LeftOpen["open"]): OpenCall | undefined =>
  [...open.values()].find(({ use }) => use.name === skillToolName)

/** And what was run outside of calls was run for the oldest command that waits. */
const oldCommand = (waiting: Iterable<Waiting>): Waiting | undefined =>
  [...waiting].find(({ content }) => textOf(content).trimStart().startsWith("/"))

/** By which the intent of a person's own command is known. */
export const ownTool = "!"
