/** Every event and metric with its name, its fields and what it means. The reference page is drawn from these tables. */

export interface EventKind {
  /** The name that Claude Code documents for it, without its prefix; used where its telemetry is switched on. */
  readonly claude?: true
  readonly fields: readonly string[]
  readonly meaning: string
}

export type EventName =
  | "user_prompt"
  | "api_request"
  | "api_error"
  | "tool_decision"
  | "tool_result"
  | "turn_end"
  | "permission_wait"
  | "hook"
  | "compaction"
  | "agent_start"
  | "agent_end"
  | "mode_change"
  | "model_change"
  | "feedback"

/** By name, without the prefix. */
export const eventKinds: { readonly [N in EventName]: EventKind } = {
  user_prompt: {
    claude: true,
    fields: ["prompt_length", "prompt"],
    meaning: "A prompt was sent. Its text only with OTEL_LOG_USER_PROMPTS.",
  },
  api_request: {
    claude: true,
    fields: [
      "model",
      "cost_usd",
      "duration_ms",
      "input_tokens",
      "output_tokens",
      "cache_read_tokens",
      "cache_creation_tokens",
    ],
    meaning: "The model has answered.",
  },
  api_error: {
    claude: true,
    fields: ["model", "error", "error_kind", "status_code", "duration_ms", "attempt"],
    meaning: "A request failed, or is tried again after a wait.",
  },
  tool_decision: {
    claude: true,
    fields: ["tool_name", "decision", "source", "reason"],
    meaning: "A call was allowed or denied.",
  },
  tool_result: {
    claude: true,
    fields: ["tool_name", "success", "duration_ms", "error_kind", "tool_input", "tool_output"],
    meaning: "A call has ended. Its input only with OTEL_LOG_TOOL_DETAILS, its output only with OTEL_LOG_TOOL_CONTENT.",
  },
  turn_end: { fields: ["reason", "cause"], meaning: "A turn has ended." },
  permission_wait: { fields: ["question", "answer", "duration_ms"], meaning: "A question to the user was answered." },
  hook: { fields: ["hook_event", "hook_name", "duration_ms", "exit_code", "decision"], meaning: "A hook has run." },
  compaction: { fields: ["trigger", "tokens_before", "tokens_after"], meaning: "The conversation was made smaller." },
  agent_start: { fields: ["agent_id", "agent_type"], meaning: "An agent or a member of the team has started." },
  agent_end: { fields: ["agent_id", "agent_type", "end"], meaning: "An agent or a member of the team has ended." },
  mode_change: { fields: ["mode"], meaning: "The permission mode was set." },
  model_change: { fields: ["model", "why"], meaning: "Another model answers from here on." },
  feedback: {
    fields: ["rating", "comment"],
    meaning: "The user rated an answer with /good or /bad. The comment only with OTEL_LOG_USER_PROMPTS.",
  },
}

export interface MetricKind {
  /** The name where Claude Code's telemetry is switched on, if it documents one. */
  readonly claude?: string
  readonly kind: "counter" | "histogram"
  readonly unit: string
  readonly by: readonly string[]
  readonly meaning: string
  readonly bounds?: readonly number[]
}

const seconds: readonly number[] = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
const powersOfFour: readonly number[] = Array.from({ length: 14 }, (_, power) => 4 ** power)

export type MetricName =
  | "codewright.session.count"
  | "codewright.token.usage"
  | "codewright.cost.usage"
  | "codewright.tool.calls"
  | "codewright.code_edit_tool.decision"
  | "codewright.lines_of_code.count"
  | "codewright.commit.count"
  | "codewright.pull_request.count"
  | "codewright.active_time.total"
  | "codewright.request.retries"
  | "codewright.compaction.count"
  | "codewright.permission.wait"
  | "gen_ai.client.operation.duration"
  | "gen_ai.client.token.usage"
  | "gen_ai.execute_tool.duration"

export const metricKinds: { readonly [N in MetricName]: MetricKind } = {
  "codewright.session.count": {
    claude: "claude_code.session.count",
    kind: "counter",
    unit: "{session}",
    by: ["start_type"],
    meaning: "Sessions that were started or resumed.",
  },
  "codewright.token.usage": {
    claude: "claude_code.token.usage",
    kind: "counter",
    unit: "tokens",
    by: ["type", "model"],
    meaning: "Tokens by kind: input, output, cacheRead, cacheCreation.",
  },
  "codewright.cost.usage": {
    claude: "claude_code.cost.usage",
    kind: "counter",
    unit: "USD",
    by: ["model"],
    meaning: "What the answers cost.",
  },
  "codewright.tool.calls": {
    kind: "counter",
    unit: "{call}",
    by: ["tool_name", "decision", "success"],
    meaning: "Calls of tools.",
  },
  "codewright.code_edit_tool.decision": {
    claude: "claude_code.code_edit_tool.decision",
    kind: "counter",
    unit: "{decision}",
    by: ["tool_name", "decision", "source"],
    meaning: "Decisions about calls that edit files: accept or reject.",
  },
  "codewright.lines_of_code.count": {
    claude: "claude_code.lines_of_code.count",
    kind: "counter",
    unit: "{line}",
    by: ["type"],
    meaning: "Lines added and removed by edits.",
  },
  "codewright.commit.count": {
    claude: "claude_code.commit.count",
    kind: "counter",
    unit: "{commit}",
    by: [],
    meaning: "Commands that made a git commit.",
  },
  "codewright.pull_request.count": {
    claude: "claude_code.pull_request.count",
    kind: "counter",
    unit: "{pull_request}",
    by: [],
    meaning: "Commands that opened a pull request.",
  },
  "codewright.active_time.total": {
    claude: "claude_code.active_time.total",
    kind: "counter",
    unit: "s",
    by: ["type"],
    meaning: "Time in turns, without waiting for the user.",
  },
  "codewright.request.retries": {
    kind: "counter",
    unit: "{retry}",
    by: ["error_kind"],
    meaning: "Requests that were sent again.",
  },
  "codewright.compaction.count": {
    kind: "counter",
    unit: "{compaction}",
    by: ["trigger"],
    meaning: "Compactions of the conversation.",
  },
  "codewright.permission.wait": {
    kind: "histogram",
    unit: "s",
    by: ["answer"],
    meaning: "How long questions waited for an answer.",
    bounds: seconds,
  },
  "gen_ai.client.operation.duration": {
    kind: "histogram",
    unit: "s",
    by: ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "error.type"],
    meaning: "How long the model took to answer.",
    bounds: seconds,
  },
  "gen_ai.client.token.usage": {
    kind: "histogram",
    unit: "{token}",
    by: ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.token.type"],
    meaning: "Tokens of each request, input and output.",
    bounds: powersOfFour,
  },
  "gen_ai.execute_tool.duration": {
    kind: "histogram",
    unit: "s",
    by: ["gen_ai.tool.name", "error.type"],
    meaning: "How long calls took.",
    bounds: seconds,
  },
}
