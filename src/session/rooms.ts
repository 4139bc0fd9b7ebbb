/** The rooms of a session: servers, hooks, extensions, its own kits and late tools, each made once, in this order. */

import type { Kit } from "#agent/words/kit.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { isShortTool } from "#kits/context/small.ts"
import { hiddenTools } from "#kits/permissions/hidden-tools.ts"
import { parseRules, type PermissionRule } from "#kits/permissions/rules/rule.ts"
import type { SpawnPorts } from "#kits/subagents/child.ts"
import type { StructuredKit } from "#kits/structured/kit.ts"
import { optional } from "#lib/optional.ts"
import { type Later, later } from "#lib/later.ts"
import type { Calls } from "#session/turn/calls.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import { guidesFor, type ParentPorts } from "#session/opening/child.ts"
import { type Extensions, openExtensions } from "#session/adapters/commands.ts"
import { type Gathered, gatherKits } from "./gather.ts"
import { openLateHooks } from "#session/adapters/late-hooks.ts"
import type { HooksParts, SessionHooks } from "#session/adapters/hooks.ts"
import { hookSources } from "#session/opening/hook-sources.ts"
import type { ElicitationAsk } from "#agent/words/elicitation.ts"
import type { Answer } from "#agent/words/question.ts"
import type { BackgroundTask } from "#kits/hooks/kit.ts"
import type { ElicitationMoments } from "#kits/hooks/elicitation-moments.ts"
import type { Questions } from "#session/journal/questions.ts"
import { joinedTools } from "#session/request/joined.ts"
import type { Late } from "#session/request/late.ts"
import { openSessionLsp, type SessionLanguageServers } from "#session/adapters/lsp.ts"
import { openMcpRoom } from "#session/adapters/mcp.ts"
import type { SessionServers } from "#session/adapters/session-servers.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { isOffered } from "#session/opening/offered.ts"
import { inOrder, type RoomKits } from "./order.ts"
import { openSpawner, type SpawnerParts } from "#session/adapters/spawn.ts"
import type { Foundation } from "./foundation.ts"

export interface Rooms {
  readonly mcp: SessionServers | undefined
  readonly lsp: SessionLanguageServers | undefined
  readonly hooks: SessionHooks | undefined
  readonly extensions: Extensions | undefined
  readonly own: Gathered
  readonly late: Late | undefined
  readonly kits: RoomKits
  /** Tools that exist as long as the session does, without those that a rule hides. */
  readonly tools: readonly AnyTool[]
  /** Whether a tool is offered to a small model, too. */
  readonly isForSmall: (tool: AnyTool) => boolean
  /** Those that join them once there is a team. */
  readonly joined: () => readonly AnyTool[]
  readonly spawner: SpawnPorts
  /** Whether the model's provider supports deferred tools. */
  readonly defers: () => boolean
}

const toolSearchName = "ToolSearch"
const lspToolName = "LSP"

export interface Ahead {
  readonly open: SpawnerParts["open"]
  readonly handedDown: Later<ParentPorts>
  /** Says something in the session, which is not open yet. */
  readonly say: Later<(text: string) => void>
}

const denying = (texts: readonly string[]): readonly PermissionRule[] =>
  parseRules(texts.map((text) => ({ behavior: "deny", text, source: "command" }))).rules

const hasCallbacks = ({ client }: SessionOptions): boolean => Object.keys(client?.hooks ?? {}).length > 0

function withoutHooks({ client, ...options }: SessionOptions): SessionOptions {
  return { ...options, hooks: [], ...optional("client", client && { ...client, hooks: {} }) }
}

/** Only the main agent answers with data. */
async function openStructured({ outputSchema, child }: SessionOptions): Promise<StructuredKit | undefined> {
  if (outputSchema === undefined || child) return undefined
  const [{ readOutputSchema }, { structuredKit }] = await Promise.all([
    import("#session/opening/output-schema.ts"),
    import("#kits/structured/kit.ts"),
  ])
  const read = readOutputSchema(outputSchema)
  return read.ok ? structuredKit(read.value) : undefined
}

