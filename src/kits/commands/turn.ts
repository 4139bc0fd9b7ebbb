/** What the command of a turn sets: rules, a model and an effort that apply until the turn ends. */

import type { CommandDefinition, CommandUse } from "#agent/words/command.ts"
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
  /** Another model was chosen since, by the user or because this one fails: that one counts. */
  readonly dropModel: () => void
  readonly end: () => void
}

export type Brought = Omit<CommandUse, "typed">

const nothing: Brought = {}

export function openTurnScope(): TurnScope {
  let brought = nothing
  return {
    allowed: () => brought.allowedTools ?? [],
    denied: () => brought.disallowedTools ?? [],
    now: () => brought,
    begin: (use) => void (brought = use),
    add({ allowedTools = [], disallowedTools = [], effort }) {
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
    dropModel() {
      const { model: _model, ...rest } = brought
      brought = rest
    },
    end: () => void (brought = nothing),
  }
}

/** What a definition sets; only denials if it is not believed. */
export function broughtBy(
  { allowedTools, disallowedTools, model, effort }: CommandDefinition,
  isBelieved: boolean,
): Brought {
  return {
    ...optional("allowedTools", !isBelieved || allowedTools.length === 0 ? undefined : allowedTools),
    ...optional("disallowedTools", disallowedTools.length === 0 ? undefined : disallowedTools),
    ...optional("model", isBelieved ? model : undefined),
    ...optional("effort", isBelieved ? effort : undefined),
  }
}
