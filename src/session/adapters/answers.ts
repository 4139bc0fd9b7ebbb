/** Answers queries to a session: the past, requests, running work, and rewind points. One line per query. */

import type { Grant } from "#agent/words/permission.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { ToolSpec } from "#agent/words/model.ts"
import type { Question } from "#agent/words/question.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import type { ContextParts } from "#kits/context/parts.ts"
import type { WallsPort } from "#kits/permissions/walls.ts"
import type { PlanKit } from "#kits/plan/kit.ts"
import type { Crew } from "#kits/subagents/crew.ts"
import type { TeamKit } from "#session/opening/team.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed } from "#lib/result.ts"
import type { Extensions } from "./commands.ts"
import { entryOf } from "#session/journal/cursor.ts"
import type { Feed } from "#session/journal/feed.ts"
import { autoDecisions } from "#session/port/auto-decisions.ts"
import type { HooksOverview } from "#session/port/describe-hooks.ts"
import type { SandboxOverview } from "#session/port/sandbox-overview.ts"
import type { SessionServers } from "./session-servers.ts"
import type { MemoryFiles } from "./memory.ts"
import type { Past } from "#session/journal/past.ts"
import type { Answers, AnswerTo, BackgroundRow, Query, QueryType } from "#session/port/query.ts"

/** How long a list of commands waits for servers that still connect: whoever wants the list waits for it. */
const listMs = 5_000

/** A query without a handler does not compile. */
export type Answering = {
  readonly [T in QueryType]: (
    query: Extract<Query, { readonly type: T }>,
    signal: AbortSignal,
  ) => Answers[T] | Promise<Answers[T]>
}

export interface EarlyAnswers extends Omit<
  Answering,
  "about" | "settled" | "last_entry" | "recent" | "command" | "background" | "apply_settings"
> {
  readonly background: (query?: { readonly which?: "all" }) => readonly BackgroundRow[]
}

export interface SeenParts {
  readonly state: () => SessionState
  readonly thinking: () => Answers["thinking"]
  readonly askBeside: (question: string, signal: AbortSignal) => Promise<Answers["btw"]>
  readonly questions: () => readonly Question[]
  readonly stage: () => Answers["stage"]
  readonly gates: () => Answers["gates"]
  readonly goal: () => Answers["goal"]
  readonly loop: () => Answers["loop"]
  readonly completed: (decided: readonly Entry[]) => Answers["completed"]
  readonly feed: Pick<Feed, "entries">
  readonly past: Past
  readonly checkpoints: Checkpoints
  readonly plan: PlanKit
  readonly todos: () => Answers["todos"]
  readonly workspace: Workspace
  readonly walls: WallsPort
  readonly context: () => ContextParts
  readonly contextDetails: () => Answers["context_details"]
  readonly rules: () => Answers["rules"]
  readonly folders: () => readonly string[]
  readonly readFile: (
    asked: Extract<Query, { readonly type: "read_file" }>,
    signal: AbortSignal,
  ) => Promise<Answers["read_file"]>
  readonly memory: Pick<MemoryFiles, "files">
  readonly extensions: Pick<Extensions, "rows" | "definitions" | "skillNames" | "styles" | "complete"> | undefined
  readonly hooks: () => Promise<HooksOverview>
  /** Waits for the hooks of the start; absent where there are no hooks. */
  readonly started: ((signal: AbortSignal) => Promise<string | undefined>) | undefined
  readonly sandbox: () => Promise<SandboxOverview>
  readonly crew: Crew | undefined
  readonly team: Pick<TeamKit, "overview"> | undefined
  readonly agentTypes: () => readonly AgentDefinition[]
  readonly toolSpecs: () => readonly ToolSpec[]
  readonly agentEntries: (agentId: string) => readonly Entry[] | undefined
  readonly tools: () => readonly string[]
  readonly mcp: Pick<SessionServers, "servers" | "ready" | "readResource" | "getPrompt" | "set" | "settle"> | undefined
  readonly languageServers: (() => Promise<Answers["language_servers"]>) | undefined
  readonly callServer: (
    asked: Extract<Query, { readonly type: "call_server" }>,
    signal: AbortSignal,
  ) => Promise<Answers["call_server"]>
}

