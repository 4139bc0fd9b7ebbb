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
  /** Read again for each pass. No call is parted from its result. */
  readonly pieces: () => Iterable<readonly Entry[]>
  readonly agents: (agentId: string) => AgentConversation | undefined
}

/** Makes the text of a value, with two spaces of indentation. */
type WriteJson = (value: object) => string

/** As text, step by step: a conversation of any size takes little memory. Fields without a value are left out, as the format asks. */
export function* atifTrajectory(
  head: TrajectoryHead,
  conversation: AgentConversation,
  write: WriteJson,
): Generator<string> {
  yield* trajectory(head, conversation, { id: head.sessionId, write, by: 0 })
  yield "\n"
}

/** Agents are embedded, and the results of the calls that started or resumed them refer to them. */
function* trajectory(
  head: TrajectoryHead,
  conversation: AgentConversation,
  place: { readonly id: string; readonly write: WriteJson; readonly by: number; readonly extra?: JsonObject },
): Generator<string> {
  const { id, write, by, extra } = place
  const { sessionId, version, model } = head
  const facts = factsOf(conversation)
  const children = facts.children.flatMap(({ agentId, calls, ...about }) => {
    const child = conversation.agents(agentId)
    const known = child && factsOf(child)
    if (!child || !known || stepsOf(child, known, noReferences).next().done) return []
    return [{ id: `${sessionId}:${agentId}`, calls, child, about, model: known.model }]
  })
  const line = (text: string): string => indented(text, by)
  const fields = (value: object): string => line(write(value).slice(1, -2))

  yield line(
    write({
      schema_version: "ATIF-v1.7",
      session_id: sessionId,
      trajectory_id: id,
      agent: {
        name: "codewright",
        version,
        ...(model !== "" && { model_name: model }),
        ...(facts.setup && {
          tool_definitions: facts.setup.tools.map(({ name, description, input_schema }) => ({
            type: "function",
            function: { name, description, parameters: input_schema },
          })),
        }),
      },
    }).replace(/\n\}$/, ',\n  "steps": ['),
  )
  let count = 0
  const references: References = (callId) => children.flatMap((child) => (child.calls.has(callId) ? [child.id] : []))
  for (const step of stepsOf(conversation, facts, references)) {
    count++
    yield `${count === 1 ? "" : ","}${line("\n    ")}${indented(write({ step_id: count, ...step }), by + 4)}`
  }
  yield line(count === 0 ? "]" : "\n  ]")
  yield `,${fields({ final_metrics: { ...facts.totals, total_steps: count } })}`
  if (children.length > 0) {
    yield line(',\n  "subagent_trajectories": [')
    for (const [index, { id: childId, child, about, model: childModel }] of children.entries()) {
      yield line(`${index === 0 ? "" : ","}\n    `)
      yield* trajectory({ ...head, model: childModel }, child, { id: childId, write, by: by + 4, extra: about })
    }
    yield line("\n  ]")
  }
  if (extra) yield `,${fields({ extra })}`
  yield line("\n}")
}

const indented = (text: string, by: number): string => text.replaceAll("\n", `\n${" ".repeat(by)}`)

/** What is about the conversation as a whole, or told later than where it belongs. */
interface Facts {
  readonly setup: (Entry & { readonly kind: "setup" }) | undefined
  readonly model: string
  readonly children: readonly Child[]
  readonly cutOff: ReadonlySet<string>
  readonly rated: ReadonlyMap<string | undefined, readonly Feedback[]>
  readonly totals: JsonObject
}

type Feedback = Extract<Entry, { kind: "feedback" }>

function factsOf({ pieces }: AgentConversation): Facts {
  let setup: Facts["setup"]
  let model: string | undefined
  const started: (Entry & { readonly kind: "child" })[] = []
  const feedback: Feedback[] = []
  const cutOff = new Set<string>()
  const totals = openTotals()
  for (const piece of pieces())
    for (const entry of piece) {
      if (entry.kind === "setup") setup ??= entry
      if (entry.kind === "reply") model ??= entry.model
      if (entry.kind === "child") started.push(entry)
      if (entry.kind === "feedback") feedback.push(entry)
      if (entry.kind === "orphan") cutOff.add(entry.messageId)
      if (entry.kind === "reply_end") totals.add(entry)
    }
  return {
    setup,
    model: model ?? "",
    children: childrenOn(started),
    cutOff,
    rated: Map.groupBy(feedback, ({ messageId }) => messageId),
    totals: totals.now(),
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

function childrenOn(started: readonly (Entry & { readonly kind: "child" })[]): readonly Child[] {
  const children = new Map<string, Child>()
  for (const { agentId, agentType, description, callId, within } of started) {
    const calls = new Set([...(children.get(agentId)?.calls ?? []), callId, ...(within === undefined ? [] : [within])])
    children.set(agentId, { agentId, calls, agent_type: agentType, description })
  }
  return [...children.values()]
}

function* stepsOf({ pieces }: AgentConversation, facts: Facts, references: References): Generator<JsonObject> {
  for (const piece of pieces()) yield* stepsIn(piece, facts, references)
}

function stepsIn(
  piece: readonly Entry[],
  { setup, cutOff, rated }: Facts,
  references: References,
): readonly JsonObject[] {
  const results = new Map<string, ResultEntry>()
  const ends = new Map<string, ReplyEnd>()
  const replies = new Map<string, ReplyEntry[]>()
  for (const entry of piece) {
    if (entry.kind === "result" && !results.has(entry.callId)) results.set(entry.callId, entry)
    if (entry.kind === "reply_end") ends.set(entry.messageId, entry)
    if (entry.kind === "reply") replies.set(entry.messageId, [...(replies.get(entry.messageId) ?? []), entry])
  }

  return piece.flatMap((entry): readonly JsonObject[] => {
    const timestamp = new Date(entry.at).toISOString()
    const step = (source: "system" | "user", message: string, extra?: JsonObject): readonly JsonObject[] => [
      { timestamp, source, message, ...(extra && { extra }) },
    ]
    switch (entry.kind) {
      case "setup": {
        if (entry.uuid !== setup?.uuid) return []
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
function openTotals(): { readonly add: (end: ReplyEnd) => void; readonly now: () => JsonObject } {
  let [prompt, completion, cached, cost] = [0, 0, 0, 0]
  return {
    add({ usage, costUsd }) {
      prompt += usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
      completion += usage.output_tokens
      cached += usage.cache_read_input_tokens
      cost += costUsd ?? 0
    },
    now: () => ({
      total_prompt_tokens: prompt,
      total_completion_tokens: completion,
      total_cached_tokens: cached,
      total_cost_usd: cost,
    }),
  }
}
