/** Hooks that answer instead of the user: what they are asked, what they may say, and which questions they may answer. */

import type { Call, HookAnswer } from "#agent/words/middleware.ts"
import type { Decision } from "#agent/words/permission.ts"
import type { Suggestions } from "#agent/words/question.ts"
import type { JsonValue } from "#lib/json.ts"

/** `suggestions` are the rules that would spare the question, as clients know them. Undefined hands on to the user. */
export type AskHook = (call: Call, suggestions: readonly JsonValue[]) => Promise<HookAnswer | undefined>

/** It was denied only because the mode lets nobody be asked. */
export const isUnasked = ({ behavior, reason }: Decision): boolean =>
  behavior === "deny" && reason.kind === "mode" && reason.mode === "dontAsk"

/** No rule and no check wants a question; nothing allows it, that is all. */
export const isLeftOpen = ({ reason }: Decision): boolean => reason.kind === "default" || reason.kind === "hook"

/** As clients know them: updates of permissions, for this session. */
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
