/** A conversation as a trajectory in the Agent Trajectory Interchange Format (ATIF), which Harbor and its viewers read. */

import type { Entry } from "#agent/words/entry.ts"
import { textOf, type AssistantBlock, type PromptBlock, type ResultContent } from "#agent/words/message.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"

export interface TrajectoryHead {
  readonly sessionId: string
  /** Of the program that exports. */
  readonly version: string
  readonly model: string
}

type ReplyEntry = Extract<Entry, { kind: "reply" }>
type ReplyEnd = Extract<Entry, { kind: "reply_end" }>
type ResultEntry = Extract<Entry, { kind: "result" }>

/** A conversation from its beginning, and how to read those of the agents that it started; undefined for one that is not here. */
export interface AgentConversation {
  readonly path: readonly Entry[]
  readonly agents: (agentId: string) => AgentConversation | undefined
}

/** Fields without a value are left out, as the format asks. */
export function atifTrajectory(head: TrajectoryHead, conversation: AgentConversation): JsonObject {
  return trajectory(head, conversation, { trajectory_id: head.sessionId })
}

/** Agents are embedded, and the results of the calls that started or resumed them refer to them. */
function trajectory(
  head: TrajectoryHead,
  { path, agents }: AgentConversation,
  { trajectory_id, extra }: { readonly trajectory_id: string; readonly extra?: JsonObject },
): JsonObject {
  const { sessionId, version, model } = head
  const setup = path.find((entry) => entry.kind === "setup")
  const children = childrenOn(path).flatMap(({ agentId, calls, ...about }) => {
    const child = agents(agentId)
    if (!child || stepsOf(child.path, noReferences).length === 0) return []
    const childModel = child.path.find((entry) => entry.kind === "reply")?.model ?? ""
    const id = `${sessionId}:${agentId}`
    return [
      { id, calls, trajectory: trajectory({ ...head, model: childModel }, child, { trajectory_id: id, extra: about }) },
    ]
  })
  const steps = stepsOf(path, (callId) => children.flatMap(({ id, calls }) => (calls.has(callId) ? [id] : [])))
  return {
    schema_version: "ATIF-v1.7",
    session_id: sessionId,
    trajectory_id,
    agent: {
      name: "codewright",
      version,
      ...(model !== "" && { model_name: model }),
      ...(setup && {
        tool_definitions: setup.tools.map(({ name, description, input_schema }) => ({
          type: "function",
          function: { name, description, parameters: input_schema },
        })),
      }),
    },
    steps: steps.map((step, index) => ({ step_id: index + 1, ...step })),
    final_metrics: { ...totals(path), total_steps: steps.length },
    ...(children.length > 0 && { subagent_trajectories: children.map((child) => child.trajectory) }),
    ...(extra && { extra }),
  }
}

/** The trajectories that a call started or continued. */
type References = (callId: string) => readonly string[]

const noReferences: References = () => []

interface Child {
  readonly agentId: string
  /** Whatever started or continued it. */
  readonly calls: ReadonlySet<string>
  readonly agent_type: string
  readonly description: string
}

function childrenOn(path: readonly Entry[]): readonly Child[] {
  const children = new Map<string, Child>()
  for (const entry of path) {
    if (entry.kind !== "child") continue
    const { agentId, agentType, description, callId, within } = entry
    const calls = new Set([...(children.get(agentId)?.calls ?? []), callId, ...(within === undefined ? [] : [within])])
    children.set(agentId, { agentId, calls, agent_type: agentType, description })
  }
  return [...children.values()]
}

