/** Makes spans of the entries of a log, as they happen or from a file: the one place that knows what a span is made of. */

import type { Entry } from "#agent/words/entry.ts"
import type { EntryKind } from "#agent/words/follower.ts"
import { optional } from "#lib/optional.ts"
import {
  answerAttributes,
  contentAttributes,
  type ConcernedCall,
  lineCounts,
  promptAttributes,
  providerName,
  resultError,
  usageAttributes,
} from "./span-attributes.ts"
import type { Attributes, Contents, Span, SpanName } from "./span.ts"
import { agentSpanId, callSpanId, spanIdOf } from "./trace-ids.ts"

/** Whose log it is. */
export interface TracedLog {
  readonly traceId: string
  /** Of the whole tree. */
  readonly sessionId: string
  /** The span that the session is part of, if another program started it. */
  readonly parentSpanId?: string
  /** Set for the log of an agent. */
  readonly agent?: { readonly id: string; readonly type: string; readonly name?: string; readonly depth: number }
  readonly contents: Contents
  /** The chain that each agent belongs to, by its id. All logs of a trace share it. */
  readonly chains: Map<string, string>
}

export type OnSpan = (span: Span, entry: Entry) => void

export interface SpanFold {
  readonly onEntry: (entry: Entry) => void
  /** What was begun and has not ended, as if it had ended with the last entry, and the session itself. */
  readonly rest: () => readonly Span[]
  readonly session: () => Span | undefined
  /** The attributes that everything has at the moment, and the innermost span of the turn. */
  readonly around: () => { readonly attributes: Attributes; readonly spanId: string }
}

interface Open {
  readonly name: SpanName
  readonly kind: Span["kind"]
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly start: number
  readonly shared: Attributes
  /** Its own; filled while it is open. */
  readonly attributes: { [name: string]: Attributes[string] }
}

interface TracedCall extends ConcernedCall {
  readonly span: Open
  ranAt: number | undefined
}

interface Fold {
  readonly log: TracedLog
  readonly onSpan: OnSpan
  readonly root: string
  readonly base: Attributes
  first: number | undefined
  last: number
  /** What the spans of the current turn share. */
  shared: Attributes
  turn: (Open & { steps: number }) | undefined
  step: (Open & { last: number }) | undefined
  request: Open | undefined
  /** Asks for a summary ahead of a compaction, beside whatever else is asked. */
  ahead: Open | undefined
  mode: string | undefined
  turnsSinceCompaction: number
  readonly calls: Map<string, TracedCall>
  readonly waits: Map<string, Open>
  readonly agents: Map<string, Open & { readonly callId: string }>
  readonly started: Set<string>
}

export function foldSpans(log: TracedLog, onSpan: OnSpan): SpanFold {
  const { traceId, sessionId, agent } = log
  const base: Attributes = {
    "session.id": sessionId,
    "gen_ai.conversation.id": sessionId,
    ...(agent && { "gen_ai.agent.id": agent.id, "gen_ai.agent.name": agent.name ?? agent.type }),
    "codewright.chain.depth": agent?.depth ?? 0,
    "codewright.source": sourceOf(agent),
  }
  const fold: Fold = {
    log,
    onSpan,
    root: agent ? agentSpanId(traceId, agent.id) : spanIdOf(traceId, "session"),
    base,
    first: undefined,
    last: 0,
    shared: base,
    turn: undefined,
    step: undefined,
    request: undefined,
    ahead: undefined,
    mode: undefined,
    turnsSinceCompaction: 0,
    calls: new Map(),
    waits: new Map(),
    agents: new Map(),
    started: new Set(),
  }
  const session = (): Span | undefined => {
    if (agent || fold.first === undefined) return undefined
    return {
      traceId,
      spanId: fold.root,
      ...optional("parentSpanId", log.parentSpanId),
      name: "session",
      kind: "internal",
      start: fold.first,
      end: fold.last,
      shared: base,
      attributes: {},
    }
  }
  return {
    onEntry(entry) {
      fold.first ??= entry.at
      fold.last = Math.max(fold.last, entry.at)
      // The table pairs each kind with its handler.
      const handle = handlers[entry.kind] as ((to: Fold, what: Entry) => void) | undefined
      handle?.(fold, entry)
    },
    rest: () => [...unfinished(fold), session() ?? []].flat(),
    session,
    around: () => ({ attributes: fold.shared, spanId: (fold.step ?? fold.turn)?.spanId ?? fold.root }),
  }
}

