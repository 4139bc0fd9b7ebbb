/** What the command of a turn sets: rules, a model and an effort that apply until the turn ends. */

import type { CommandDefinition, CommandUse, TurnHooks } from "#agent/words/command.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"

export interface TurnScope {
  readonly allowed: () => readonly string[]
  readonly denied: () => readonly string[]
  /** The same value until it changes. */
  readonly now: () => Brought
  readonly begin: (use: Omit<CommandUse, "typed">) => void
  readonly add: (use: Omit<CommandUse, "typed" | "model">) => void
  /** Only denials: unlike allow rules, they still apply if the turn continues in another process. */
  readonly tighten: (denied: readonly string[]) => void
  /** Hooks that run until the turn ends; unlike allow rules, also in another process. */
  readonly guard: (hooks: readonly TurnHooks[]) => void
  /** Another model was chosen since, by the user or because this one fails: that one counts. */
  readonly dropModel: () => void
  readonly end: () => void
  /** What an agent that a call starts may use of the command or skill that it carries out. */
  readonly lend: (callId: string, use: Lent) => void
  readonly lent: (callId: string) => Lent | undefined
}

export type Lent = Pick<CommandUse, "allowedTools" | "hooks">

export type Brought = Omit<CommandUse, "typed">

const nothing: Brought = {}

/** `always`: what counts in every turn, in an agent that carries out a command. */
export function openTurnScope(always: Lent = nothing): TurnScope {
  let brought: Brought = always
  const lent = new Map<string, Lent>()

  function guard(hooks: readonly TurnHooks[]): void {
    const { hooks: known = [] } = brought
    const fresh = hooks.filter((one) => !known.some((other) => isSame(one, other)))
    if (fresh.length > 0) brought = { ...brought, hooks: [...known, ...fresh] }
  }

  return {
    allowed: () => brought.allowedTools ?? [],
    denied: () => brought.disallowedTools ?? [],
    now: () => brought,
    begin: (use) => void (brought = use),
    lend: (callId, use) => void lent.set(callId, use),
    lent: (callId) => lent.get(callId),
    add({ allowedTools = [], disallowedTools = [], effort, hooks = [] }) {
      guard(hooks)
      brought = {
        ...brought,
        allowedTools: [...(brought.allowedTools ?? []), ...allowedTools],
        disallowedTools: [...(brought.disallowedTools ?? []), ...disallowedTools],
        ...optional("effort", effort ?? brought.effort),
      }
    },
    tighten(denied) {
      const { disallowedTools = [] } = brought
      const fresh = denied.filter((rule) => !disallowedTools.includes(rule))
      if (fresh.length > 0) brought = { ...brought, disallowedTools: [...disallowedTools, ...fresh] }
    },
    guard,
    dropModel() {
      const { model: _model, ...rest } = brought
      brought = rest
    },
    end() {
      brought = always
      lent.clear()
    },
  }
}

const isSame = (one: TurnHooks, other: TurnHooks): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Its hooks, for the turn in which it is used. */
function hooksOf(definition: CommandDefinition): readonly TurnHooks[] {
  const { hooks, kind, name, path, source, folder, plugin, pluginData } = definition
  if (hooks === undefined) return []
  const isProject = source === "project"
  // What a project's file may send away is approved variable by variable, which only settings can ask for.
  const kept = isProject ? withoutVariables(hooks) : hooks
  const variables = {
    ...(folder !== undefined && { CLAUDE_SKILL_DIR: folder, CODEWRIGHT_SKILL_DIR: folder }),
    ...(plugin !== undefined && { CLAUDE_PLUGIN_ROOT: plugin, CODEWRIGHT_PLUGIN_ROOT: plugin }),
    ...(pluginData !== undefined && { CLAUDE_PLUGIN_DATA: pluginData, CODEWRIGHT_PLUGIN_DATA: pluginData }),
  }
  return [{ source: `${kind} ${name}`, file: path ?? name, isProject, hooks: kept, variables }]
}

function withoutVariables(hooks: JsonObject): JsonObject {
  const plain = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(plain)
    if (!isObject(value)) return value
    const { allowedEnvVars: _variables, ...rest } = value
    return Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, plain(one)]))
  }
  return Object.fromEntries(Object.entries(hooks).map(([event, groups]) => [event, plain(groups)]))
}

/**
 * What a definition sets; only denials if it is not believed. Its hooks run if they are as they were when the session
 * began; where they do not, they guard nothing, so it allows nothing either.
 */
export function broughtBy(definition: CommandDefinition, isBelieved: boolean, isSettled: boolean): Brought {
  const { allowedTools, disallowedTools, model, effort } = definition
  const hooks = isBelieved && isSettled ? hooksOf(definition) : []
  const allows = isBelieved && (definition.hooks === undefined || isSettled)
  return {
    ...optional("allowedTools", !allows || allowedTools.length === 0 ? undefined : allowedTools),
    ...(hooks.length > 0 && { hooks }),
    ...optional("disallowedTools", disallowedTools.length === 0 ? undefined : disallowedTools),
    ...optional("model", isBelieved ? model : undefined),
    ...optional("effort", isBelieved ? effort : undefined),
  }
}
