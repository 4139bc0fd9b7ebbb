/** What the hooks kit needs from a session. Loaded only where there are hooks. */

import { join } from "node:path"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import { byKind, onEntryOfAll } from "#agent/words/follower.ts"
import type { Attachment } from "#agent/words/kit.ts"
import { beginEnvFile, endEnvFile, hookEnvFile } from "#ground/hooks/env-file.ts"
import { hookProgram } from "#ground/hooks/program.ts"
import { changesIn } from "#kits/context/changed-files.ts"
import { contextName, memoryFilesOf } from "#kits/context/memory-told.ts"
import { withClientHooks } from "#kits/hooks/client-hooks.ts"
import { type ConfiguredHook, type HookConfiguration, readHooks } from "#kits/hooks/config.ts"
import type { Instructions } from "#kits/hooks/entry-moments.ts"
import { type BackgroundTask, type Hooks, openHooks } from "#kits/hooks/kit.ts"
import { factsOf, type HookEvent } from "#kits/hooks/moments.ts"
import { openHookWatch } from "#kits/hooks/watch.ts"
import type { PermissionRule } from "#kits/permissions/rules/rule.ts"
import type { SpawnPorts } from "#kits/subagents/child.ts"
import { optional } from "#lib/optional.ts"
import type { Ground } from "./ground.ts"
import { openHookAgents } from "./hook-agent.ts"
import { openHookFeed } from "./hook-feed.ts"
import { hookEnvironment, openHookPost, openRuleJudge, ruleProblem } from "./hook-ground.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { AskSmall } from "#session/request/small-model.ts"
import type { SessionState } from "#agent/words/state.ts"

export interface SessionHooks extends Hooks {
  readonly configuration: HookConfiguration
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
  readonly spawn: SpawnPorts["spawn"]
  /** Agents that run in the background now. */
  readonly agents: () => readonly BackgroundTask[]
}

export function openSessionHooks(parts: HooksParts): SessionHooks {
  const { ground, state, place, clock, lineage } = parts
  const { sessionId, agent } = lineage
  const { workspace } = ground
  const configuration = withClientHooks(readHooks(parts.hooks ?? [], { ruleProblem }), parts.client?.hooks ?? {})
  const envFile = hookEnvFile(place.stateFolder, sessionId)
  const hasEnvFile = agent === undefined && needsEnvFile(configuration.hooks) && beginEnvFile(envFile)
  let promptId: string | undefined

  const hooks = openHooks({
    configuration,
    record: (body) => void parts.record(body),
    watch: openHookWatch(parts),
    showStatus: (texts) => parts.publish({ type: "hook_status", texts }),
    clock,
    // A command may have removed its own working folder.
    cwd: () => (ground.isFolder(workspace.cwd()) ? workspace.cwd() : place.cwd),
    env: ({ event, plugin }) => ({
      ...place.childEnv(),
      ...hookEnvironment({
        root: place.cwd,
        sessionId,
        entrypoint: place.entrypoint,
        pid: place.pid,
        plugin,
        envFile: hasEnvFile && extendsEnv.includes(event) ? envFile : undefined,
      }),
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
    configuration,
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
