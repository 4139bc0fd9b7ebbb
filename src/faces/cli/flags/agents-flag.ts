/** The agents of a run: those of files and of `--agents`, and the one that `--agent` has the session play. */

import { join, resolve } from "node:path"
import {
  type AgentFilesFound,
  agentFilesStamp,
  type AgentPlaces,
  findAgentFiles,
  pluginAgentFiles,
} from "#ground/extensions/agent-files.ts"
import { findRepository } from "#ground/workspace/git/git.ts"
import { readBounded } from "#ground/settings/bounded-file.ts"
import type { SourceName } from "#ground/settings/sources.ts"
import { decodeJson } from "#kits/subagents/decode.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import type { AgentDefinition, AgentSource } from "#kits/subagents/definition.ts"
import { findAgents, type LeftOut, notTrusted } from "#kits/subagents/find.ts"
import type { AgentsRead } from "#kits/subagents/roster.ts"
import { trustedAgent } from "#kits/subagents/line.ts"
import { optional } from "#lib/optional.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { type AgentServers, agentServers } from "#faces/cli/extensions/agent-servers.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "#faces/cli/failure.ts"
import type { FlagName } from "./flags.ts"
import { noPlugins, type Plugins } from "#faces/cli/extensions/plugins.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface AgentsSetting {
  readonly options: Pick<SessionOptions, "agents" | "agentsNow">
  readonly playing: AgentDefinition | undefined
  readonly servers: AgentServers["of"]
  readonly warnings: readonly string[]
}

/** `configured`: the MCP servers of the session. */
export async function agentsSetting(
  args: Arguments<FlagName>,
  setting: StartupContext,
  configured: readonly Pick<McpServer, "name">[],
  plugins: Plugins = noPlugins,
): Promise<Result<AgentsSetting, StartFailure>> {
  const { cwd, home, state, trusted, environment, loaded, loading } = setting
  const fromArgs = agentsText(args)
  if (!fromArgs.ok) return usage(`--agents cannot be used: ${fromArgs.failure}`)
  const json = fromArgs.value
  const written = json === undefined ? undefined : decodeJson(json)
  if (written && !written.ok) return usage(`--agents cannot be used: ${written.failure}.`)
  // What was written for this very run is fixed now, not left out.
  if (written?.value.problems.length) return usage(written.value.problems.join("\n"))
  const places: AgentPlaces = {
    cwd,
    root: findRepository(cwd)?.root ?? cwd,
    state,
    claudeFolder: environment.claudeFolder ?? join(home, ".claude"),
    trusted,
    ...optional("chosen", loading.extensions),
  }
  const stamp = agentFilesStamp(places, plugins.all)
  const found = filesIn(places, plugins)
  const { admit, notes } = await openAdmission(setting, [...found.files.map(({ text }) => text), json ?? ""])
  const fromFlag = (written?.value.definitions ?? []).map((definition) => ({ definition, admitted: admit(definition) }))
  for (const { definition, admitted } of fromFlag)
    if (!admitted.ok) return usage(`--agents ${definition.agentType}: ${admitted.failure.why}`)
  const flagged = fromFlag.flatMap(({ admitted }) => (admitted.ok ? [admitted.value] : []))
  const started = new Map<string, readonly unknown[]>()
  const { definitions, problems } = findAgents(found.files, flagged, (definition) => {
    started.set(definition.agentType, broughtBy(definition))
    return admit(definition)
  })
  const servers = await agentServers(definitions, configured, args, setting)
  const flag = args.value("agent")
  const name = flag ?? loaded.settings.agent ?? plugins.agent
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
  const agentsNow = openAgentsNow({ definitions, problems: [...found.problems, ...problems] }, stamp, {
    places,
    plugins,
    flagged,
    admit,
    bringsMore: (definition) =>
      broughtBy(definition).length > 0 &&
      !Bun.deepEquals(broughtBy(definition), started.get(definition.agentType), true),
  })
  return ok({ options: { agents: definitions, agentsNow }, playing, servers: servers.of, warnings })
}

/** The value of `--agents`, or what is in the file that it names. The failure is a sentence. */
export function agentsText(args: Arguments<FlagName>): Result<string | undefined, string> {
  const value = args.value("agents")
  if (value === undefined || /^\s*[{["]/.test(value)) return ok(value)
  const file = readBounded(resolve(value))
  if (!file.ok) return failed(`${value}: ${file.failure}`)
  return file.value === undefined ? failed(`${value} is neither JSON nor a file.`) : ok(file.value)
}

const broughtBy = ({ hooks, ownServers }: AgentDefinition): readonly unknown[] =>
  hooks === undefined && ownServers === undefined ? [] : [hooks, ownServers]

function filesIn(places: AgentPlaces, plugins: Plugins): AgentFilesFound {
  const brought = pluginAgentFiles(plugins.all)
  const own = findAgentFiles(places)
  return { files: [...brought.files, ...own.files], problems: [...brought.problems, ...own.problems] }
}

interface AgentsAgain {
  readonly places: AgentPlaces
  readonly plugins: Plugins
  readonly flagged: readonly AgentDefinition[]
  readonly admit: AgentAdmission["admit"]
  /** Whether it has hooks or servers of its own that the session did not start with. */
  readonly bringsMore: (definition: AgentDefinition) => boolean
}

/** Agents as their files are now. What was said at the start is not said again. */
function openAgentsNow(first: AgentsRead, stamp: string, again: AgentsAgain): () => AgentsRead {
  const { places, plugins, flagged, bringsMore } = again
  let seen = stamp
  let now: AgentsRead = { ...first, problems: [] }
  const admit: AgentsAgain["admit"] = (definition) => (bringsMore(definition) ? tooLate : again.admit(definition))
  return () => {
    const current = agentFilesStamp(places, plugins.all)
    if (current === seen) return now
    seen = current
    const found = filesIn(places, plugins)
    const { definitions, problems } = findAgents(found.files, flagged, admit)
    const known = new Set(first.problems)
    now = { definitions, problems: [...found.problems, ...problems].filter((problem) => !known.has(problem)) }
    return now
  }
}

const tooLate: Result<never, LeftOut> = failed({
  why: "its hooks and servers are used from the next session on",
  isRejected: true,
})

interface AgentAdmission {
  readonly admit: (definition: AgentDefinition) => Result<AgentDefinition, LeftOut>
  /** What was admitted, but has no effect. */
  readonly notes: readonly string[]
}

/** What counts of an agent: a project's only what is trusted, and hooks only where they are on. */
async function openAdmission(
  { cwd, trusts, loaded }: StartupContext,
  texts: readonly string[],
): Promise<AgentAdmission> {
  // Most agents have no hooks, and then nothing is loaded for them.
  const hooks = texts.some((text) => /hooks/i.test(text))
    ? await import("#faces/cli/extensions/agent-hooks.ts")
    : undefined
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