const sourceOf = (agent: TracedLog["agent"]): string =>
  agent === undefined ? "main" : agent.name === undefined ? `agent:${agent.type}` : `member:${agent.name}`

type Handlers = { readonly [K in EntryKind]?: (fold: Fold, entry: Entry & { readonly kind: K }) => void }

const handlers: Handlers = {
  turn_start(fold, entry) {
    const { agent, chains } = fold.log
    // A member works on what it is sent, so its turns are chains of their own.
    const chain = (agent && agent.name === undefined ? chains.get(agent.id) : undefined) ?? entry.turnId
    fold.shared = {
      ...fold.base,
      "codewright.chain.id": chain,
      "codewright.turns_since_compaction": fold.turnsSinceCompaction,
    }
    const invokes = agent ? {} : { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "codewright" }
    fold.turn = { ...begin(fold, "turn", ["turn", entry.turnId], fold.root, entry.at, invokes), steps: 0 }
  },
  prompt(fold, entry) {
    if (fold.turn && fold.turn.steps === 0 && !("codewright.prompt.id" in fold.turn.attributes))
      add(fold.turn, promptAttributes(entry, fold.log.contents))
  },
  mode: (fold, { mode }) => void (fold.mode = mode),
  request(fold, entry) {
    const { uuid, at, model, provider, maxTokens, messages, thinking, delivery, summary } = entry
    if (!summary?.ahead) endRequest(fold, entry, { type: "no_response" })
    if (summary === undefined && fold.turn) {
      endStep(fold, entry)
      const count = { "codewright.step": ++fold.turn.steps }
      fold.step = { ...begin(fold, "step", ["step", uuid], fold.turn.spanId, at, count), last: at }
    }
    const parent = summary?.ahead ? undefined : ((summary === undefined ? fold.step : undefined) ?? fold.turn)
    fold[summary?.ahead ? "ahead" : "request"] = begin(
      fold,
      "model.request",
      ["request", uuid],
      parent?.spanId ?? fold.root,
      at,
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": providerName(provider),
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": maxTokens,
        "gen_ai.request.stream": true,
        "codewright.request.messages": messages,
        "codewright.request.thinking": thinking,
        "codewright.request.delivery": delivery,
        ...(summary && { "codewright.source": "compaction" }),
      },
    )
  },
  reply(fold, entry) {
    touch(fold, entry.at)
    const { block, messageId, requestId } = entry
    if (fold.request)
      add(fold.request, { "gen_ai.response.id": messageId, ...optional("codewright.request.id", requestId) })
    if (block.type !== "tool_use") return
    const { traceId, agent, contents, sessionId } = fold.log
    const span: Open = {
      ...begin(fold, "tool.call", [], (fold.step ?? fold.turn)?.spanId ?? fold.root, entry.at, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": block.name,
        "gen_ai.tool.call.id": block.id,
        "gen_ai.tool.type": "function",
        ...optional("codewright.mode", fold.mode),
        ...contentAttributes(contents.toolInput, "gen_ai.tool.call.arguments", block.input),
      }),
      spanId: callSpanId(traceId, agent?.id ?? sessionId, block.id),
    }
    fold.calls.set(block.id, { span, tool: block.name, input: block.input, ranAt: undefined, decision: undefined })
  },
  reply_end(fold, entry) {
    touch(fold, entry.at)
    const { failure, cut } = entry
    if (fold.request) add(fold.request, usageAttributes(entry))
    const type = failure?.kind ?? (cut === "aborted" ? "aborted" : undefined)
    endRequest(fold, entry, type === undefined ? undefined : { type, ...optional("message", failure?.message) })
  },
  decision(fold, entry) {
    touch(fold, entry.at)
    const call = fold.calls.get(entry.callId)
    if (!call) return
    call.decision = entry
    if (entry.behavior === "allow") call.ranAt = entry.at
    add(call.span, { "codewright.decision": entry.behavior, "codewright.decision.reason": entry.reason.kind })
  },
  intent(fold, entry) {
    touch(fold, entry.at)
    const call = fold.calls.get(entry.callId)
    if (call) call.ranAt = entry.at
  },
  result: endCall,
  question(fold, { question, at }) {
    const { ask, agent, id } = question
    const parent = fold.calls.get(ask.callId)?.span.spanId ?? (agent && agentSpanId(fold.log.traceId, agent.id))
    const attributes = { "codewright.question": ask.kind, ...optional("codewright.agent.id", agent?.id) }
    const around = (fold.step ?? fold.turn)?.spanId ?? fold.root
    fold.waits.set(id, begin(fold, "permission.wait", ["wait", id], parent ?? around, at, attributes))
  },
  answer(fold, entry) {
    touch(fold, entry.at)
    const wait = fold.waits.get(entry.questionId)
    if (!wait) return
    fold.waits.delete(entry.questionId)
    add(wait, answerAttributes(entry))
    end(fold, wait, entry)
  },
  hook(fold, entry) {
    const { event, name, ms, at, uuid, callId, exit, decision, failure, late, matcher } = entry
    const call = callId === undefined ? undefined : fold.calls.get(callId)
    const parent = call?.span.spanId ?? fold.turn?.spanId ?? fold.root
    const hook = begin(fold, "hook", ["hook", uuid], parent, at - ms, {
      "codewright.hook.event": event,
      "codewright.hook.name": name,
      "codewright.hook.matcher": matcher,
      ...optional("codewright.hook.exit", exit ?? undefined),
      ...optional("codewright.hook.decision", decision),
      ...(late && { "codewright.hook.background": true }),
    })
    end(fold, hook, entry, failure === undefined ? undefined : { type: "hook_failed", message: failure })
  },
  feedback(fold, entry) {
    const { rating, at, uuid } = entry
    const parent = fold.turn?.spanId ?? fold.root
    const rated = begin(fold, "feedback", ["feedback", uuid], parent, at, { "codewright.feedback.rating": rating })
    end(fold, rated, entry)
  },
  child(fold, entry) {
    const { agentId, agentType, member, callId, state, at } = entry
    const known = fold.agents.get(agentId)
    if (state === "ended") return endAgent(fold, entry)
    if (state === "background" && known) return add(known, { "codewright.agent.background": true })
    if (known) return
    const { traceId } = fold.log
    const chain = fold.shared["codewright.chain.id"]
    if (typeof chain === "string") fold.log.chains.set(agentId, chain)
    // What an agent reports itself hangs from its first span; when it is continued, the work of its parent has another.
    const spanId = fold.started.has(agentId)
      ? spanIdOf(traceId, "agent", agentId, callId)
      : agentSpanId(traceId, agentId)
    fold.started.add(agentId)
    const parent = fold.calls.get(callId)?.span.spanId ?? fold.turn?.spanId ?? fold.root
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": agentId,
      "gen_ai.agent.name": member ?? agentType,
      "codewright.agent.type": agentType,
    }
    fold.agents.set(agentId, { ...begin(fold, "agent", [], parent, at, attributes), spanId, callId })
  },
  summary(fold, entry) {
    if (fold.ahead) end(fold, fold.ahead, entry)
    fold.ahead = undefined
  },
  compaction(fold, entry) {
    fold.turnsSinceCompaction = 0
    if (fold.request?.attributes["codewright.source"] !== "compaction") return
    add(fold.request, {
      "codewright.compaction.trigger": entry.trigger,
      "codewright.compaction.tokens_before": entry.preTokens,
      "codewright.compaction.tokens_after": entry.postTokens,
    })
    endRequest(fold, entry)
  },
  notice(fold, entry) {
    if (entry.about === "compaction_failed") endRequest(fold, entry, { type: "compaction_failed" })
  },
  turn_end(fold, entry) {
    const { reason, cause, message } = entry
    endRequest(fold, entry, { type: cause ?? reason })
    endStep(fold, entry)
    fold.turnsSinceCompaction++
    const { turn } = fold
    fold.turn = undefined
    if (!turn) return
    add(turn, { "codewright.turn.end": reason, "codewright.turn.steps": turn.steps })
    end(fold, turn, entry, reason === "error" ? { type: cause ?? "error", ...optional("message", message) } : undefined)
    fold.shared = fold.base
  },
}

