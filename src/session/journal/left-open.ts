/** What a log leaves open: calls without results, undelivered prompts, running agents, the turn, and chores. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Entry, FileBefore } from "#agent/words/entry.ts"
import { textOf, type ToolUseBlock } from "#agent/words/message.ts"
import { skillToolName } from "#kits/skills/tool.ts"
import { optional } from "#lib/optional.ts"
import type { WaitingPrompt } from "./inbox.ts"

/** A call without a result; `files` is set once it has begun, `agent` once it started one. */
export interface OpenCall {
  readonly use: ToolUseBlock
  /** It has run, and what it created waits for review. */
  isMade?: true
  files: readonly FileBefore[] | undefined
  agent?: ChildFact
}

export interface LeftOpen {
  readonly open: Map<string, OpenCall>
  readonly waiting: Map<string, WaitingPrompt>
  readonly agents: Map<string, Entry & { kind: "child" }>
  turn: string | undefined
  /** State of the last answer: `ended` (complete or broken off, with all its calls known), `streaming`, or over. */
  answer: "ended" | "streaming" | "over"
  /** The prompt of a user's command that ran something before it was delivered. */
  expanding: string | undefined
  /** Work between turns that did not end: a user's own command, or restoring files. */
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
  for (const entry of entries) fold(left, entry)
  return left
}

function fold(left: LeftOpen, entry: Entry): void {
  switch (entry.kind) {
    case "reply":
      left.answer = "streaming"
      if (entry.block.type === "tool_use") left.open.set(entry.block.id, { use: entry.block, files: undefined })
      break
    case "reply_end":
      // Complete calls of an answer that broke off count like any others.
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
    case "review":
      left.chore = undefined
      break
    case "notice":
      // A warning or error ends a chore; an info notice comes while it runs.
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
    case "made": {
      const call = left.open.get(entry.callId)
      if (call) {
        call.files = undefined
        call.isMade = true
      }
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
        ...optional("origin", entry.origin),
        ...optional("as", entry.as),
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

/** The open call that something belongs to: its own, or the one it was made for. */
const callOf = ({ open }: LeftOpen, belonging: Belonging): OpenCall | undefined =>
  open.get(belonging.within ?? belonging.callId) ?? (isUnsaid(belonging) ? oldLoader(open) : undefined)

function expandedBy({ waiting }: LeftOpen, belonging: Belonging): string | undefined {
  if (belonging.within !== undefined) return belonging.within
  return isUnsaid(belonging) ? oldCommand(waiting.values())?.promptId : undefined
}

/** Logs of older versions do not say which call a nested call was made for. */
const isUnsaid = ({ callId, within }: Belonging): boolean => within === undefined && callId.startsWith("command-")

/** In those logs, only a skill made other calls, one at a time and never in parallel. */
const oldLoader = (open: LeftOpen["open"]): OpenCall | undefined =>
  [...open.values()].find(({ use }) => use.name === skillToolName)

/** And what ran outside of calls ran for the oldest waiting command. */
const oldCommand = (waiting: Iterable<WaitingPrompt>): WaitingPrompt | undefined =>
  [...waiting].find(({ content }) => textOf(content).trimStart().startsWith("/"))

/** Marks the intent of a user's own command. */
export const ownTool = "!"
