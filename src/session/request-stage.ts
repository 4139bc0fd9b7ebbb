/** Prepares requests: what they begin with, what is attached, and how large they may grow. */

import type { SessionState } from "#agent/words/state.ts"
import { realPath } from "#ground/workspace/paths.ts"
import type { Kit } from "#agent/words/kit.ts"
import { isSmall, type ModelFacts } from "#agent/words/model.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { type CacheWatch, openCacheWatch } from "#kits/context/caching.ts"
import type { Compaction } from "#kits/compaction/kit.ts"
import { type ContextDetails, contextDetails, type ContextParts, contextParts } from "#kits/context/parts.ts"
import { brief, briefly } from "#kits/context/small.ts"
import type { UsagePorts } from "#kits/context/usage.ts"
import type { CompactPorts } from "#kits/compaction/compact.ts"
import { later } from "#lib/later.ts"
import { optional } from "#lib/optional.ts"
import { openCompacting } from "#session/adapters/compacting.ts"
import type { MemoryKits, openMemoryKits } from "#session/adapters/session-memory.ts"
import { keptMemories, type MemoryFiles, openMemoryFiles } from "#session/adapters/memory.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { inOrder, inSpeakingOrder } from "./order.ts"
import { openPreparation, type Preparation } from "#session/request/prepare.ts"
import { openShortPrompt } from "#session/request/short-prompt.ts"
import type { Rooms } from "./rooms.ts"
import { hiding } from "#session/opening/rules.ts"
import { openSetup, type Setup } from "#session/request/setup.ts"
import type { Foundation } from "./foundation.ts"
import { dayOf, openAroundPrompts, openBeforehand, withSkills } from "#session/adapters/surroundings.ts"
import { openEnvironment, openSystem, type SystemParts } from "#session/adapters/system.ts"

export interface RequestStage {
  readonly setup: Setup
  readonly preparation: Preparation
  /** The tools that are there as long as the session is, as far as the model is offered them. */
  readonly settled: () => readonly AnyTool[]
  readonly compaction: Compaction
  /** Before each request: compacts if necessary, and has the session's memory written beside the work. */
  readonly makeRoom: Compaction["beforeRequest"]
  readonly cacheWatch: CacheWatch
  readonly kits: readonly Kit[]
  /** Kits that add to the conversation, in speaking order; briefly where the model is a small one. */
  readonly speaking: () => readonly Kit[]
  readonly context: () => ContextParts
  readonly contextDetails: () => ContextDetails
  readonly isHidden: (path: string) => boolean
  readonly memory: MemoryFiles
}

