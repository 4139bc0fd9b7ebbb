/** The answer to `initialize`: what the session offers. */

import type { ModelFacts } from "#agent/words/model.ts"
import { optional } from "#lib/optional.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import type { Answers } from "#session/port/query.ts"
import type { Session } from "#session/port/session.ts"

export interface IntroductionParts {
  readonly session: Pick<Session, "ask">
  readonly models: () => Promise<readonly ModelRow[]>
  readonly factsOf: (model: string) => Pick<ModelFacts, "thinks">
  readonly apiKeySource: string
  readonly version: string
  readonly pid: number
}

export interface Introduction {
  readonly commands: readonly object[]
  readonly [field: string]: unknown
}

/** Whether what the request carried is in force; absent where it carried none. */
export interface Applied {
  readonly hooks?: boolean
  readonly plugins?: boolean
}

export async function introduction(parts: IntroductionParts, applied: Applied): Promise<Introduction> {
  const { ask } = parts.session
  // Servers bring commands along, and many clients look at the list only here.
  await ask({ type: "connected" })
  const [commands, agents, styles, models, state] = await Promise.all([
    ask({ type: "commands" }),
    ask({ type: "agent_types" }),
    ask({ type: "styles" }),
    parts.models(),
    ask({ type: "state" }),
  ])
  return {
    commands: commandRows(commands),
    agents: agentRows(agents),
    output_style: styles.chosen,
    available_output_styles: styles.names,
    models: modelRows(models, state.model, parts.factsOf),
    account: { tokenSource: "none", apiKeySource: parts.apiKeySource, apiProvider: "firstParty" },
    ...optional("hooks_applied", applied.hooks),
    ...optional("plugins_applied", applied.plugins),
    hook_on_failure_supported: true,
    claude_code_version: parts.version,
    pid: parts.pid,
  }
}

export const commandRows = (rows: Answers["commands"]): readonly object[] =>
  rows.map(({ name, about, takes, aliases, builtin }) => ({
    name,
    description: about,
    argumentHint: takes,
    ...optional("aliases", aliases),
    ...optional("builtin", builtin),
  }))

export const agentRows = (types: Answers["agent_types"]): readonly object[] =>
  types.map(({ agentType, whenToUse, model }) => ({
    name: agentType,
    description: whenToUse,
    ...(model !== undefined && model !== "inherit" && { model }),
  }))

/** The first is what a client gets that names none. */
export const modelRows = (
  rows: readonly ModelRow[],
  current: string,
  factsOf: (model: string) => Pick<ModelFacts, "thinks">,
): readonly object[] => [
  {
    value: "default",
    displayName: "Default",
    description: `The configured model, ${current}`,
    resolvedModel: current,
    ...effortOf(factsOf(current)),
  },
  ...rows.map(({ id, aliases, window }) => {
    const names = aliases.filter((alias) => alias !== "default")
    // Some rows are not models but ways to use several, which their alias explains.
    const explained = names.find((alias) => alias.includes(" "))
    return {
      value: explained === undefined ? (names[0] ?? id) : id,
      displayName: id,
      description: explained ?? `${Math.round(window / 1000)}k tokens of context`,
      ...(explained === undefined && { resolvedModel: id, ...effortOf(factsOf(id)) }),
    }
  }),
]

const effortOf = ({ thinks }: Pick<ModelFacts, "thinks">): object =>
  thinks && thinks.efforts.length > 0
    ? {
        supportsEffort: true,
        supportedEffortLevels: thinks.efforts,
        supportsAdaptiveThinking: true,
        supportsAutoMode: true,
      }
    : { supportsAutoMode: true }
