/** The hooks of a session: those of settings, and those of the agent that it is or plays. */

import type { TurnHooks } from "#agent/words/command.ts"
import type { HookSource } from "#kits/hooks/config.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { SessionOptions } from "./options.ts"

export function hookSources({
  hooks = [],
  child,
  playing,
}: Pick<SessionOptions, "hooks" | "child" | "playing">): readonly HookSource[] {
  const definition = child?.definition ?? playing
  if (!definition?.hooks) return hooks
  const { agentType, path, source } = definition
  const own: HookSource = {
    source: `agent ${agentType}`,
    file: path ?? "--agents",
    isProject: source === "project",
    hooks: child ? asAgent(definition.hooks) : definition.hooks,
  }
  return [...hooks, own]
}

/** Hooks that a command or a skill brings for its turn. */
export const turnHookSources = (hooks: readonly TurnHooks[] | undefined, isAgent: boolean): readonly HookSource[] =>
  (hooks ?? []).map((one) => (isAgent ? { ...one, hooks: asAgent(one.hooks) } : one))

/** An agent that another one started does not stop a session, only its own work. */
function asAgent({ Stop: stop, ...rest }: JsonObject): JsonObject {
  const stops = listOf(stop).map((group) => (isObject(group) ? { ...group, matcher: "" } : group))
  return stops.length === 0 ? rest : { ...rest, SubagentStop: [...listOf(rest.SubagentStop), ...stops] }
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])
