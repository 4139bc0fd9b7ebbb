/** The panel of what runs: agents and commands, before the person and in the background, and agents that are over. */

import type { Entry } from "#agent/words/entry.ts"
import { durationText } from "#lib/figures.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView } from "#faces/view/view.ts"
import type { Clock } from "#lib/clock.ts"
import type { BackgroundRow } from "#session/port/query.ts"
import { agentPanel, type AgentState, agentWords, isAtWork } from "./agent-view.ts"
import type { TasksPort } from "./extension-ports.ts"
import { liveWatch } from "./live.ts"
import type { ListDefinition, PanelKey, PanelRow, TextDefinition } from "./panel.ts"
import { textRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

export function tasksPanel<T>(port: TasksPort, clock: Clock, query: string): ListDefinition<T> {
  const runs = async (): Promise<boolean> => {
    const [agents, commands] = await Promise.all([port.agents(), port.background()])
    return agents.some(isAtWork) || commands.length > 0
  }
  return {
    kind: "list",
    title: "What runs",
    empty: "Nothing runs, and no agent was started yet.",
    search: "rows",
    query,
    takes: "opens it",
    watch: liveWatch(port.watch, clock, runs),
    async load() {
      const [agents, commands, turn] = await Promise.all([port.agents(), port.background(), port.turn()])
      const at = (state: AgentState["fact"]["state"]): readonly AgentState[] =>
        agents.filter(({ fact }) => fact.state === state)
      return [
        ...callsUnderWay(turn),
        ...at("started").map((agent) => agentRow(agent, waitedFor)),
        ...at("background").map((agent) => agentRow(agent, inBackground)),
        ...commands.map((command) => commandRow(command, clock.now())),
        ...at("ended")
          .toReversed()
          .map((agent) => agentRow(agent, over)),
      ]
    },
    async take({ key, group }) {
      const [agents, commands] = await Promise.all([port.agents(), port.background()])
      const agent = agents.find(({ fact }) => fact.agentId === key)
      if (agent) return { kind: "opens", panel: agentPanel(port, agent, clock) }
      const command = commands.find(({ id }) => id === key)
      if (command) return { kind: "opens", panel: commandPanel(port, command, clock) }
      return { kind: "stays", note: group === waitedFor ? callWords : "It is over." }
    },
  }
}

const waitedFor = "You wait for it"
const inBackground = "In the background"
const over = "Over"
const callWords = "What it prints stands in the conversation. There, esc interrupts it and ctrl+b leaves it to itself."

const agentRow = (agent: AgentState, group: string): PanelRow => ({
  key: agent.fact.agentId,
  text: `${agent.fact.agentType}: ${agent.fact.description}`,
  facts: agentWords(agent),
  group,
})

const commandRow = ({ id, command, startedAt }: BackgroundRow, now: number): PanelRow => ({
  key: id,
  text: command,
  facts: `${id} · ${durationText(now - startedAt)}`,
  group: inBackground,
})

/** Calls of this turn that have no answer yet, without those whose agent has a row of its own. */
function callsUnderWay(turn: readonly Entry[]): readonly PanelRow[] {
  const view = turn.reduce((now, entry) => reduce(now, { type: "entry", entry }), emptyView)
  if (!view.working) return []
  return view.items.flatMap((item) =>
    item.kind === "call" && item.state === "waiting" && !item.agent
      ? [{ key: item.callId, text: item.title, group: waitedFor }]
      : [],
  )
}

function commandPanel<T>(port: TasksPort, { id, command }: BackgroundRow, clock: Clock): TextDefinition<T> {
  const find = async (): Promise<BackgroundRow | undefined> => (await port.background()).find((one) => one.id === id)
  let last: BackgroundRow | undefined
  return {
    kind: "text",
    title: command,
    begins: "end",
    watch: liveWatch(port.watch, clock, async () => (await find()) !== undefined),
    async load() {
      const now = await find()
      last = now ?? last
      return {
        about: `${id} · ${now ? `runs for ${durationText(clock.now() - now.startedAt)}` : "it is over"}`,
        draw: drawnOnce(textRows("The last it printed", last?.recent.trim() || "Nothing yet.")),
        keys: now ? [stopKey(port, id)] : [],
      }
    },
  }
}

const stopKey = <T>(port: TasksPort, id: string): PanelKey<T> => ({
  name: "s",
  about: "stops it",
  async run() {
    const stopped = await port.stopCommand(id)
    return { kind: "stays", note: stopped.ok ? "It was stopped." : stopped.failure }
  },
})
