/** What the hooks kit needs from a session. Loaded only where there are hooks. */

import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import { byKind, onEntryOfAll } from "#agent/words/follower.ts"
import type { Attachment } from "#agent/words/kit.ts"
import { textOf } from "#agent/words/message.ts"
import { beginEnvFile, endEnvFile, hookEnvFile } from "#ground/hooks/env-file.ts"
import { hookProgram } from "#ground/hooks/program.ts"
import type { SessionTrace } from "#ground/telemetry/follow.ts"
import { changesIn } from "#kits/context/changed-files.ts"
import { contextName, memoryFilesOf } from "#kits/context/memory-told.ts"
import { withClientHooks } from "#kits/hooks/client-hooks.ts"
import { type ConfiguredHook, type HookConfiguration, type HookSource, readHooks } from "#kits/hooks/config.ts"
import type { Instructions } from "#kits/hooks/entry-moments.ts"
import { type BackgroundTask, type Hooks, openHooks } from "#kits/hooks/kit.ts"
import { factsOf, type HookEvent } from "#kits/hooks/moments.ts"
import type { RunPorts } from "#kits/hooks/run.ts"
import { openHookWatch } from "#kits/hooks/watch.ts"
import type { TurnScope } from "#kits/commands/turn.ts"
import type { McpRoom } from "#kits/mcp/ports.ts"
import { hiddenTools } from "#kits/permissions/hidden-tools.ts"
import type { PermissionRule } from "#kits/permissions/rules/rule.ts"
import type { SpawnPorts } from "#kits/subagents/child.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import { turnHookSources } from "#session/opening/hook-sources.ts"
import type { Ground } from "./ground.ts"
import { openHookAgents } from "./hook-agent.ts"
import { openHookFeed } from "./hook-feed.ts"
import { hookEnvironment, openHookPost, openRuleJudge, ruleProblem } from "./hook-ground.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { AskSmall } from "#session/request/small-model.ts"
import type { SessionState } from "#agent/words/state.ts"

export interface SessionHooks extends Hooks {
  /** Those of now: a command or a skill brings some for its turn. */
  readonly configuration: () => HookConfiguration
  readonly close: () => Promise<void>
}

export interface HooksParts extends Pick<
  SessionOptions,
  "hooks" | "client" | "setup" | "place" | "memory" | "sandbox" | "manner" | "clock" | "ids"
> {
  readonly lineage: Pick<Lineage, "sessionId" | "agent" | "transcript">
  readonly ground: Ground
  readonly rules: readonly PermissionRule[]
  readonly askSmall: AskSmall
  readonly state: () => SessionState
  readonly record: (body: EntryBody) => Entry
  readonly publish: (moment: Moment) => void
  readonly transcript: string | undefined
  readonly isAwake: () => boolean
  /** What hooks said before this process, where they are opened too late to be told. */
  readonly past: readonly (Entry & { readonly kind: "hook" })[]
  readonly scope: Pick<TurnScope, "now">
  readonly servers: Pick<McpRoom, "toolOf" | "settle"> | undefined
  readonly trace?: Pick<SessionTrace, "traceparent">
  /** Delivers the first prompt of a session that a hook gives. */
  readonly say: (text: string) => void
  readonly spawn: SpawnPorts["spawn"]
  /** Agents that run in the background now. */
  readonly agents: () => readonly BackgroundTask[]
}

export function openSessionHooks(parts: HooksParts): SessionHooks {
  const { ground, state, place, clock, lineage } = parts
  const { sessionId, agent } = lineage
  const { workspace } = ground
  const configuration = withClientHooks(readHooks(parts.hooks ?? [], { ruleProblem }), parts.client?.hooks ?? {})
  const ofTurn = openTurnHooks(parts.scope, agent !== undefined, configuration.hooks.length)
  const envFile = hookEnvFile(place.stateFolder, sessionId)
  const hasEnvFile = agent === undefined && needsEnvFile(configuration.hooks) && beginEnvFile(envFile)
  let promptId: string | undefined

  const hooks = openHooks({
    hooks: () => [...configuration.hooks, ...ofTurn()],
    record: (body) => void parts.record(body),
    watch: openHookWatch(parts),
    showStatus: (texts) => parts.publish({ type: "hook_status", texts }),
    clock,
    // A command may have removed its own working folder.
    cwd: () => (ground.isFolder(workspace.cwd()) ? workspace.cwd() : place.cwd),
    env: ({ event, plugin, variables }, callId) => ({
      ...place.childEnv(),
      ...(parts.trace && { TRACEPARENT: parts.trace.traceparent(callId) }),
      ...hookEnvironment({
        root: place.cwd,
        sessionId,
        entrypoint: place.entrypoint,
        pid: place.pid,
        plugin,
        envFile: hasEnvFile && extendsEnv.includes(event) ? envFile : undefined,
      }),
      ...withFolder(variables),
    }),
    program: hookProgram,
    feed: openHookFeed({
      feed: workspace.processes.feed,
      enclose: parts.sandbox?.values.hooks ? ground.walls.encloseProgram : undefined,
      ids: parts.ids,
      needed: {
        reads: parts.transcript === undefined ? [] : [parts.transcript],
        writes: hasEnvFile ? [envFile] : [],
      },
    }),
    post: openHookPost({ clock, rules: parts.rules, network: place.network }),
    ask: parts.askSmall,
    callTool: openHookCalls(parts),
    say: parts.say,
    past: parts.past,
    ...optional("callback", parts.client?.port.hook),
    runAgent: openHookAgents({ spawn: parts.spawn, ids: parts.ids }),
    isAbout: openRuleJudge({ workspace: ground.judged, cwd: workspace.cwd, places: workspace.places }),
    common: (event) => ({
      session_id: sessionId,
      transcript_path: lineage.transcript(parts.transcript) ?? "",
      ...(agent && { agent_transcript_path: parts.transcript ?? "" }),
      cwd: workspace.cwd(),
      ...optional("prompt_id", promptId),
      ...(factsOf(event).mode && { permission_mode: state().mode }),
      ...(agent && { agent_id: agent.id, agent_type: agent.type }),
    }),
    ...optional("agent", agent),
    model: () => state().model,
    place: { cwd: place.cwd, instructionsIn: (attachment) => instructionsIn(parts, attachment), changesIn },
    isAwake: parts.isAwake,
    waits: parts.manner.asks === "person",
    setup: parts.setup,
    promptSource: parts.manner.asks === "person" ? "user" : "sdk",
    background: () => [
      ...workspace.background
        .list()
        .flatMap(({ id, command, status }) => (status === "running" ? [{ id, command }] : [])),
      ...parts.agents(),
    ],
  })
  return {
    ...hooks,
    configuration: () => ({ ...configuration, hooks: [...configuration.hooks, ...ofTurn()] }),
    kit: {
      ...hooks.kit,
      onEntry: onEntryOfAll(
        byKind({ prompt: (entry) => void ({ promptId } = entry) }),
        ...(hooks.kit.onEntry ? [hooks.kit.onEntry] : []),
      ),
    },
    async close() {
      await hooks.end(parts.manner.ends)
      if (hasEnvFile) endEnvFile(envFile)
    },
  }
}

