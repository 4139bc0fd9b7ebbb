/** The state of a background agent or command, now or once it has ended. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { answered, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import type { Clock } from "#lib/clock.ts"
import * as shape from "#lib/shape.ts"
import type { Crew } from "./crew.ts"
import { runningWords } from "./words.ts"

export interface TaskOutputInput {
  readonly task_id: string
  readonly block?: boolean | undefined
  readonly timeout?: number | undefined
}

export interface BackgroundCommands {
  readonly has: (id: string) => boolean
  readonly output: (input: TaskOutputInput, signal: AbortSignal) => Promise<Outcome>
  readonly stop: (id: string, signal: AbortSignal) => Promise<Outcome>
}

const defaultWaitMs = 30_000
const mostWaitMs = 600_000

const input = shape.object({
  task_id: shape.string().min(1).describe("The id of the agent or of the command"),
  block: shape.boolean().optional().describe("Wait for the end"),
  timeout: shape.int().min(0).optional().describe(`With block: at most so many ms (${defaultWaitMs})`),
})

export const taskOutputTool = ({
  crew,
  commands,
  clock,
}: {
  readonly crew: Crew
  readonly commands: BackgroundCommands
  readonly clock: Clock
}): Tool<TaskOutputInput> =>
  defineTool({
    name: "TaskOutput",
    description:
      "Gives the answer of an agent that works in the background, or how far it is; for a background command, what it printed since you last looked. You are told when one ends, so do not poll; to wait for the end, set block.",
    input,
    title: ({ task_id }) => `TaskOutput ${task_id}`,
    footprint: touchesNothing,
    async run(call, { signal }) {
      const { task_id: id, block, timeout = defaultWaitMs } = call
      if (commands.has(id)) return commands.output(call, signal)
      const work = crew.working(id)
      if (work && block) await endOr(work.ended, Math.min(timeout, mostWaitMs), clock, signal)
      const state = crew.stateOf(id)
      if (!state) return refused(unknownWords(id, crew))
      const { fact, usage, doing } = state
      const data = { agentId: id, agentType: fact.agentType, status: fact.end ?? "running" }
      const result = crew.resultOf(id)
      if (result === undefined) return answered(runningWords(fact, usage, doing), { data })
      crew.markTold(id)
      return answered(result, { data, display: { kind: "text", text: `${fact.agentType} ${id}: ${data.status}` } })
    },
  })

export function unknownWords(id: string, crew: Crew): string {
  const known = crew.list().map(({ fact }) => fact.agentId)
  return `There is no agent or background command ${id}. ${known.length === 0 ? "No agent was started." : `Agents of this session: ${known.slice(-20).join(", ")}.`}`
}

/** Resolves with the end, after the time, or on abort, whichever is first. */
async function endOr(ended: Promise<unknown>, ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const onAbort = (): void => over.abort()
  signal.addEventListener("abort", onAbort, { once: true })
  if (signal.aborted) onAbort()
  void ended.then(onAbort)
  await clock.sleep(ms, over.signal)
  signal.removeEventListener("abort", onAbort)
}
