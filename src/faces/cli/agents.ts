/** The agents of a run: those of files and of `--agents`, and the one that `--agent` has the session play. */

import { join } from "node:path"
import { findAgentFiles } from "#ground/extensions/agent-files.ts"
import { findRepository } from "#ground/workspace/git.ts"
import { decodeJson } from "#kits/subagents/decode.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { findAgents } from "#kits/subagents/find.ts"
import { agentLine } from "#kits/subagents/line.ts"
import { given } from "#lib/given.ts"
import { nearNames } from "#lib/near.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "./failure.ts"
import type { FlagName } from "./flags.ts"
import type { Setting } from "./setting.ts"

export interface AgentsSetting {
  readonly agents: readonly AgentDefinition[]
  readonly playing: AgentDefinition | undefined
  readonly warnings: readonly string[]
}

export function agentsSetting(
  args: Arguments<FlagName>,
  { cwd, home, state, trusted, trusts, environment, loaded, loading }: Setting,
): Result<AgentsSetting, StartFailure> {
  const json = args.value("agents")
  const written = json === undefined ? undefined : decodeJson(json)
  if (written && !written.ok) return usage(`--agents cannot be used: ${written.failure}.`)
  // What was written for this very run is fixed now, not left out.
  if (written?.value.problems.length) return usage(written.value.problems.join("\n"))
  const found = findAgentFiles({
    cwd,
    root: findRepository(cwd)?.root ?? cwd,
    state,
    claudeFolder: environment.claudeFolder ?? join(home, ".claude"),
    trusted,
    ...given("chosen", loading.extensions),
  })
  const { definitions, problems } = findAgents(found.files, written?.value.definitions, (definition) => {
    const line = definition.source === "project" ? agentLine(definition, cwd) : undefined
    return line === undefined || trusts(line)
  })
  const flag = args.value("agent")
  const name = flag ?? loaded.settings.agent
  const playing = definitions.find(({ agentType }) => agentType === name)
  const missing = flag === undefined && name !== undefined && !playing ? [missingWords(name)] : []
  if (flag !== undefined && !playing) {
    const names = definitions.map(({ agentType }) => agentType)
    const near = nearNames(flag, names, 1)[0]
    return usage(
      `No agent named ${flag}. ${near === undefined ? "" : `Did you mean ${near}? `}Agents: ${names.join(", ")}.`,
    )
  }
  const unkept = playing?.memory === undefined ? [] : [unkeptWords(playing.agentType)]
  return ok({ agents: definitions, playing, warnings: [...found.problems, ...problems, ...missing, ...unkept] })
}

const unkeptWords = (name: string): string =>
  `${name}: memory has no effect in a session that plays this agent; it is used when the agent is started by another.`

const missingWords = (name: string): string =>
  `The setting agent names ${name}, which does not exist. This session uses the main agent.`
