/** A question of the session as a request to the client. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { isOwn, type Question, type QuestionAsk, type Suggestions } from "#agent/words/question.ts"
import type { Reason } from "#agent/words/permission.ts"
import { optional } from "#lib/optional.ts"
import { ruleParts, rulesAsUpdates } from "#session/port/permission-update.ts"
import { permissionSource } from "./source-names.ts"

export type ClientQuestion = JsonObject & { readonly subtype: string }

/** Undefined for what is only asked at a terminal: whether to raise a budget, or to approve a server. */
export function clientQuestion({ ask, agent }: Question): ClientQuestion | undefined {
  if (ask.kind === "elicitation") return elicitation(ask)
  if (isOwn(ask)) return undefined
  return {
    subtype: "can_use_tool",
    tool_use_id: ask.callId,
    ...optional("agent_id", agent?.id),
    ...(ask.kind === "permission" ? permission(ask) : dialog(ask)),
  }
}

function permission(ask: Extract<QuestionAsk, { readonly kind: "permission" }>): JsonObject {
  const { server } = ask
  const { reason } = ask.decision
  return {
    tool_name: ask.tool,
    display_name: ask.tool,
    title: ask.question ?? ask.title,
    description: ask.title,
    input: ask.input,
    permission_suggestions: suggested(ask.suggestions),
    decision_reason: ask.why ?? ask.decision.message,
    decision_reason_type: reasonTypes[reason.kind] ?? "other",
    ...(ask.suggestions?.folders && optional("blocked_path", ask.footprint.writes[0] ?? ask.footprint.reads[0])),
    ...(ask.destinations === undefined && { suppress_always_allow_rule: true }),
    ...(ask.alarm !== undefined && { default_to_no: true }),
    ...(server && { mcp_server: { name: server.name, source: server.source } }),
    ...optional("matched_ask_rule", askRule(reason)),
  }
}

function askRule(reason: Reason): JsonObject | undefined {
  if (reason.kind !== "rule") return undefined
  const { toolName: tool_name, ruleContent } = ruleParts(reason.rule)
  return { source: permissionSource(reason.source), tool_name, ...optional("rule_content", ruleContent) }
}

const reasonTypes: { readonly [kind: string]: string } = {
  rule: "rule",
  mode: "mode",
  hook: "hook",
  tool_check: "safetyCheck",
  classifier: "classifier",
  outside_sandbox: "sandboxOverride",
}

function suggested(suggestions: Suggestions | undefined): readonly JsonValue[] {
  if (!suggestions) return []
  const { rules, mode, folders } = suggestions
  return [
    ...rulesAsUpdates(rules),
    ...(folders ? [{ type: "addDirectories", directories: folders, destination: "session" }] : []),
    ...(mode === undefined ? [] : [{ type: "setMode", mode, destination: "session" }]),
  ]
}

/** Tools whose whole work is to ask: the client fills in what was chosen. */
function dialog(ask: Extract<QuestionAsk, { readonly kind: "choice" | "plan" }>): JsonObject {
  const common = { requires_user_interaction: true, permission_suggestions: [] }
  if (ask.kind === "choice")
    return {
      ...common,
      tool_name: "AskUserQuestion",
      display_name: "AskUserQuestion",
      description: ask.questions.map(({ question }) => question).join(" "),
      input: { questions: ask.questions },
    }
  const allowedPrompts = ask.wishes.map(({ prompt }) => ({ tool: "Bash", prompt }))
  return {
    ...common,
    tool_name: "ExitPlanMode",
    display_name: "ExitPlanMode",
    description: "Approve the plan?",
    input: {
      plan: ask.plan,
      planFilePath: ask.path,
      ...(allowedPrompts.length > 0 && { allowedPrompts }),
    },
  }
}

const elicitation = (ask: Extract<QuestionAsk, { readonly kind: "elicitation" }>): ClientQuestion => ({
  subtype: "elicitation",
  mcp_server_name: ask.server,
  message: ask.message,
  mode: ask.url === undefined ? "form" : "url",
  ...optional("url", ask.url),
  ...optional("elicitation_id", ask.elicitationId),
  ...optional("title", ask.shown?.title),
  ...optional("display_name", ask.shown?.displayName),
  ...optional("description", ask.shown?.description),
  ...optional("requested_schema", ask.schema),
  ...optional("property_order", isObject(ask.schema?.properties) ? Object.keys(ask.schema.properties) : undefined),
})
