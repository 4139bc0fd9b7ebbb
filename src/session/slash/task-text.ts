/** Agents and commands in the background, as text: what each does or printed, and stopping one. */

import type { AgentState } from "#kits/subagents/agent-state.ts"
import { durationText, tokensText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { firstLine } from "#lib/rows.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import type { Answers, Ask, BackgroundRow } from "#session/port/query.ts"
import { listed, matches, numbered } from "./rows.ts"

/** `stop bash_1`, `bash_1`, or words to look for. */
export async function taskAnswer(ask: Ask, words: string, now: number): Promise<SlashAnswer> {
  const [trees, commands] = await Promise.all([ask({ type: "agents" }), ask({ type: "background", which: "all" })])
  const agents = trees.flatMap(withOwnAgents)
  const [, stop, id = ""] = /^(stop\s+)?(\S+)$/.exec(words) ?? []
  const agent = agents.find(({ fact }) => fact.agentId === id)
  const command = commands.find((one) => one.id === id)
  const isRunning = agent ? agent.fact.state !== "ended" : command !== undefined && !command.end
  if (stop !== undefined && !isRunning)
    return { text: `No task ${forConsent(id)} is running. /tasks lists them.`, isError: true }
  if (stop !== undefined)
    return {
      text: `Stopped ${forConsent(id)}.`,
      ops: [agent ? { type: "stop_agent", agentId: id } : { type: "stop_command", commandId: id }],
    }
  const about = agent
    ? agentText(agent)
    : command && commandText(command, await ask({ type: "command_output", commandId: id }), now)
  if (about === undefined) return taskList(agents, commands, words, now)
  return isRunning ? { text: `${about}\n1. Stop it`, choices: [`stop ${id}`] } : { text: about }
}

const withOwnAgents = (agent: AgentState): readonly AgentState[] => [
  agent,
  ...(agent.agents ?? []).flatMap(withOwnAgents),
]

/** What runs comes first, so that its numbers are the small ones. */
function taskList(
  agents: readonly AgentState[],
  commands: readonly BackgroundRow[],
  words: string,
  now: number,
): SlashAnswer {
  const all = [
    ...agents.map((agent) => ({
      id: agent.fact.agentId,
      isOver: agent.fact.state === "ended",
      row: ["agent", agentState(agent), agentName(agent)],
    })),
    ...commands.map((command) => ({
      id: command.id,
      isOver: command.end !== undefined,
      row: ["command", commandState(command, now), forConsent(firstLine(command.command))],
    })),
  ]
  const tasks = [...all.filter(({ isOver }) => !isOver), ...all.filter(({ isOver }) => isOver)].filter(({ id, row }) =>
    matches(words, id, ...row),
  )
  if (tasks.length === 0) return { text: listed([], words, "Nothing is running.") }
  const lines = numbered(tasks.map(({ id, row }) => [id, ...row]))
  return {
    text: [...lines, "/tasks <number> to view one, /tasks stop <number> to stop it."].join("\n"),
    choices: tasks.map(({ id }) => id),
  }
}

const agentName = ({ fact }: AgentState): string => forConsent(`${fact.agentType}: ${fact.description}`)

const agentState = ({ fact, usage }: AgentState): string =>
  `${fact.state === "ended" ? "finished" : "running"}, ${tokensText(usage.tokens)}`

function agentText(agent: AgentState): string {
  const doing = agent.doing === undefined ? "" : ` Now: ${forConsent(firstLine(agent.doing))}`
  return `Agent ${forConsent(agentName(agent))}, ${agentState(agent)}.${doing}`
}

function commandState({ startedAt, end }: BackgroundRow, now: number): string {
  if (!end) return `running for ${durationText(now - startedAt)}`
  return { completed: "done", failed: `failed with exit code ${end.exitCode}`, killed: "stopped" }[end.status]
}

function commandText(command: BackgroundRow, output: Answers["command_output"], now: number): string {
  const printed = output?.text.trimEnd() ?? ""
  return [
    `Command ${forConsent(command.command)}: ${commandState(command, now)}.`,
    printed === "" ? "It has printed nothing." : output?.isCut ? "The end of its output:" : "Its output:",
    ...(printed === "" ? [] : [printed]),
  ].join("\n")
}