function endCall(fold: Fold, entry: Entry & { readonly kind: "result" }): void {
  touch(fold, entry.at)
  const { callId, tool, content, durationMs, denied } = entry
  const call = fold.calls.get(callId)
  if (!call) return
  fold.calls.delete(callId)
  const error = resultError(entry, call.decision)
  const isMcp = tool.startsWith("mcp__")
  if (call.ranAt !== undefined && !denied) {
    const run = begin(fold, isMcp ? "mcp.call" : "tool.run", ["run", callId], call.span.spanId, call.ranAt, {
      "gen_ai.tool.name": tool,
      ...(isMcp && { "mcp.method.name": "tools/call", "codewright.mcp.server": tool.split("__")[1] }),
    })
    end(fold, { ...run, kind: isMcp ? "client" : "internal" }, entry, error)
  }
  add(call.span, {
    "gen_ai.tool.name": tool,
    "codewright.tool.success": !entry.isError,
    "codewright.tool.duration_ms": durationMs,
    ...lineCounts(entry.display),
    ...contentAttributes(fold.log.contents.toolOutput, "gen_ai.tool.call.result", content),
  })
  end(fold, call.span, entry, error)
}

function endAgent(fold: Fold, entry: Entry & { readonly kind: "child" }): void {
  const agent = fold.agents.get(entry.agentId)
  if (!agent) return
  fold.agents.delete(entry.agentId)
  const { usage, end: how } = entry
  add(agent, {
    ...optional("codewright.agent.end", how),
    ...(usage && { "codewright.agent.tokens": usage.tokens, "codewright.agent.tool_uses": usage.toolUses }),
  })
  end(fold, agent, entry, how === "failed" || how === "lost" ? { type: how } : undefined)
}

