/** Hooks that answer instead of the user: what they are asked, what they may say, and which questions they may answer. */

import type { Call, HookAnswer } from "#agent/words/middleware.ts"
import type { Decision } from "#agent/words/permission.ts"
import type { Suggestions } from "#agent/words/question.ts"
import type { JsonValue } from "#lib/json.ts"

/** `suggestions` are rules that would avoid the question, in the clients' format. Undefined leaves it to the user. */
export type AskHook = (call: Call, suggestions: readonly JsonValue[]) => Promise<HookAnswer | undefined>

/** Denied only because the mode does not allow asking. */
export const isUnasked = ({ behavior, reason }: Decision): boolean =>
  behavior === "deny" && reason.kind === "mode" && reason.mode === "dontAsk"

/** No rule and no check wants a question; simply nothing allows the call. */
export const isLeftOpen = ({ reason }: Decision): boolean => reason.kind === "default" || reason.kind === "hook"

/** In the clients' format: permission updates, for this session. */
export function suggestionsFor({ rules, mode, folders = [] }: Suggestions): readonly JsonValue[] {
  const named = rules.flatMap(({ rule }) => {
    const [, toolName, ruleContent] = /^([^(]+)(?:\((.*)\))?$/s.exec(rule) ?? []
    return toolName === undefined ? [] : [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }]
  })
  return [
    ...(named.length > 0 ? [{ type: "addRules", rules: named, behavior: "allow", destination: "session" }] : []),
    ...(mode === undefined ? [] : [{ type: "setMode", mode, destination: "session" }]),
    ...(folders.length > 0 ? [{ type: "addDirectories", directories: [...folders], destination: "session" }] : []),
  ]
}
