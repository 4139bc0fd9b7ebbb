/** The answer to `initialize`: what the session offers. */

import type { ModelRow } from "#session/opening/choices.ts"
import type { Answers } from "#session/port/query.ts"
import type { Session } from "#session/port/session.ts"

export interface IntroductionParts {
  readonly session: Pick<Session, "ask">
  readonly models: () => Promise<readonly ModelRow[]>
  readonly apiKeySource: string
  readonly version: string
  readonly pid: number
}

export interface Introduction {
  readonly commands: readonly object[]
  readonly [field: string]: unknown
}

export async function introduction(parts: IntroductionParts): Promise<Introduction> {
  const { ask } = parts.session
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
    models: modelRows(models, state.model),
    account: { tokenSource: "none", apiKeySource: parts.apiKeySource, apiProvider: "firstParty" },
    hooks_applied: true,
    claude_code_version: parts.version,
    pid: parts.pid,
  }
}

export const commandRows = (rows: Answers["commands"]): readonly object[] =>
  rows.map(({ name, about, takes }) => ({ name, description: about, argumentHint: takes }))

export const agentRows = (types: Answers["agent_types"]): readonly object[] =>
  types.map(({ agentType, whenToUse, model }) => ({
    name: agentType,
    description: whenToUse,
    ...(model !== undefined && model !== "inherit" && { model }),
  }))

/** The first is what a client gets that names none. */
export const modelRows = (rows: readonly ModelRow[], current: string): readonly object[] => [
  { value: "default", displayName: "Default", description: `The configured model, ${current}`, resolvedModel: current },
  ...rows.map(({ id, aliases, window }) => ({
    value: aliases[0] ?? id,
    displayName: id,
    description: `${Math.round(window / 1000)}k tokens of context`,
    resolvedModel: id,
  })),
]