export function openSeen(parts: SeenParts): EarlyAnswers {
  const { past, checkpoints, plan, extensions, feed, mcp } = parts
  return {
    state: parts.state,
    thinking: parts.thinking,
    btw: ({ question }, signal) => parts.askBeside(question, signal),
    questions: parts.questions,
    stage: parts.stage,
    gates: parts.gates,
    goal: parts.goal,
    loop: parts.loop,
    completed: async () => parts.completed(await past.ofKinds("question", "answer")),
    started: async (_, signal) => (await parts.started?.(signal)) ?? null,
    async ready(_, signal) {
      await mcp?.ready(signal)
      return null
    },
    async connected(_, signal) {
      await mcp?.settle(listMs, signal)
      return null
    },
    turn: () => lastTurn(feed.entries()),
    log_parts: ({ before }) => past.parts(entryOf(before)),
    async requests({ last }) {
      const { inspect, requestRows } = await import("#session/request/inspect.ts")
      return requestRows(inspect(await past.entries()), last)
    },
    async request({ number }) {
      const { inspect } = await import("#session/request/inspect.ts")
      const requests = inspect(await past.entries())
      const found = number === undefined ? requests.at(-1) : requests[number - 1]
      return found ? { ...found } : null
    },
    points: async () => checkpoints.points(await past.history(), await past.path("prompt")),
    preview: async ({ promptId }, signal) => checkpoints.preview({ log: await past.history(), promptId, signal }),
    branches: past.branches,
    diff: async () => checkpoints.diff(await past.history()),
    changes: async ({ since }) => checkpoints.changes(await past.history(), since),
    review: async ({ scope, patches }) => checkpoints.review(await past.history(), scope, patches),
    summary: async () => checkpoints.summary(await past.lastTurn()),
    plan() {
      const named = plan.plan()
      return named ? { path: named.path, text: plan.text() } : null
    },
    todos: parts.todos,
    background: (query) => commandsIn(parts.workspace, query?.which ?? "running"),
    command_output: async ({ commandId }) => (await parts.workspace.background.tail(commandId)) ?? null,
    async sandbox_state() {
      const { now, load } = parts.walls
      // Checking whether the sandbox works starts a program, so only sessions that use it do.
      if (now().workspace !== "off") await load()
      return now().workspace
    },
    context: parts.context,
    context_details: parts.contextDetails,
    auto_decisions: async () => autoDecisions(await past.ofKinds("verdict", "decision")),
    rules: parts.rules,
    folders: parts.folders,
    read_file: parts.readFile,
    memory: parts.memory.files,
    grants: async () => grantsIn(await past.ofKinds("grant")),
    commands: () => extensions?.rows() ?? [],
    definitions: () => extensions?.definitions() ?? [],
    skills: () => extensions?.skillNames() ?? [],
    styles: () => ({
      chosen: extensions?.styles.chosen().name ?? "default",
      names: extensions?.styles.names() ?? ["default"],
      list: (extensions?.styles.list() ?? []).map(({ name, description }) => ({ name, description })),
    }),
    hooks: parts.hooks,
    sandbox: parts.sandbox,
    agent_types: parts.agentTypes,
    tool_specs: parts.toolSpecs,
    agents: () => parts.crew?.list() ?? [],
    agent: ({ agentId }) => parts.agentEntries(agentId) ?? null,
    async team() {
      const overview = await parts.team?.overview()
      const waiting = parts.questions().filter(({ agent }) => agent?.name !== undefined).length
      return overview ? { ...overview, ...(waiting > 0 && { waiting }) } : null
    },
    tools: parts.tools,
    servers: () => mcp?.servers() ?? [],
    language_servers: async () => (await parts.languageServers?.()) ?? [],
    set_servers: ({ servers }) => mcp?.set(servers) ?? noServers(servers),
    call_server: parts.callServer,
    resource: ({ server, uri }, signal) => mcp?.readResource(server, uri, signal) ?? noServer(server),
    complete_argument: async ({ command, words }, signal) =>
      (await parts.extensions?.complete(command, words, signal)) ?? [],
    server_prompt: ({ server, name, input }, signal) =>
      mcp?.getPrompt(server, { name, input }, signal) ?? noServer(server),
  }
}

export async function answer<Q extends Query>(
  answering: Partial<Answering>,
  query: Q,
  signal: AbortSignal = never,
): Promise<AnswerTo<Q>> {
  if (!Object.hasOwn(answering, query.type)) throw new Error(`A session cannot be asked for "${query.type}".`)
  const handler = answering[query.type] as unknown as (
    asked: Q,
    signal: AbortSignal,
  ) => AnswerTo<Q> | Promise<AnswerTo<Q>>
  return handler(query, signal)
}

const never: AbortSignal = new AbortController().signal

const commandsIn = (
  { background }: Pick<Workspace, "background">,
  which: "running" | "all",
): readonly BackgroundRow[] =>
  background.list().flatMap(({ id, status, command, startedAt, end }) => {
    if (status === "running" || !end) return [{ id, command, startedAt }]
    return which === "all" ? [{ id, command, startedAt, end: { status, exitCode: end.exitCode, at: end.at } }] : []
  })

const lastTurn = (entries: readonly Entry[]): readonly Entry[] =>
  entries.slice(
    Math.max(
      0,
      entries.findLastIndex(({ kind }) => kind === "turn_start"),
    ),
  )

function grantsIn(entries: readonly Entry[]): readonly Grant[] {
  let grants: readonly Grant[] = []
  for (const entry of entries) {
    if (entry.kind !== "grant" || entry.destination !== "session") continue
    const { rule, destination, behavior, gone } = entry
    const isOther = (one: Grant): boolean => one.rule !== rule || (one.behavior ?? "allow") !== (behavior ?? "allow")
    grants = gone ? grants.filter(isOther) : [...grants, { rule, destination, ...optional("behavior", behavior) }]
  }
  return grants
}

const noServers = (servers: JsonObject): Answers["set_servers"] => ({
  added: [],
  removed: [],
  errors: Object.fromEntries(Object.keys(servers).map((name) => [name, "No client drives this session."])),
})

const noServer = (name: string) => failed(`There is no MCP server ${name}.`)
