/** The hooks of a team's moments. */

import type { JsonObject } from "#lib/json.ts"

export type TeamHookEvent = "TaskCreated" | "TaskCompleted" | "TeammateIdle"

/** Gives why it refuses, if it does. */
export type TeamHook = (fields: JsonObject, signal: AbortSignal) => Promise<string | undefined>

/** The hooks of a moment, if there are any. */
export type TeamHooks = (event: TeamHookEvent) => TeamHook | undefined