function stepsOf(path: readonly Entry[], references: References): readonly JsonObject[] {
  const results = new Map<string, ResultEntry>()
  const ends = new Map<string, ReplyEnd>()
  const replies = new Map<string, ReplyEntry[]>()
  const cutOff = new Set<string>()
  for (const entry of path) {
    if (entry.kind === "result" && !results.has(entry.callId)) results.set(entry.callId, entry)
    if (entry.kind === "reply_end") ends.set(entry.messageId, entry)
    if (entry.kind === "orphan") cutOff.add(entry.messageId)
    if (entry.kind === "reply") replies.set(entry.messageId, [...(replies.get(entry.messageId) ?? []), entry])
  }
  const rated = Map.groupBy(
    path.filter((entry) => entry.kind === "feedback"),
    ({ messageId }) => messageId,
  )
  let isSetUp = false

  return path.flatMap((entry): readonly JsonObject[] => {
    const timestamp = new Date(entry.at).toISOString()
    const step = (source: "system" | "user", message: string, extra?: JsonObject): readonly JsonObject[] => [
      { timestamp, source, message, ...(extra && { extra }) },
    ]
    switch (entry.kind) {
      case "setup": {
        if (isSetUp) return []
        isSetUp = true
        return step("system", entry.system.map(({ text }) => text).join("\n\n"))
      }
      case "prompt":
        return step("user", promptText(entry.content))
      case "shell":
        return step("user", `!${entry.command}\n${entry.output}`, { exit_code: entry.exitCode })
      case "attachment":
        return step("system", entry.text, { attachment: entry.name })
      case "compaction":
        return step("system", entry.summary, {
          context_management: {
            type: "compaction",
            trigger: entry.trigger,
            tokens_before: entry.preTokens,
            tokens_after: entry.postTokens,
          },
        })
      case "reply": {
        const blocks = replies.get(entry.messageId) ?? []
        if (cutOff.has(entry.messageId) || blocks[0] !== entry) return []
        const ratings = rated.get(entry.messageId)?.map(({ rating, text }) => ({ rating, ...optional("text", text) }))
        const extra = ratings && { extra: { feedback: ratings } }
        return [{ timestamp, ...agentStep(blocks, results, ends.get(entry.messageId), references), ...extra }]
      }
      default:
        return []
    }
  })
}

function agentStep(
  replies: readonly ReplyEntry[],
  results: ReadonlyMap<string, ResultEntry>,
  end: ReplyEnd | undefined,
  references: References,
): JsonObject {
  const blocks = replies.map(({ block }) => block)
  const reasoning = blocks.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join("\n\n")
  const uses = blocks.flatMap((block) => (block.type === "tool_use" ? [block] : []))
  const observed = uses.flatMap(({ id }) => {
    const result = results.get(id)
    if (!result) return []
    const refs = references(id).map((trajectory_id) => ({ trajectory_id }))
    return [
      {
        source_call_id: id,
        content: resultText(result.content),
        ...(refs.length > 0 && { subagent_trajectory_ref: refs }),
        ...about(result),
      },
    ]
  })
  const model = replies[0]?.model ?? ""
  return {
    source: "agent",
    ...(model !== "" && { model_name: model }),
    message: said(blocks),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(uses.length > 0 && {
      tool_calls: uses.map(({ id, name, input }) => ({ tool_call_id: id, function_name: name, arguments: input })),
    }),
    ...(observed.length > 0 && { observation: { results: observed } }),
    ...(end && { metrics: metricsOf(end) }),
    llm_call_count: 1,
  }
}

const about = ({ isError, denied, durationMs }: ResultEntry): JsonObject => ({
  extra: { is_error: isError, ...(denied !== undefined && { denied: true }), duration_ms: durationMs },
})

const said = (blocks: readonly AssistantBlock[]): string =>
  blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")

/** What is not text is named, so that a reader knows that something was there. */
function promptText(content: readonly PromptBlock[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n")
}

function resultText(content: ResultContent): string {
  if (typeof content === "string") return content
  return [textOf(content), ...content.flatMap(({ type }) => (type === "text" ? [] : [`[${type}]`]))]
    .filter((text) => text !== "")
    .join("\n")
}

function metricsOf({ usage, costUsd, durationMs }: ReplyEnd): { readonly [name: string]: JsonValue } {
  return {
    prompt_tokens: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    completion_tokens: usage.output_tokens,
    cached_tokens: usage.cache_read_input_tokens,
    ...(costUsd !== undefined && { cost_usd: costUsd }),
    extra: { cache_creation_tokens: usage.cache_creation_input_tokens, duration_ms: durationMs },
  }
}

/** Of every answer on the path, those that were cut off included: they were paid for. */
function totals(path: readonly Entry[]): JsonObject {
  const ends = path.filter((entry) => entry.kind === "reply_end")
  const sum = (count: (end: ReplyEnd) => number): number => ends.reduce((total, end) => total + count(end), 0)
  return {
    total_prompt_tokens: sum(
      ({ usage }) => usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    ),
    total_completion_tokens: sum(({ usage }) => usage.output_tokens),
    total_cached_tokens: sum(({ usage }) => usage.cache_read_input_tokens),
    total_cost_usd: sum(({ costUsd }) => costUsd ?? 0),
  }
}