/** `openMemories` is loaded only where something is remembered. */
export function openRequestStage(
  options: SessionOptions,
  foundation: Foundation,
  rooms: Rooms,
  openMemories: typeof openMemoryKits | undefined,
): RequestStage {
  const { lineage, ground, rules, states, record, questions, journal } = foundation
  const { extensions, own, late } = rooms
  const { place, clock, model, limits } = options
  const facts = (): ModelFacts => model.factsOf(states.answering().model)
  const shortPrompt = openShortPrompt({
    mayBegin: () =>
      options.manner.asks !== "person" &&
      lineage.prompts !== "agent" &&
      Object.keys(states.logged().spending).length === 0 &&
      !isSmall(facts()),
    budget: () => states.logged().budget,
  })
  const small = (): boolean => isSmall(facts()) || shortPrompt.isOn()
  const smallWindow = (): number | undefined => (small() ? facts().window : undefined)
  const isOffered = (tool: AnyTool): boolean => rooms.tools.includes(tool) && rooms.isForSmall(tool)
  const speaking: SystemParts = {
    ...options,
    asks: options.manner.asks,
    ground,
    model: () => states.logged().model,
    small,
    style: () => extensions?.style(),
  }
  const setup = openSetup({
    settled: rooms.tools,
    joined: rooms.joined,
    late,
    defers: rooms.defers,
    small,
    isForSmall: rooms.isForSmall,
    ...optional("begun", lineage.beginning()),
    day: () => dayOf(clock.now()),
    system: openSystem(speaking),
    setups: lineage.setups,
  })
  const preparation = openPreparation({
    aliases: options.client?.toolAliases,
    ...foundation,
    setup,
    shortPrompt,
    setups: lineage.setups,
    tells: options.attachments !== "off",
    state: states.answering,
    factsOf: model.factsOf,
    who: "main",
    maxOutputTokens: limits.maxOutputTokens,
    isAwake: journal.isAwake,
  })
  const { isHidden } = hiding(rules.now, { workspace: ground.judged, cwd: place.cwd, realPath })
  const before = openBeforehand({
    ...options,
    lineage,
    ground,
    isHidden,
    ask: questions.ask,
    record,
    promptDate: setup.day,
    environment: openEnvironment(speaking, setup.day),
  })
  const whole = withSkills(before.userContext, extensions?.skills)
  const compacting = later<Compaction>("The compaction")
  const memories = openMemories?.({
    ...options,
    ...(lineage.agent !== undefined && { memory: { ...options.memory, session: false } }),
    rules,
    sessionFolder: ground.sessionFolder,
    isHidden,
    messages: foundation.conversation.messages,
    isAdded: (block) => foundation.conversation.sourceOf(block) !== undefined,
    contextTokens: () => preparation.meter.next().tokens,
    limit: () => compacting.get().levels().auto,
    ask: foundation.askSmall,
    isAwake: journal.isAwake,
    notify: (text) => record({ kind: "notice", level: "info", text }),
  })
  const compaction = openCompacting({
    ...options,
    ...foundation,
    preparation,
    state: states.answering,
    logged: states.logged,
    context: {
      ...whole,
      async texts(signal) {
        const window = smallWindow()
        return window === undefined ? whole.texts(signal) : brief(await before.userContext.texts(signal), window)
      },
    },
    extras: extensions?.skills.loaded,
    agents: () => own.agents?.crew.running() ?? [],
    hooks: rooms.hooks?.compaction,
    memory: memoryPort(options.memory, memories?.session),
    isAwake: journal.isAwake,
    // Where nobody is there to continue, it would be paid for in vain; a hook says what a summary must keep only when it is needed.
    mayPrepare: () =>
      options.manner.asks === "person" &&
      lineage.agent === undefined &&
      options.memory?.recorded === undefined &&
      rooms.hooks?.has("PreCompact") !== true,
  })
  compacting.settle(compaction)
  const around = openAroundPrompts({
    ...options,
    reminder: options.system.reminder,
    lineage,
    ground,
    isHidden,
    usage: usageOf(compaction, preparation, states.logged),
    resource: async (server, uri, signal) => rooms.mcp?.mentioned(server, uri, signal),
    agents: () =>
      own.agents && rooms.tools.some((tool) => own.agents?.tools?.includes(tool)) ? own.agents.types() : [],
  })
  const cacheWatch = openCacheWatch({ record, keptMs: (id) => model.factsOf(id).cacheKeptMs })
  const kits = {
    ...around,
    userContext: before.userContext,
    sessionMemory: memories?.session,
    relevantMemory: memories?.relevant,
    compaction,
  }
  const all = inOrder(rooms.kits, kits)
  const always = [before.userContext, rooms.hooks?.kit]
  const speak = inSpeakingOrder(all, rooms.kits, kits).filter(
    (kit) => kit.attachments && (options.attachments !== "off" || always.includes(kit)),
  )
  journal.follow(preparation, cacheWatch, ...all)
  return {
    setup,
    preparation,
    settled: () => (small() ? rooms.tools.filter(rooms.isForSmall) : rooms.tools),
    compaction,
    async makeRoom(signal) {
      const end = await compaction.beforeRequest(signal)
      memories?.session?.consider()
      return end
    },
    cacheWatch,
    kits: all,
    speaking() {
      const window = smallWindow()
      return window === undefined ? speak : speak.map((kit) => briefly(kit, { window, isOffered }))
    },
    context() {
      const { window, auto } = compaction.levels()
      const isSkills = extensions?.skills.isGiven
      const { sourceOf } = foundation.conversation
      const request = preparation.ordinary()
      return contextParts({
        request,
        contextTokens: preparation.meter.next().tokens,
        window,
        usable: auto,
        sourceOf,
        isSkills,
      })
    },
    contextDetails: () =>
      contextDetails({ request: preparation.ordinary(), sourceOf: foundation.conversation.sourceOf }),
    isHidden,
    memory: openMemoryFiles(
      ground.workspace,
      before.place,
      before.userContext.noted,
      keptMemories(options, ground.sessionFolder),
    ),
  }
}

function memoryPort(choice: SessionOptions["memory"], session: MemoryKits["session"]): CompactPorts["memory"] {
  const { recorded } = choice ?? {}
  if (recorded) return ({ messages }) => Promise.resolve(recorded(messages))
  return session && (({ mostTokens }, signal) => session.usable(mostTokens, signal))
}

const usageOf = ({ levels }: Compaction, { meter }: Preparation, state: () => SessionState): UsagePorts => ({
  tokens() {
    const { warning, auto } = levels()
    return { used: meter.next().tokens, warning, end: auto }
  },
  money() {
    const { costUsd, budget } = state()
    return budget.usd === undefined ? undefined : { spentUsd: costUsd, capUsd: budget.usd }
  },
})
