/** What the audit says of a decision, and of what ran because of it: enough to answer who allowed what without another table. */

import { digestOf } from "#lib/digest.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { AuditDetails, FleetApproval } from "./records.ts"
import type { Decision } from "./store/approvals.ts"

type ShownAction = Pick<FleetApproval, "kind" | "title" | "action" | "digest" | "details">

/** In a few words: also which rules and which mode came with a yes, and that something else was allowed than was shown. */
export function decisionWords({ allows, answer, through }: Decision, { details }: ShownAction): string {
  if (!allows) return through === "link" ? "denied by a link" : "denied"
  const { remember, rules, written, mode, input, plan } = answer
  const named =
    rules === undefined && written === undefined ? (details?.rules ?? []) : [rules ?? [], written ?? []].flat()
  return [
    through === "link" ? "approved by a link" : "approved",
    ...(typeof remember === "string" ? [`saved for ${remember}: ${named.join(", ")}`] : []),
    ...(typeof mode === "string" ? [`mode ${mode}`] : []),
    ...(input === undefined ? [] : ["input edited"]),
    ...(plan === undefined ? [] : ["plan edited"]),
  ].join("; ")
}

export function decisionDetails({ allows, answer }: Decision, shown: ShownAction): AuditDetails {
  const { tool, input } = shown.action
  const { input: edited, plan, answers, message, feedback } = answer
  const allowed = isObject(edited) ? edited : typeof plan === "string" ? { ...input, plan } : input
  const words = message ?? feedback
  return {
    ...actDetails(shown.action),
    kind: shown.kind,
    title: cut(shown.title),
    digest: shown.digest,
    shown: digestOf([tool, input]),
    ...(allows && { allowed: digestOf([tool, allowed]) }),
    ...editsOf(input, allowed),
    ...(isObject(answers) && { answers: shortened(answers) }),
    ...optional("message", typeof words === "string" ? cut(words) : undefined),
  }
}

/** `ran`: the call with the input that the tool was given. */
export function runDetails(ran: FleetApproval["action"], shown: ShownAction): AuditDetails {
  const { tool, input } = shown.action
  return {
    ...actDetails(ran),
    title: cut(shown.title),
    digest: shown.digest,
    shown: digestOf([tool, input]),
    ran: digestOf([ran.tool, ran.input]),
    ...editsOf(input, ran.input),
  }
}

function actDetails({ tool, input }: FleetApproval["action"]): AuditDetails {
  const { command } = input
  const files = ["file_path", "notebook_path", "path"].flatMap((field) => {
    const path = input[field]
    return typeof path === "string" ? [cut(path)] : []
  })
  return {
    tool,
    ...optional("command", typeof command === "string" ? cut(command) : undefined),
    ...(files.length > 0 && { files }),
  }
}

/** Only what was changed. */
function editsOf(before: JsonObject, after: JsonObject): Pick<AuditDetails, "before" | "after"> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => digestOf(before[name] ?? null) !== digestOf(after[name] ?? null))
  if (changed.length === 0) return {}
  const only = (from: JsonObject): JsonObject =>
    shortened(Object.fromEntries(changed.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))))
  return { before: only(before), after: only(after) }
}

/** What is longer is in the log of the session; the digests are of all of it. */
const mostCharacters = 20_000

const cut = (text: string): string =>
  text.length <= mostCharacters
    ? text
    : `${text.slice(0, mostCharacters)}… (${text.length - mostCharacters} characters more)`

const shortened = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([name, each]): [string, JsonValue] => {
      if (typeof each === "string") return [name, cut(each)]
      const text = JSON.stringify(each)
      return [name, text.length <= mostCharacters ? (each ?? null) : cut(text)]
    }),
  )