/** The hooks of the turn's command and skills. One that runs once does so once in a session. */
function openTurnHooks(
  scope: Pick<TurnScope, "now">,
  isAgent: boolean,
  before: number,
): () => readonly ConfiguredHook[] {
  const known = new Map<string, readonly ConfiguredHook[]>()
  let order = before
  let last: { readonly of: ReturnType<TurnScope["now"]>["hooks"]; readonly all: readonly ConfiguredHook[] } | undefined
  const read = (source: HookSource): readonly ConfiguredHook[] => {
    const key = JSON.stringify(source)
    const hooks = known.get(key) ?? readHooks([source], { ruleProblem }, order).hooks
    if (!known.has(key)) order += hooks.length
    known.set(key, hooks)
    return hooks
  }
  return () => {
    const { hooks } = scope.now()
    if (hooks === undefined) return none
    if (last?.of !== hooks) last = { of: hooks, all: turnHookSources(hooks, isAgent).flatMap(read) }
    return last.all
  }
}

const none: readonly ConfiguredHook[] = []

/** The user configured the server and the hook, or trusts who did; a rule that denies the whole tool still counts. */
const openHookCalls =
  ({ servers, rules, ids }: Pick<HooksParts, "servers" | "rules" | "ids">): NonNullable<RunPorts["callTool"]> =>
  async ({ server, tool: name, input }, signal) => {
    await servers?.settle(serverPatienceMs, signal)
    const tool = servers?.toolOf(server, name)
    if (!tool) return failed(`there is no tool ${name} of an MCP server ${server} now`)
    if (hiddenTools(rules, [tool]).length > 0) return failed(`a rule denies ${tool.name}`)
    const parsed = tool.parse(input)
    if (!parsed.ok) return failed(parsed.message)
    const { content, isError } = await tool.run(parsed.value, {
      callId: `hook-${ids.uuid()}`,
      signal,
      progress: () => {},
    })
    return isError ? failed(`the tool failed: ${textOf(content)}`) : ok(textOf(content))
  }

const serverPatienceMs = 30_000

/** The folder where a plugin may keep something is made for the first that may want it. */
function withFolder(variables: HookSource["variables"]): HookSource["variables"] {
  const data = variables?.CLAUDE_PLUGIN_DATA
  if (data !== undefined) mkdirSync(data, { recursive: true, mode: 0o700 })
  return variables
}

/** At these events a hook may set variables for later commands. */
const extendsEnv: readonly HookEvent[] = ["Setup", "SessionStart", "CwdChanged"]

const needsEnvFile = (hooks: readonly ConfiguredHook[]): boolean =>
  hooks.some(({ event, work }) => extendsEnv.includes(event) && work.type === "command")

function instructionsIn(
  { place, memory }: Pick<SessionOptions, "place" | "memory">,
  attachment: Attachment,
): readonly Instructions[] {
  const reason = attachment.name === contextName ? "session_start" : "nested_traversal"
  const isUnder = (path: string, folder: string | undefined): boolean =>
    folder !== undefined && path.startsWith(`${folder}/`)
  return memoryFilesOf(attachment).map((path) => {
    const isUser = [place.stateFolder, memory?.claudeFolder ?? join(place.home, ".claude")].some((folder) =>
      isUnder(path, folder),
    )
    const type = isUnder(path, memory?.managedFolder)
      ? "Managed"
      : isUser
        ? "User"
        : path.endsWith(".local.md")
          ? "Local"
          : "Project"
    return { path, type, reason }
  })
}
