/** Hooks that answer instead of the user, before the user is asked about a call. */

import type { Call, HookAnswer } from "#agent/words/middleware.ts"
import { optional } from "#lib/optional.ts"
import type { JsonValue } from "#lib/json.ts"
import type { Dispatcher } from "./dispatch.ts"
import { toolMoment } from "./moments.ts"
import { contextWords } from "./words.ts"

/** `suggestions` are rules that would avoid the question, in the clients' format. Undefined leaves it to the user. */
export type PermissionMoment = (call: Call, suggestions: readonly JsonValue[]) => Promise<HookAnswer | undefined>

export function openPermissionMoment({
  fire,
  has,
  addContext,
  stop,
}: Dispatcher & {
  readonly addContext: (text: string) => void
  readonly stop: (why: string) => void
}): PermissionMoment {
  return async (call, suggestions) => {
    if (!has("PermissionRequest")) return undefined
    const fired = await fire(
      toolMoment("PermissionRequest", call, { permission_suggestions: suggestions }),
      call.signal,
    )
    if (call.signal.aborted) return undefined
    for (const context of fired.contexts) addContext(contextWords("PermissionRequest", context))
    if (fired.stop !== undefined) stop(fired.stop)
    const by = fired.by ?? "a hook"
    if (fired.verdict === "deny") return { behavior: "deny", name: by, message: fired.reason ?? "It gave no reason." }
    if (fired.verdict !== "allow") return undefined
    return { behavior: "allow", name: by, grants: fired.grants, ...optional("updatedInput", fired.updatedInput) }
  }
}
