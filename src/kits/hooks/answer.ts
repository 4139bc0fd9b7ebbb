/** Parses the JSON that a hook prints. A field of the wrong type is reported and ignored; the rest counts. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import type { Meaning, HookVerdict } from "./meaning.ts"
import { factsOf, type HookEvent } from "./moments.ts"

export function readAnswer(event: HookEvent, printed: JsonObject): Meaning {
  const complaints: string[] = []
  const of = fieldsOf(complaints)
  const specific = specificIn(event, printed.hookSpecificOutput, complaints)
  const own = decisionIn(event, specific, of)
  const plain = plainDecision(event, printed, of)
  const goesOn = of(printed, "continue", isBoolean, "true or false")
  const ends = own.ends === true && own.verdict === "deny"
  const stop =
    goesOn === false
      ? (of(printed, "stopReason", isText, "a string") ?? "It gave no reason.")
      : ends
        ? (own.reason ?? "It gave no reason.")
        : undefined
  const message = of(printed, "systemMessage", isText, "a string")
  const context = of(specific, "additionalContext", isText, "a string")
  const against = own.verdict ?? plain.verdict
  // A prompt to be stopped is not sent.
  const verdict = stop !== undefined && event === "UserPromptSubmit" ? "deny" : against
  const reason = own.verdict === undefined ? (plain.reason ?? own.reason) : (own.reason ?? plain.reason)
  const canBlock = factsOf(event).blocks || verdict !== "deny"
  return {
    ...(canBlock && optional("verdict", verdict)),
    ...(canBlock && optional("reason", verdict === "deny" ? (reason ?? stop) : reason)),
    ...optional("updatedInput", own.updatedInput),
    ...optional("updatedOutput", event === "PostToolUse" ? outputIn(specific) : undefined),
    ...optional("elicited", elicitedIn(event, specific, of)),
    grants: own.grants,
    contexts: context === undefined || context.trim() === "" ? [] : [context],
    ...optional("stop", stop),
    ...optional("title", of(specific, "sessionTitle", isText, "a string")?.trim() || undefined),
    ...optional(
      "initialPrompt",
      event === "SessionStart"
        ? of(specific, "initialUserMessage", isText, "a string")?.trim() || undefined
        : undefined,
    ),
    ...optional(
      "worktree",
      event === "WorktreeCreate" ? of(specific, "worktreePath", isText, "a string")?.trim() || undefined : undefined,
    ),
    says: [
      ...(message === undefined || message.trim() === "" ? [] : [message]),
      ...(canBlock || reason === undefined ? [] : [reason]),
      ...(specific.displayContent === undefined
        ? []
        : ["displayContent has no effect: text is shown as it was written."]),
    ],
    complaints,
  }
}

interface Decided {
  readonly verdict?: HookVerdict
  readonly reason?: string
  readonly updatedInput?: JsonObject
  readonly grants: readonly string[]
  readonly ends?: boolean
}

type FieldReader = <T extends JsonValue>(
  from: JsonObject,
  name: string,
  fits: (value: JsonValue) => value is T,
  wanted: string,
) => T | undefined

const fieldsOf =
  (complaints: string[]): FieldReader =>
  (from, name, fits, wanted) => {
    const value = Object.hasOwn(from, name) ? from[name] : undefined
    if (value === undefined || value === null) return undefined
    if (fits(value)) return value
    complaints.push(`${name} must be ${wanted}`)
    return undefined
  }

function specificIn(event: HookEvent, value: JsonValue | undefined, complaints: string[]): JsonObject {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) {
    complaints.push("hookSpecificOutput must be an object")
    return {}
  }
  const { hookEventName } = value
  if (hookEventName === undefined || hookEventName === event) return value
  complaints.push(`hookSpecificOutput is for ${JSON.stringify(hookEventName)}, but this was ${event}; it is ignored`)
  return {}
}

function decisionIn(event: HookEvent, specific: JsonObject, of: FieldReader): Decided {
  if (event === "PreModelSwitch")
    return {
      ...optional("verdict", of(specific, "permissionDecision", isSwitchVerdict, "allow, deny or ask")),
      ...optional("reason", of(specific, "permissionDecisionReason", isText, "a string")),
      grants: [],
    }
  if (event === "PreToolUse") {
    const verdict = of(specific, "permissionDecision", isVerdict, "allow, deny, ask or defer")
    return {
      ...optional("verdict", verdict),
      ...optional("reason", of(specific, "permissionDecisionReason", isText, "a string")),
      ...optional("updatedInput", of(specific, "updatedInput", isObject, "an object")),
      grants: [],
    }
  }
  const decision = event === "PermissionRequest" ? of(specific, "decision", isObject, "an object") : undefined
  if (!decision) return { grants: [] }
  return {
    ...optional("verdict", of(decision, "behavior", isAllowOrDeny, "allow or deny")),
    ...optional("reason", of(decision, "message", isText, "a string")),
    ...optional("updatedInput", of(decision, "updatedInput", isObject, "an object")),
    ends: of(decision, "interrupt", isBoolean, "true or false") === true,
    grants: grantsIn(of(decision, "updatedPermissions", isList, "a list") ?? []),
  }
}

function elicitedIn(event: HookEvent, specific: JsonObject, of: FieldReader): Meaning["elicited"] {
  if (event !== "Elicitation" && event !== "ElicitationResult") return undefined
  const action = of(specific, "action", isAction, "accept, decline or cancel")
  return action && { action, ...optional("content", of(specific, "content", isObject, "an object")) }
}

/** The older form, which most events still support. */
function plainDecision(event: HookEvent, printed: JsonObject, of: FieldReader): Omit<Decided, "grants"> {
  const decision = of(printed, "decision", isPlainDecision, "block or approve")
  const reason = of(printed, "reason", isText, "a string")
  const verdict: HookVerdict | undefined =
    decision === "block" ? "deny" : decision === "approve" && event === "PreToolUse" ? "allow" : undefined
  return { ...optional("verdict", verdict), ...optional("reason", reason) }
}

/** Allow rules to add; a hook removes nothing and changes no mode. */
function grantsIn(updates: readonly JsonValue[]): readonly string[] {
  return updates.flatMap((update) => {
    if (!isObject(update) || update.type !== "addRules" || update.behavior !== "allow") return []
    return (isList(update.rules ?? null) ? (update.rules as readonly JsonValue[]) : []).flatMap((rule) => {
      if (!isObject(rule) || typeof rule.toolName !== "string") return []
      return [typeof rule.ruleContent === "string" ? `${rule.toolName}(${rule.ruleContent})` : rule.toolName]
    })
  })
}

const outputIn = (specific: JsonObject): JsonValue | undefined =>
  specific.updatedToolOutput ?? specific.updatedMCPToolOutput

const isText = (value: JsonValue): value is string => typeof value === "string"
const isBoolean = (value: JsonValue): value is boolean => typeof value === "boolean"
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)
const isVerdict = (value: JsonValue): value is HookVerdict =>
  value === "allow" || value === "deny" || value === "ask" || value === "defer"
const isSwitchVerdict = (value: JsonValue): value is "allow" | "deny" | "ask" =>
  value === "allow" || value === "deny" || value === "ask"
const isAllowOrDeny = (value: JsonValue): value is "allow" | "deny" => value === "allow" || value === "deny"
const isAction = (value: JsonValue): value is "accept" | "decline" | "cancel" =>
  value === "accept" || value === "decline" || value === "cancel"
const isPlainDecision = (value: JsonValue): value is "block" | "approve" => value === "block" || value === "approve"
