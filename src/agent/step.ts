/** One request, and the tools it calls in the meantime. See decision 33. */

import type { Agent, RequestOptions } from "./agent.ts"
import { type Executor, type FinishedCall, interruptedOutcome, openExecutor } from "./executor.ts"
import type { End } from "./words/end.ts"
import type { EntryBody } from "./words/entry.ts"
import type { ToolUseBlock } from "./words/message.ts"
import type { ModelEvent, ModelFailure, Request, StopReason, Usage } from "./words/model.ts"
import { optional } from "#lib/optional.ts"
import { type FinishedBlock, openReply, type Reply } from "./words/reply.ts"

export type StepEnd =
  | {
      readonly kind: "answered"
      readonly stopReason: StopReason
      readonly calls: readonly FinishedCall[]
      /** The answer broke off after these calls were complete. They ran to their end and stay in the conversation. */
      readonly cut?: ModelFailure
    }
  /** The answer broke off before a call was complete: it was orphaned, and the step should be repeated. */
  | { readonly kind: "orphaned"; readonly failure: ModelFailure }
  /** Nothing was received. */
  | { readonly kind: "failed"; readonly failure: ModelFailure }
  | { readonly kind: "stopped"; readonly end: End }
  | { readonly kind: "aborted"; readonly during: "streaming" | "tools" }

export async function runStep(agent: Agent, wish: RequestOptions, step: number, signal: AbortSignal): Promise<StepEnd> {
  const prepared = await agent.prepare(wish, signal)
  if (prepared.kind === "stop") return { kind: "stopped", end: prepared.end }
  if (signal.aborted) {
    agent.release()
    return { kind: "aborted", during: "streaming" }
  }

  const { request, tools } = prepared
  const executor = openExecutor(agent, tools, signal)
  try {
    return await ask(agent, executor, request, step, signal)
  } finally {
    await executor.close()
  }
}

/** Finishes a step whose answer is already in the log but whose calls never started. */
export async function runCalls(agent: Agent, calls: readonly ToolUseBlock[], signal: AbortSignal): Promise<StepEnd> {
  // A call of an earlier process may be to a server that is only being started in this one.
  await agent.arrived?.(signal)
  const executor = openExecutor(agent, agent.tools(), signal)
  try {
    for (const call of calls) executor.add(call)
    await executor.drain()
    if (signal.aborted) return { kind: "aborted", during: "tools" }
    return { kind: "answered", stopReason: "tool_use", calls: executor.finished() }
  } finally {
    await executor.close()
  }
}

async function ask(
  agent: Agent,
  executor: Executor,
  request: Request,
  step: number,
  signal: AbortSignal,
): Promise<StepEnd> {
  const reply = openReply()
  const startedAt = agent.clock.now()

  /** The last complete block waits for the next event: only then is it known whether it ended the answer, and with which usage. */
  let pendingBlock: FinishedBlock | undefined
  const release = (): void => {
    if (!pendingBlock) return
    const { block, unreadable } = pendingBlock
    pendingBlock = undefined
    agent.record({ kind: "reply", messageId: reply.id(), model: request.model, block, ...usedSoFar(reply) })
    if (block.type === "tool_use") executor.add(block, unreadable)
  }

  agent.publish({ type: "request_start", model: request.model, step })
  for await (const event of agent.model.stream(request, signal)) {
    if (event.type === "message_delta") reply.onEvent(event)
    release()
    if (event.type === "block_start" && event.block.type === "tool_use") executor.expect(event.block.name)
    tellEvent(agent, reply, event)
    if (event.type !== "message_delta") pendingBlock = reply.onEvent(event)
  }
  release()

  const cut = reply.failure()
  if (signal.aborted && cut) {
    keepPartialText(agent, reply, request.model)
    await executor.cancel(interruptedOutcome(signal))
    endReply(agent, reply, request.model, { cut: "aborted" }, startedAt)
    return { kind: "aborted", during: "streaming" }
  }
  if (cut && !reply.begun()) {
    agent.release()
    return { kind: "failed", failure: cut }
  }
  if (cut && executor.count() === 0) {
    agent.record({ kind: "orphan", messageId: reply.id(), why: cut.message })
    endReply(agent, reply, request.model, { cut: "orphaned", failure: cut }, startedAt)
    return { kind: isRepeatable(cut) ? "orphaned" : "failed", failure: cut }
  }

  const stopReason = reply.stopReason() ?? "end_turn"
  endReply(agent, reply, request.model, cut ? { cut: "broken", failure: cut } : {}, startedAt)
  await executor.drain()
  if (signal.aborted && executor.count() > 0) return { kind: "aborted", during: "tools" }
  return { kind: "answered", stopReason, calls: executor.finished(), ...(cut && { cut }) }
}

/** After content the port does not retry by itself, so the loop repeats whatever the port would have retried before. */
export const isRepeatable = ({ kind }: ModelFailure): boolean => repeatable.has(kind)

const repeatable: ReadonlySet<ModelFailure["kind"]> = new Set([
  "broken",
  "unreachable",
  "overloaded",
  "server",
  "rate_limited",
])

function tellEvent(agent: Agent, reply: Reply, event: ModelEvent): void {
  if (event.type === "retry") agent.publish({ type: "retry_wait", retry: event.retry })
  else if (event.type !== "error") {
    const messageId = event.type === "message_start" ? event.id : reply.id()
    agent.publish({ type: "model_delta", messageId, delta: event })
  }
}

function endReply(
  agent: Agent,
  reply: Reply,
  model: string,
  how: Pick<EntryBody & { kind: "reply_end" }, "cut" | "failure">,
  startedAt: number,
): void {
  if (!reply.begun()) return agent.release()
  const usage = how.cut ? atLeast(reply) : reply.usage()
  const costUsd = agent.settle(model, usage)
  agent.record({
    kind: "reply_end",
    messageId: reply.id(),
    model,
    stopReason: how.cut ? null : (reply.stopReason() ?? "end_turn"),
    ...how,
    usage,
    ...(costUsd !== undefined && { costUsd }),
    durationMs: agent.clock.now() - startedAt,
  })
}

/** The last block of an answer carries how it ended, and what the whole of it used. */
const usedSoFar = (reply: Reply): Pick<EntryBody & { kind: "reply" }, "usage" | "stopReason" | "requestId"> =>
  reply.stopReason() === undefined
    ? { usage: reply.usage() }
    : {
        usage: reply.usage(),
        ...optional("stopReason", reply.stopReason()),
        ...optional("requestId", reply.requestId()),
      }

/** A cut-off answer reports its output too late or never, but what was received was paid for. */
function atLeast(reply: Reply): Usage {
  const usage = reply.usage()
  return { ...usage, output_tokens: Math.max(usage.output_tokens, Math.ceil(reply.received() / 3)) }
}

/** What the user already saw stays in the conversation, so that "continue" means something. */
function keepPartialText(agent: Agent, reply: Reply, model: string): void {
  const text = reply.unfinishedText()
  if (text.trim() === "") return
  agent.record({
    kind: "reply",
    messageId: reply.id(),
    model,
    block: { type: "text", text },
    usage: atLeast(reply),
    aborted: true,
  })
}
