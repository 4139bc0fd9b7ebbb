/** The panel of tasks: agents as a tree and commands, running and finished; each can be opened, and what runs can be stopped. */

import type { Entry } from "#agent/words/entry.ts"
import { durationText } from "#lib/figures.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView } from "#faces/view/view.ts"
import type { Clock } from "#lib/clock.ts"
import { firstLine } from "#lib/rows.ts"
import type { BackgroundRow } from "#session/port/query.ts"
import { agentPanel, type AgentState, agentWords, allAgents, isAtWork, sayPanel } from "./agent-view.ts"
import type { TasksPort } from "./extension-ports.ts"
import { liveWatch } from "./live.ts"
import type { ListDefinition, PanelOutcome, PanelKey, PanelRow, TextDefinition } from "./panel.ts"
import { textRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

const running = "Running"
const finished = "Finished"

export function tasksPanel<T>(port: TasksPort, clock: Clock): ListDefinition<T> {
  const runs = async (): Promise<boolean> => {
    const [agents, commands] = await Promise.all([port.agents(), port.commands()])
    return allAgents(agents).some(isAtWork) || commands.some(({ end }) => !end)
  }
  return {
    kind: "list",
    title: "Tasks",
    empty: "No tasks. Commands and agents appear here while they run and when they have finished.",
    search: "none",
    enterLabel: "open",
    keys: listKeys(port),
    watch: liveWatch(port.watch, clock, runs),
    async load() {
      const [agents, commands, turn] = await Promise.all([port.agents(), port.commands(), port.turn()])
      const [atWork, over] = [agents.filter(isBranchAtWork), agents.filter((agent) => !isBranchAtWork(agent))]
      const [open, ended] = [commands.filter(({ end }) => !end), commands.filter(({ end }) => end)]
      return [
        ...callsUnderWay(turn),
        ...atWork.flatMap((agent) => branchRows(agent, running)),
        ...open.map((command) => commandRow(command, clock.now(), running)),
        ...over.toReversed().flatMap((agent) => branchRows(agent, finished)),
        ...ended.toReversed().map((command) => commandRow(command, clock.now(), finished)),
      ]
    },
    async choose({ key }) {
      const [agents, commands] = await Promise.all([port.agents(), port.commands()])
      const agent = allAgents(agents).find(({ fact }) => fact.agentId === key)
      if (agent) return { kind: "opens", panel: agentPanel(port, agent, clock) }
      const command = commands.find(({ id }) => id === key)
      if (command) return { kind: "opens", panel: commandPanel(port, command, clock) }
      return { kind: "stays", note: callWords }
    },
  }
}

const callWords =
  "The output is in the conversation. Press Esc there to interrupt the command, or Ctrl+B to move it to the background."

const isBranchAtWork = (agent: AgentState): boolean => allAgents([agent]).some(isAtWork)

const branchRows = (agent: AgentState, group: string, depth = 0): readonly PanelRow[] => [
  agentRow(agent, group, depth),
  ...(agent.agents ?? []).flatMap((own) => branchRows(own, group, depth + 1)),
]

const agentRow = (agent: AgentState, group: string, depth: number): PanelRow => ({
  key: agent.fact.agentId,
  text: `${depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `}${agent.fact.agentType}: ${agent.fact.description}`,
  facts: agentWords(agent),
  group,
  ...(agent.fact.color !== undefined && { color: agent.fact.color }),
})

const commandRow = (command: BackgroundRow, now: number, group: string): PanelRow => ({
  key: command.id,
  text: firstLine(command.command),
  facts: `${commandWords(command, now)} · ${command.id}`,
  group,
})

function commandWords({ startedAt, end }: BackgroundRow, now: number): string {
  if (!end) return durationText(now - startedAt)
  const how = { completed: "done", failed: `exit ${end.exitCode}`, killed: "stopped" }[end.status]
  return `${how} · ${durationText(end.at - startedAt)}`
}

/** Unanswered calls of this turn, except those whose agent has its own row. */
function callsUnderWay(turn: readonly Entry[]): readonly PanelRow[] {
  const view = turn.reduce((now, entry) => reduce(now, { type: "entry", entry }), emptyView)
  if (!view.working) return []
  return view.items.flatMap((item) =>
    item.kind === "call" && item.state === "waiting" && !item.agent
      ? [{ key: item.callId, text: item.title, group: running }]
      : [],
  )
}

const listKeys = <T>(port: TasksPort): readonly PanelKey<T>[] => [
  {
    name: "x",
    about: "stop",
    of: "row",
    run: async (row) => (row ? stop(port, row.key) : { kind: "stays" }),
  },
  {
    name: "t",
    about: "message an agent",
    of: "row",
    async run(row): Promise<PanelOutcome<T>> {
      const agent = allAgents(await port.agents()).find(({ fact }) => fact.agentId === row?.key)
      if (!agent) return { kind: "stays", note: "Only agents can be sent a message." }
      if (!isAtWork(agent)) return { kind: "stays", note: "This agent has finished." }
      return { kind: "opens", panel: sayPanel(port, agent) }
    },
  },
]

async function stop<T>(port: TasksPort, key: string): Promise<PanelOutcome<T>> {
  const [agents, commands] = await Promise.all([port.agents(), port.commands()])
  const agent = allAgents(agents).find(({ fact }) => fact.agentId === key)
  const command = commands.find(({ id }) => id === key)
  if (!agent && !command) return { kind: "stays", note: callWords }
  if (agent ? !isAtWork(agent) : command?.end) return { kind: "stays", note: "Already finished." }
  const stopped = await (agent ? port.stop(key) : port.stopCommand(key))
  return { kind: "stays", note: stopped.ok ? "Stopped." : stopped.failure }
}

function commandPanel<T>(port: TasksPort, opened: BackgroundRow, clock: Clock): TextDefinition<T> {
  const { id, command } = opened
  const find = async (): Promise<BackgroundRow> => (await port.commands()).find((one) => one.id === id) ?? opened
  return {
    kind: "text",
    title: command,
    begins: "end",
    watch: liveWatch(port.watch, clock, async () => (await find()).end === undefined),
    async load() {
      const [now, output] = await Promise.all([find(), port.output(id)])
      const printed = output?.text.trimEnd()
      return {
        about: `${now.end ? "" : "running · "}${commandWords(now, clock.now())} · ${id}`,
        draw: drawnOnce(textRows(output?.isCut ? "Last output" : "Output", printed || "No output yet.")),
        keys: now.end ? [] : [{ name: "x", about: "stop", run: () => stop(port, id) }],
      }
    },
  }
}
