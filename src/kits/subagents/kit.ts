/** The subagents kit: the tools that start and manage agents, and news of those that nobody waited for. See decision 30. */

import { byKind, onEntryOfAll } from "#agent/words/follower.ts"
import type { ChildFact } from "#agent/words/child.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { JsonObject } from "#lib/json.ts"
import { type Crew, openCrew } from "./crew.ts"
import type { AgentDefinition } from "./definition.ts"
import type { Members } from "./members.ts"
import { type AgentsRead, openRoster } from "./roster.ts"
import { type BackgroundCommands, taskOutputTool } from "./task-output.ts"
import { taskStopTool } from "./task-stop.ts"
import { type TaskBackground, taskTool } from "./task.ts"
import { openProgress } from "./progress.ts"
import { announcement, endName } from "./words.ts"
import type { CrewPorts } from "./works.ts"

export interface SubagentPorts extends CrewPorts {
  /** Those of the start. */
  readonly agents: readonly AgentDefinition[]
  /** As their files are now; the same value while nothing changes. */
  readonly agentsNow?: () => AgentsRead
  readonly commands: BackgroundCommands
  readonly members?: Members | undefined
  readonly background?: TaskBackground | undefined
}

export interface SubagentsKit extends Kit {
  readonly crew: Crew
  readonly types: () => readonly string[]
  readonly definitions: () => readonly AgentDefinition[]
  /** Background agents that waited for the user when the program ended wait again. */
  readonly waitAgain: (agents: readonly ChildFact[]) => Promise<void>
}

/** More at once would bury the rest; the others follow with the next request. */
const mostAtOnce = 10

export function subagentsKit(ports: SubagentPorts): SubagentsKit {
  const { commands, clock } = ports
  const crew = openCrew(ports)
  const roster = openRoster(ports)
  const agents = roster.now
  const progress = openProgress(crew.list)
  let wake = (): void => {}
  const news = (): readonly Attachment[] =>
    crew
      .untold()
      .slice(0, mostAtOnce)
      .map((fact) => ({ name: endName, text: announcement(fact), data: { agentId: fact.agentId } }))

  /** Models that calls asked for, as long as the calls are known. */
  const models = new Map<string, string>()
  async function waitAgain(waiting: readonly ChildFact[]): Promise<void> {
    // The team starts its members again.
    for (const fact of waiting.filter(({ member }) => member === undefined)) {
      const { agentId, agentType, callId, description, worktree } = fact
      const definition = agents().find((one) => one.agentType === agentType)
      if (!definition) {
        ports.record({ kind: "child", ...fact, state: "ended", end: "lost" })
        continue
      }
      // A failure is recorded by the crew, and announced like every end that nobody waited for.
      await crew.start({
        definition,
        description,
        prompt: "",
        model: models.get(callId),
        isolation: worktree ? "worktree" : undefined,
        resume: agentId,
        waiting: fact,
        callId,
        signal: unending,
      })
    }
  }

  function markTold(data: JsonObject | undefined): void {
    if (typeof data?.agentId === "string") crew.markTold(data.agentId)
  }

  return {
    name: "agents",
    waitAgain,
    crew,
    types: () => agents().map(({ agentType }) => agentType),
    definitions: agents,
    tools: [
      taskTool({ agents, crew, clock, members: ports.members, background: ports.background }),
      taskOutputTool({ crew, commands, clock }),
      taskStopTool({ crew, commands }),
    ],
    conversation: roster.conversation,
    onEntry: onEntryOfAll(
      roster.onEntry,
      progress.onEntry,
      byKind({
        reply({ block }) {
          if (block.type === "tool_use" && typeof block.input.model === "string")
            models.set(block.id, block.input.model)
        },
        // Only what is in the log counts as told: an attachment can come too late to be included.
        attachment: ({ name, data }) => void (name === endName && markTold(data)),
        result: ({ tool, data }) =>
          void (["TaskOutput", "TaskStop"].includes(tool) && data?.status !== "running" && markTold(data)),
        child(entry) {
          crew.onEntry(entry)
          // One that the user stopped can wait for the next prompt.
          if (entry.end === "completed" || entry.end === "failed") wake()
        },
      }),
    ),
    stirs(how) {
      wake = how
      return () => void (wake = () => {})
    },
    attachments: () => [...roster.news(), ...news(), ...progress.news()],
    rest: news,
    close: crew.close,
  }
}

const unending = new AbortController().signal