function begin(
  { log, shared }: Fold,
  name: SpanName,
  key: readonly string[],
  parentSpanId: string,
  start: number,
  attributes: Open["attributes"],
): Open {
  const { traceId, agent, sessionId } = log
  const spanId = key.length === 0 ? "" : spanIdOf(traceId, agent?.id ?? sessionId, ...key)
  const kind = name === "model.request" ? "client" : "internal"
  return { name, kind, spanId, parentSpanId, start, shared, attributes }
}

const add = (open: Open, attributes: Attributes): void => void Object.assign(open.attributes, attributes)

const finished = ({ log }: Fold, open: Open, at: number, error?: Span["error"]): Span => ({
  traceId: log.traceId,
  spanId: open.spanId,
  ...optional("parentSpanId", open.parentSpanId),
  name: open.name,
  kind: open.kind,
  start: open.start,
  end: Math.max(open.start, at),
  shared: open.shared,
  attributes: error ? { ...open.attributes, "error.type": error.type } : open.attributes,
  ...optional("error", error),
})

function end(fold: Fold, open: Open, entry: Entry, error?: Span["error"]): void {
  fold.onSpan(finished(fold, open, entry.at, error), entry)
}

function endRequest(fold: Fold, entry: Entry, error?: Span["error"]): void {
  const { request } = fold
  fold.request = undefined
  if (request) end(fold, request, entry, error)
}

/** A step lasts until the last of what it did, not until the next one begins. */
function endStep(fold: Fold, entry: Entry): void {
  const { step } = fold
  fold.step = undefined
  if (step) fold.onSpan(finished(fold, step, step.last), entry)
}

function touch({ step }: Fold, at: number): void {
  if (step) step.last = Math.max(step.last, at)
}

function unfinished(fold: Fold): readonly Span[] {
  const open = [
    fold.request,
    ...[...fold.calls.values()].map(({ span }) => span),
    ...fold.waits.values(),
    ...fold.agents.values(),
    fold.step,
    fold.turn,
  ].filter((one) => one !== undefined)
  return open.map((one) => {
    const span = finished(fold, one, fold.last)
    return { ...span, attributes: { ...span.attributes, "codewright.unfinished": true } }
  })
}