export async function openRooms(
  options: SessionOptions,
  foundation: Foundation,
  calls: Calls,
  ahead: Ahead,
): Promise<Rooms> {
  const { lineage, ground, rules, states, record, questions, scope } = foundation
  const { model } = options
  const facts = () => model.factsOf(states.answering().model)
  const defers = (): boolean => facts().defersTools === true && options.deferral !== "never"
  const window = (): number => facts().window
  const laterHooks = later<SessionHooks | undefined>("The hooks of a session")
  const spawning: SpawnerParts = {
    ...foundation,
    options,
    open: ahead.open,
    parent: ahead.handedDown.get,
    state: states.current,
    messages: foundation.conversation.messages,
    sourceOf: foundation.conversation.sourceOf,
    isKept: foundation.transcript !== undefined,
    hooks: () => laterHooks.get(),
  }
  const spawner = openSpawner(spawning)
  const where = await leadPortIfAsked(options, spawning, spawner)

  const sources = hookSources(options)
  // Servers and hooks are opened first, and ask only later.
  const laterOwn = later<Gathered>("The kits of a session")
  const laterExtensions = later<Extensions | undefined>("The extensions of a session")
  const mcp = await openMcpRoom({
    ...options,
    lineage,
    ground,
    rules,
    async ask(ask, signal) {
      const moments = ask.kind === "elicitation" ? laterHooks.get()?.elicitation : undefined
      return ask.kind === "elicitation" && moments
        ? elicited(ask, { ask: questions.ask, moments }, signal)
        : questions.ask(ask, signal)
    },
    answersForms: [...sources.map((source) => source.hooks), options.client?.hooks ?? {}].some(
      (all) => all.Elicitation !== undefined,
    ),
    record,
    skillsInUse: () => laterExtensions.get()?.skillServers() ?? [],
    journal: foundation.journal,
    publish: foundation.publish,
  })
  const hooks = await hooksOf({
    options,
    foundation,
    sources,
    spawning,
    agents: () => runningAgents(laterOwn.get()),
    servers: mcp,
    say: (text) => ahead.say.get()(text),
  })
  laterHooks.settle(hooks)
  const extensions =
    options.extensions &&
    openExtensions({
      ...options,
      choice: options.extensions,
      ground,
      record,
      turn: scope,
      state: states.current,
      mode: () => lineage.effectiveMode(states.current().mode),
      prompts: lineage.prompts,
      found: lineage.commandFiles,
      preload: (options.child?.definition ?? options.playing)?.skills,
      rules: () => [...rules.now(), ...denying(lineage.denials(scope.denied)())],
      window,
      tools: calls.tools,
      call: calls.call,
      servers: mcp,
      async share(signal) {
        const { shareOfSession } = await import("#session/adapters/commit-share.ts")
        const { checkpoints } = laterOwn.get()
        return shareOfSession({ ...foundation, ...options, checkpoints }, signal)
      },
    })
  laterExtensions.settle(extensions)
  const own = gatherKits({
    ...options,
    foundation,
    spawner,
    where,
    canAsk: options.manner.asks !== "nobody",
    askHook: hooks?.request,
    hooks,
    allowed: extensions?.allowed,
  })
  laterOwn.settle(own)
  const outside = lineage.embedderKits(options.kits ?? [])
  const lsp = openSessionLsp({
    ...options,
    lineage,
    ground,
    rules,
    ask: questions.ask,
    record,
    mode: () => lineage.effectiveMode(states.current().mode),
    checkpoints: own.checkpoints,
  })
  const offering = withLspTool([...outside, ...(mcp ? [mcp.kit] : [])], lsp)
  // Whoever chooses the tools and has no servers wants no search either, although a client could bring some later.
  const searches =
    isOffered(options.tools, { name: toolSearchName }) || outside.some((kit) => kit.late) || mcp?.hasAny() === true
  // Nothing is loaded or listed if no tool can come later.
  const late = offering.some((kit) => kit.late)
    ? (await import("#session/request/late.ts")).openLate({
        kits: offering,
        rules: rules.now(),
        mayUse: (tool) => lineage.isListed(tool) && (searches || tool.name !== toolSearchName),
        defers,
        listsAll: options.deferral === "never",
        window,
      })
    : undefined
  const kits: RoomKits = {
    own,
    late: late?.kit,
    hooks: hooks?.kit,
    outside,
    structured: await openStructured(options),
    mcp: mcp?.kit,
    lsp: lsp?.kit,
    agent: [...lineage.kits, ...(options.playing && options.child === undefined ? guidesFor(options.playing) : [])],
    commands: extensions?.kits?.commands,
    skills: extensions?.kits?.skills,
  }
  const all = inOrder(kits).flatMap((kit) => kit.tools ?? [])
  const isVisible = (tool: AnyTool): boolean => hiddenTools(rules.now(), [tool]).length === 0
  const hidden = new Set(hiddenTools(rules.now(), all))
  // Chosen are only those of the program itself, not those of servers and embedders.
  const search = searches ? late?.kit : undefined
  const brought = new Set([search, kits.structured, ...offering, ...kits.agent].flatMap((kit) => kit?.tools ?? []))
  const isHere = (tool: AnyTool): boolean => brought.has(tool) || isOffered(options.tools, tool)
  const tools = all.filter((tool) => !hidden.has(tool.name) && lineage.isListed(tool) && isHere(tool))
  const counts = (tool: AnyTool): boolean => isVisible(tool) && lineage.isListed(tool) && isHere(tool)
  const joined = joinedTools([own.team?.joined, own.gates.joined, late ? undefined : lsp?.tool], counts)
  // What others brought or the user chose by name is wanted.
  const isForSmall = (tool: AnyTool): boolean => options.tools !== undefined || brought.has(tool) || isShortTool(tool)
  return { mcp, lsp, hooks, extensions, own, late, kits, tools, isForSmall, joined, spawner, defers }
}

