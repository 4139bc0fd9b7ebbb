/** What must be remembered of earlier events to tell later ones: agents at work, running calls, background commands. */

import type { ChildFact, ChildUsage } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { optional } from "#lib/optional.ts"
import { type BrokenAnswers, openBrokenAnswers } from "./broken-answers.ts"
import type { Speaker } from "./entry-message.ts"
import type { Envelope } from "./envelope.ts"
import { agentProgress, commandTaskId } from "./task-messages.ts"
import { allTokens } from "#agent/words/model.ts"

export interface EventMemory {
  /** Before the event is told. */
  readonly onEvent: (event: Event, now: number) => void
  readonly speaker: (agentId: string, callId: string) => Speaker
  /** How far an agent is, after one of its results. */
  readonly progress: (agentId: string, tool: string, envelope: Envelope) => object | undefined
  /** The call that started a background command, by the id of its task. */
  readonly callOf: (taskId: string) => string | undefined
  /** When the last event happened. */
  readonly now: () => number
  /** The tool of a running call, if enough time has passed since its progress was last told. */
  readonly dueProgress: (callId: string, elapsedMs: number) => string | undefined
  readonly wasCompacting: () => boolean
  /** Whether the command that has just been answered was a compaction that changed nothing. */
  readonly compactedNothing: () => boolean
  /** How long the compaction that has just ended took, in milliseconds. */
  readonly compactedMs: () => number | undefined
  /** What the call asks of the agent it starts. */
  readonly promptOf: (callId: string) => string | undefined
  readonly superseded: BrokenAnswers["superseded"]
  /** How long an agent has worked, in milliseconds. */
  readonly workedMs: (agentId: string) => number
  /** How long the request of the answer that comes now was without one, in milliseconds. */
  readonly waited: () => number | undefined
  /** The provider's name for the request that an answer is for. */
  readonly requestOf: (messageId: string) => string | undefined
  /** All that a running hook has printed so far. */
  readonly printed: (hookRun: string) => Printed
}

interface Printed {
  readonly stdout: string
  readonly stderr: string
}

const progressEveryMs = 1_000

interface Member {
  readonly fact: ChildFact
  readonly startedAt: number
  readonly usage: ChildUsage
}

