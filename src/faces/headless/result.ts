/** The result message: what a run came to, in the shape clients of the ecosystem read. */

import { goalText } from "#agent/words/goal.ts"
import { type ModelFacts, noUsage } from "#agent/words/model.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { BackgroundTask } from "./background.ts"
import { type OpenTask, openTaskWords } from "./open-tasks.ts"
import type { Tally } from "./tally.ts"
import { sdkUsage } from "./usage.ts"

export interface ResultContext {
  readonly sessionId: string
  readonly uuid: string
  readonly state: SessionState
  readonly factsOf: (model: string) => ModelFacts
  readonly now: number
  /** What outlived the turn. */
  readonly background?: readonly BackgroundTask[]
  /** Tasks of a team that nobody did, where the run is over. */
  readonly openTasks?: readonly OpenTask[]
  /** How many results came before this one. */
  readonly index: number
  /** The ids that the client gave to the messages of the turn. */
  readonly answers?: readonly string[]
  /** Who wrote what the turn answers, in the client's words. */
  readonly origin?: JsonObject
  /** How many messages wait for their turn. */
  readonly queued?: number
}

export function resultMessage(tally: Tally, context: ResultContext): object {
  const { end } = tally
  const { openTasks = [] } = context
  const common = {
    type: "result",
    duration_ms: Math.max(0, (end?.at ?? context.now) - tally.startedAt),
    duration_api_ms: tally.apiMs,
    ...optional("ttft_ms", tally.ttftMs),
    // Clients expect the request that was not made, or not answered, to be counted too.
    num_turns:
      tally.requests + ((end?.reason === "max_turns" && end.cause === undefined) || wasUnanswered(tally) ? 1 : 0),
    stop_reason: tally.deferred ? "tool_deferred" : tally.stopReason,
    ...optional("deferred_tool_use", tally.deferred),
    total_cost_usd: context.state.costUsd,
    usage: sdkUsage(tally.usage),
    modelUsage: modelUsage(context),
    ...optional("agentUsage", agentUsage(context)),
    permission_denials: tally.denials,
    ...(context.background?.length && { background_tasks: context.background }),
    ...(openTasks.length > 0 && { open_tasks: openTasks }),
    ...optional("goal", goalResult(tally)),
    ...optional("terminal_reason", terminalReason(tally)),
    ...optional("queued_turn_count", context.queued),
    ...answering(context.answers),
    ...optional("origin", context.origin),
    result_index: context.index,
    session_id: context.sessionId,
    uuid: context.uuid,
  }
  const failure = apiFailure(tally)
  if (failure)
    return {
      ...common,
      subtype: "success",
      is_error: true,
      result: errorText(tally),
      ...(end?.status !== undefined && { api_error_status: end.status }),
    }
  if (end?.reason === "completed" && openTasks.length > 0)
    return {
      ...common,
      subtype: "error_open_tasks",
      is_error: true,
      result: tally.text,
      errors: [openTaskWords(openTasks)],
    }
  if (end?.reason === "completed")
    return {
      ...common,
      subtype: "success",
      is_error: false,
      result: tally.text,
      ...optional("structured_output", end.output),
    }
  return { ...common, subtype: errorSubtype(tally), is_error: true, errors: [errorText(tally)] }
}

/** Whether the goal of the run held, in the words of results. */
function goalResult({ goal }: Tally): object | undefined {
  if (goal === undefined || goal.state === "cleared") return undefined
  const { check, state, checks, steps, why } = goal
  return { condition: goalText(check), holds: state === "held", rounds: checks, because: why ?? "", state, steps }
}

/** Which messages of the client something answers; nothing for those without an id of their own. */
export const answering = (ids: readonly string[] = []): object =>
  ids.length === 0 ? {} : { user_message_uuid: ids.at(-1), user_message_uuids: ids.slice(-mostIds) }

const mostIds = 64

export function notStartedMessage(why: string, { sessionId, uuid }: { sessionId: string; uuid: string }): object {
  return {
    type: "result",
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: sdkUsage(noUsage),
    modelUsage: {},
    permission_denials: [],
    session_id: sessionId,
    uuid,
    subtype: "error_during_execution",
    is_error: true,
    errors: [why],
  }
}

