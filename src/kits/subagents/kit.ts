/** The subagents kit: the tools that start agents and look after them, and the news of those that nobody waited for. */

import type { Attachment, Kit } from "#agent/words/kit.ts"
import { type Crew, type CrewPorts, openCrew } from "./crew.ts"
import type { AgentDefinition } from "./definition.ts"
import { type Commands, taskOutputTool } from "./task-output.ts"
import { taskStopTool } from "./task-stop.ts"
import { taskTool } from "./task.ts"
import { announcement, endName } from "./words.ts"

export interface SubagentPorts extends CrewPorts {
  readonly agents: readonly AgentDefinition[]
  readonly commands: Commands
}

export interface SubagentsKit extends Kit {
  readonly crew: Crew
  /** The names of the agents that can be started. */
  readonly types: readonly string[]
  readonly definitions: readonly AgentDefinition[]
}

/** More at once would only bury the rest; the others follow with the next request. */
const mostAtOnce = 10

export function subagentsKit(ports: SubagentPorts): SubagentsKit {
  const { agents, commands, clock } = ports
  const crew = openCrew(ports)
  const news = (): readonly Attachment[] =>
    crew
      .untold()
      .slice(0, mostAtOnce)
      .map((fact) => ({ name: endName, text: announcement(fact), data: { agentId: fact.agentId } }))

  return {
    name: "agents",
    crew,
    types: agents.map(({ agentType }) => agentType),
    definitions: agents,
    tools: [
      taskTool({ agents, crew, clock }),
      taskOutputTool({ crew, commands, clock }),
      taskStopTool({ crew, commands }),
    ],
    take(entry) {
      crew.take(entry)
      // Told is what is in the log, not what was offered: an attachment can come too late to be taken.
      const data = entry.kind === "attachment" && entry.name === endName ? entry.data : toldIn(entry)
      if (typeof data?.agentId === "string") crew.markTold(data.agentId)
    },
    attachments: () => Promise.resolve(news()),
    rest: news,
    close: crew.close,
  }
}

/** A result that gave the end of an agent. */
const toldIn = (entry: Parameters<NonNullable<Kit["take"]>>[0]) =>
  entry.kind === "result" && ["TaskOutput", "TaskStop"].includes(entry.tool) && entry.data?.status !== "running"
    ? entry.data
    : undefined
