/** Ends an agent, or a background command. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { answered, refused, type Tool } from "#agent/words/tool.ts"
import * as shape from "#lib/shape.ts"
import type { Crew } from "./crew.ts"
import { type BackgroundCommands, unknownWords } from "./task-output.ts"

const input = shape.object({ task_id: shape.string().min(1).describe("The id of the agent or of the command") })

export const taskStopTool = ({
  crew,
  commands,
}: {
  readonly crew: Crew
  readonly commands: BackgroundCommands
}): Tool<{ readonly task_id: string }> =>
  defineTool({
    name: "TaskStop",
    description: "Ends an agent or a command that works in the background, with all of its processes.",
    input,
    title: ({ task_id }) => `TaskStop ${task_id}`,
    // It touches only what is our own, but parallel calls may be about the same thing.
    footprint: () => ({ ...touchesNothing(), alone: true }),
    async run({ task_id: id }, { signal }) {
      if (commands.has(id)) return commands.stop(id, signal)
      const work = crew.working(id)
      if (!work) {
        const known = crew.stateOf(id)
        return refused(known ? `The agent ${id} is not at work any more.` : unknownWords(id, crew))
      }
      crew.stop(id)
      const { fact } = await work.ended
      crew.markTold(id)
      return answered(`The ${fact.agentType} agent ${id} was stopped. What it changed so far stays changed.`, {
        display: { kind: "text", text: `${fact.agentType} ${id} stopped` },
        data: { agentId: id, agentType: fact.agentType, status: fact.end ?? "stopped" },
      })
    },
  })
