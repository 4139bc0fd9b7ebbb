/** The agents of a run: those of files and of `--agents`, and the one that `--agent` has the session play. */

import { join } from "node:path"
import { findAgentFiles, pluginAgentFiles } from "#ground/extensions/agent-files.ts"
import { findRepository } from "#ground/workspace/git.ts"
import type { SourceName } from "#ground/settings/sources.ts"
import { decodeJson } from "#kits/subagents/decode.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import type { AgentDefinition, AgentSource } from "#kits/subagents/definition.ts"
import { findAgents, type LeftOut, notTrusted } from "#kits/subagents/find.ts"
import { trustedAgent } from "#kits/subagents/line.ts"
import { given } from "#lib/given.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type AgentServers, agentServers } from "./agent-servers.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "./failure.ts"
import type { FlagName } from "./flags.ts"
import { noPlugins, type Plugins } from "./plugins.ts"
import type { Setting } from "./setting.ts"

export interface AgentsSetting {
  readonly agents: readonly AgentDefinition[]
  readonly playing: AgentDefinition | undefined
  readonly servers: AgentServers["of"]
  readonly warnings: readonly string[]
}

/** `configured`: the MCP servers of the session. */
export async function agentsSetting(
  args: Arguments<FlagName>,
  setting: Setting,
  configured: readonly Pick<McpServer, "name">[],
  plugins: Plugins = noPlugins,
): Promise<Result<AgentsSetting, StartFailure>> {
  const { cwd, home, state, trusted, environment, loaded, loading } = setting
  const json = args.value("agents")
  const written = json === undefined ? undefined : decodeJson(json)
  if (written && !written.ok) return usage(`--agents cannot be used: ${written.failure}.`)
  // What was written for this very run is fixed now, not left out.
  if (written?.value.problems.length) return usage(written.value.problems.join("\n"))
  const brought = pluginAgentFiles(plugins.all)
  const own = findAgentFiles({
    cwd,
    root: findRepository(cwd)?.root ?? cwd,
    state,
    claudeFolder: environment.claudeFolder ?? join(home, ".claude"),
    trusted,
    ...given("chosen", loading.extensions),
  })
  const found = { files: [...brought.files, ...own.files], problems: [...brought.problems, ...own.problems] }
  const { admit, notes } = await openAdmission(setting, [...found.files.map(({ text }) => text), json ?? ""])
  const fromFlag = (written?.value.definitions ?? []).map((definition) => ({ definition, admitted: admit(definition) }))
  for (const { definition, admitted } of fromFlag)
    if (!admitted.ok) return usage(`--agents ${definition.agentType}: ${admitted.failure.why}`)
  const { definitions, problems } = findAgents(
    found.files,
    fromFlag.flatMap(({ admitted }) => (admitted.ok ? [admitted.value] : [])),
    admit,
  )
  const servers = await agentServers(definitions, configured, args, setting)
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
  const warnings = [...found.problems, ...problems, ...notes, ...servers.warnings, ...missing, ...unkept]
  return ok({ agents: definitions, playing, servers: servers.of, warnings })
}

interface AgentAdmission {
  readonly admit: (definition: AgentDefinition) => Result<AgentDefinition, LeftOut>
  /** What was admitted, but has no effect. */
  readonly notes: readonly string[]
}

/** What counts of an agent: a project's only what is trusted, and hooks only where they are on. */
async function openAdmission({ cwd, trusts, loaded }: Setting, texts: readonly string[]): Promise<AgentAdmission> {
  // Most agents have no hooks, and then nothing is loaded for them.
  const hooks = texts.some((text) => /hooks/i.test(text)) ? await import("./agent-hooks.ts") : undefined
  const notes: string[] = []
  return {
    notes,
    admit(written) {
      const { hooks: _hooks, ...unhooked } = written
      const definition = loaded.hooksOff(settingsLike[written.source]) ? unhooked : written
      const checked = hooks?.checkHooks(definition) ?? ok([])
      if (!checked.ok) return failed({ why: checked.failure, isRejected: true })
      const place = { root: cwd, isSecret: loaded.isSecret }
      const counts = definition.source === "project" ? trustedAgent(definition, place, trusts) : definition
      if (counts) notes.push(...checked.value)
      return counts ? ok(counts) : notTrusted
    },
  }
}

/** The settings that have the same say over hooks. */
const settingsLike: { readonly [source in AgentSource]: SourceName } = {
  "built-in": "default",
  plugin: "user settings",
  user: "user settings",
  project: "project settings",
  "command line": "command line",
}

const unkeptWords = (name: string): string =>
  `${name}: memory has no effect in a session that plays this agent; it is used when the agent is started by another.`

const missingWords = (name: string): string =>
  `The setting agent names ${name}, which does not exist. This session uses the main agent.`