/** Of the model or its service, not ours. */
export function apiFailure(tally: Tally): boolean {
  const { end } = tally
  return end?.reason === "error" && end.cause !== undefined && apiCauses.includes(end.cause)
}

const noAnswer: readonly string[] = [
  "unreachable",
  "broken",
  "overloaded",
  "rate_limited",
  "no_credit",
  "too_long",
  "too_large",
  "malformed",
  "rejected",
  "unauthorized",
  "server",
]

const apiCauses: readonly string[] = [...noAnswer, "refusal", "max_output_tokens", "model_context_window_exceeded"]

const wasUnanswered = ({ end }: Tally): boolean =>
  end?.reason === "error" && end.cause !== undefined && noAnswer.includes(end.cause)

/** The `error` word of a synthetic assistant message. */
export const errorWord = (tally: Tally): string => failureWord(tally.end?.cause)

/** A failure in the words of clients. */
export const failureWord = (cause: string | undefined): string => failureWords[cause ?? ""] ?? "unknown"

const failureWords: { readonly [cause: string]: string } = {
  unauthorized: "authentication_failed",
  rate_limited: "rate_limit",
  no_credit: "billing_error",
  overloaded: "overloaded",
  rejected: "invalid_request",
  malformed: "invalid_request",
  too_long: "invalid_request",
  too_large: "invalid_request",
  max_output_tokens: "max_output_tokens",
  server: "server_error",
  unreachable: "server_error",
  broken: "server_error",
}

export function errorText(tally: Tally): string {
  const { end } = tally
  if (apiFailure(tally)) {
    const status = end?.status === undefined ? "" : `${end.status} `
    return `API Error: ${status}${end?.message ?? "the model could not answer"}`
  }
  return end?.message ?? plainEnds[end?.reason ?? "error"] ?? "The run ended early."
}

const plainEnds: { readonly [reason: string]: string } = {
  aborted: "The run was interrupted.",
  max_turns: "Turn limit reached.",
  max_budget: "Budget used up.",
  blocked_by_hook: "A hook stopped the run.",
}

function errorSubtype(tally: Tally): string {
  switch (tally.end?.reason) {
    case "max_turns":
      return "error_max_turns"
    case "max_budget":
      return "error_max_budget_usd"
    case "structured_output_retry_exhausted":
      return "error_max_structured_output_retries"
    default:
      return "error_during_execution"
  }
}

/** Undefined if clients have no word for it: our own failure is not the model's. */
function terminalReason(tally: Tally): string | undefined {
  const { end } = tally
  switch (end?.reason) {
    case "completed":
      return tally.deferred ? "tool_deferred" : "completed"
    case "max_turns":
      return "max_turns"
    case "max_budget":
      return "budget_exhausted"
    case "structured_output_retry_exhausted":
      return end.reason
    case "blocked_by_hook":
      return "hook_stopped"
    case "aborted":
      return end.cause === "aborted_tools" || end.cause === "declined" ? "aborted_tools" : "aborted_streaming"
    default:
      if (end?.cause === "too_long") return "prompt_too_long"
      return apiFailure(tally) ? "api_error" : undefined
  }
}

export function modelUsage({ state, factsOf }: Pick<ResultContext, "state" | "factsOf">): object {
  return Object.fromEntries(
    Object.entries(state.spending).map(([model, { usage, costUsd }]) => {
      const facts = factsOf(model)
      return [
        model,
        {
          inputTokens: usage.input_tokens,
          outputTokens: usage.output_tokens,
          cacheReadInputTokens: usage.cache_read_input_tokens,
          cacheCreationInputTokens: usage.cache_creation_input_tokens,
          webSearchRequests: usage.web_search_requests ?? 0,
          costUSD: costUsd,
          contextWindow: facts.window,
          maxOutputTokens: facts.maxOutput,
        },
      ]
    }),
  )
}

/** What each agent spent; nothing where there was none but the main one. */
function agentUsage({ state }: ResultContext): object | undefined {
  const all = Object.entries(state.agents)
  if (all.every(([who]) => who === "main")) return undefined
  return Object.fromEntries(all.map(([who, { costUsd, tokens }]) => [who, { costUSD: costUsd, tokens }]))
}