/** Where tools can be deferred, that of the language servers is one of them. An agent has its own, not its parent's. */
function withLspTool(kits: readonly Kit[], lsp: SessionLanguageServers | undefined): readonly Kit[] {
  if (!lsp || !kits.some((kit) => kit.late)) return kits
  const others = kits.map((kit) => {
    const { late } = kit
    return late ? { ...kit, late: () => late().filter(({ name }) => name !== lspToolName) } : kit
  })
  return [...others, { name: "language server tool", late: lsp.tool }]
}

/** Loaded only where members are meant to run in other processes; where they cannot, it says why. */
async function leadPortIfAsked(
  options: SessionOptions,
  spawning: SpawnerParts,
  { entriesOf }: Pick<SpawnPorts, "entriesOf">,
): Promise<Pick<TeamPorts, "leadPort" | "whyInProcess">> {
  if (!options.members || options.child) return {}
  const { whyInProcess, openLeadPort } = await import("#session/adapters/member-adapter.ts")
  const why = whyInProcess(options, spawning.isKept)
  return why === undefined ? { leadPort: openLeadPort(spawning, options.members, entriesOf) } : { whyInProcess: why }
}

/** Nothing is loaded where there are none; undefined where none can come. */
async function hooksOf({
  options,
  foundation,
  sources,
  spawning,
  agents,
  servers,
  say,
}: {
  readonly options: SessionOptions
  readonly foundation: Foundation
  readonly sources: ReturnType<typeof hookSources>
  readonly spawning: SpawnerParts
  readonly agents: () => readonly BackgroundTask[]
  readonly servers: SessionServers | undefined
  readonly say: (text: string) => void
}): Promise<SessionHooks | undefined> {
  const open = async (past: HooksParts["past"] = []): Promise<SessionHooks> =>
    (await import("#session/adapters/hooks.ts")).openSessionHooks({
      ...options,
      ...foundation,
      hooks: sources,
      servers,
      say,
      past,
      rules: foundation.rules.now(),
      state: foundation.states.answering,
      isAwake: foundation.journal.isAwake,
      agents,
      // Agents that answer hooks have no hooks themselves; otherwise one would trigger the next.
      spawn: (ask) => openSpawner({ ...spawning, options: withoutHooks(options) }).spawn(ask),
    })
  if (sources.length > 0 || hasCallbacks(options)) return open()
  const bringsNone = options.extensions === undefined || options.extensions.commands === "off"
  return bringsNone ? undefined : openLateHooks({ scope: foundation.scope, isAgent: options.child !== undefined, open })
}

/** A hook may answer for the user, and change what the user answered. */
async function elicited(
  question: ElicitationAsk,
  { ask, moments }: { readonly ask: Questions["ask"]; readonly moments: ElicitationMoments },
  signal: AbortSignal,
): Promise<Answer> {
  const answer = (await moments.before(question, signal)) ?? (await ask(question, signal))
  return moments.after(question, answer, signal)
}

/** Those that nobody waits for. */
const runningAgents = (own: Gathered): readonly BackgroundTask[] =>
  (own.agents?.crew.list() ?? []).flatMap(({ fact }) =>
    fact.state === "background"
      ? [{ id: fact.agentId, agent: { type: fact.agentType, description: fact.description } }]
      : [],
  )