export function openEventMemory(): EventMemory {
  const members = new Map<string, Member>()
  const commands = new Map<string, string>()
  const calls = new Map<string, { readonly tool: string; readonly toldMs: number }>()
  const hooks = new Map<string, Printed>()
  let lastAt = 0
  const compacting = openCompacting()
  const broken = openBrokenAnswers()
  const prompts = new Map<string, string>()
  const requests = new Map<string, string>()
  let requestedAt: number | undefined
  let waitedMs: number | undefined

  function onEvent(event: Event, now: number, agentId?: string): void {
    lastAt = now
    if (event.type === "child") return onEvent(event.event, now, event.agentId)
    if (event.type === "tool_start") calls.set(event.callId, { tool: event.tool, toldMs: 0 })
    if (event.type === "chore" && event.name === "compact" && event.running) compacting.begin(now)
    if (agentId === undefined && event.type === "request_start") requestedAt = now
    if (agentId === undefined && event.type === "model_delta" && event.delta.type === "message_start")
      waitedMs = requestedAt === undefined ? undefined : now - requestedAt
    if (event.type === "model_delta" && event.delta.type === "message_start" && event.delta.requestId !== undefined)
      requests.set(event.messageId, event.delta.requestId)
    if (event.type === "hook_progress") takeHook(event)
    if (event.type === "hook_end") hooks.delete(event.run.id)
    if (event.type !== "entry") return
    const { entry } = event
    if (entry.kind === "child") takeChild(entry, now)
    if (entry.kind === "result") takeResult(entry, agentId)
    if (entry.kind === "reply_end") requests.delete(entry.messageId)
    takeCall(entry)
    if (agentId === undefined) {
      compacting.onEntry(entry, now)
      broken.onEntry(entry)
    }
    const member = agentId === undefined ? undefined : members.get(agentId)
    if (agentId !== undefined && member)
      members.set(agentId, { ...member, usage: { ...used(member.usage, entry), durationMs: now - member.startedAt } })
  }

  function takeCall(entry: Entry): void {
    if (entry.kind === "result") prompts.delete(entry.callId)
    if (entry.kind !== "reply" || entry.block.type !== "tool_use") return
    const { id, input } = entry.block
    if (typeof input.prompt === "string") prompts.set(id, input.prompt)
  }

  function takeChild(entry: Extract<Entry, { readonly kind: "child" }>, now: number): void {
    if (entry.state === "ended") return void members.delete(entry.agentId)
    const before = members.get(entry.agentId)
    members.set(entry.agentId, before ? { ...before, fact: entry } : { fact: entry, startedAt: now, usage: none })
  }

  function takeHook({ run, stdout, stderr }: Extract<Event, { readonly type: "hook_progress" }>): void {
    const before = hooks.get(run.id) ?? { stdout: "", stderr: "" }
    hooks.set(run.id, { stdout: before.stdout + stdout, stderr: before.stderr + stderr })
  }

  function takeResult(
    { callId, data }: Extract<Entry, { readonly kind: "result" }>,
    agentId: string | undefined,
  ): void {
    calls.delete(callId)
    if (typeof data?.backgroundTaskId === "string") commands.set(commandTaskId(data.backgroundTaskId, agentId), callId)
  }

  return {
    onEvent,
    speaker(agentId, callId) {
      const fact = members.get(agentId)?.fact
      return {
        parent: callId,
        fields: {
          agent_id: agentId,
          ...optional("subagent_type", fact?.agentType),
          ...optional("task_description", fact?.description),
        },
      }
    },
    progress(agentId, tool, envelope) {
      const member = members.get(agentId)
      return member && agentProgress({ fact: member.fact, usage: member.usage, tool }, envelope)
    },
    callOf: (taskId) => commands.get(taskId),
    now: () => lastAt,
    dueProgress(callId, elapsedMs) {
      const call = calls.get(callId)
      if (!call || elapsedMs - call.toldMs < progressEveryMs) return undefined
      calls.set(callId, { ...call, toldMs: elapsedMs })
      return call.tool
    },
    wasCompacting: compacting.isUnderWay,
    compactedNothing: compacting.foundNothing,
    compactedMs: compacting.tookMs,
    promptOf: (callId) => prompts.get(callId),
    superseded: broken.superseded,
    workedMs: (agentId) => Math.max(0, lastAt - (members.get(agentId)?.startedAt ?? lastAt)),
    waited: () => waitedMs,
    requestOf: (messageId) => requests.get(messageId),
    printed: (hookRun) => hooks.get(hookRun) ?? { stdout: "", stderr: "" },
  }
}

interface Compacting {
  readonly begin: (now: number) => void
  readonly onEntry: (entry: Entry, now: number) => void
  readonly isUnderWay: () => boolean
  readonly foundNothing: () => boolean
  readonly tookMs: () => number | undefined
}

/** Whether the conversation is being compacted, and how the last time ended. */
function openCompacting(): Compacting {
  let isCompacting = false
  let compactedNothing = false
  let compactingSince: number | undefined
  let compactedMs: number | undefined

  function begin(now: number): void {
    isCompacting = true
    compactingSince ??= now
  }

  return {
    begin,
    onEntry(entry, now) {
      if (entry.kind === "request" && entry.summary && !entry.summary.ahead) begin(now)
      if (entry.kind === "compaction") compactedMs = compactingSince === undefined ? undefined : now - compactingSince
      if (entry.kind === "command") compactedNothing = isCompacting
      if (entry.kind === "compaction" || entry.kind === "command" || entry.kind === "turn_end") {
        isCompacting = false
        compactingSince = undefined
      }
    },
    isUnderWay: () => isCompacting,
    foundNothing: () => compactedNothing,
    tookMs: () => compactedMs,
  }
}

const none: ChildUsage = { tokens: 0, toolUses: 0, durationMs: 0 }

function used(usage: ChildUsage, entry: Entry): ChildUsage {
  if (entry.kind === "result") return { ...usage, toolUses: usage.toolUses + 1 }
  if (entry.kind !== "reply_end") return usage
  // As the program counts it everywhere: the size of the conversation, not the sum of all requests.
  return { ...usage, tokens: allTokens(entry.usage) }
}
