/** A scripted model that works through a list of jobs, whatever goes wrong: it looks at what it is told and repeats only what was not done. */

import type { JsonObject } from "#lib/json.ts"
import { resultText, type SimRequest } from "#sim/request.ts"
import type { ScenarioBlock, ScenarioReply } from "#sim/scenario.ts"

/** One call of a job, and how to make it when it may have been made already. */
export interface Act {
  readonly tool: string
  readonly input: JsonObject
  /** Without it, the act does no harm when it is made twice. */
  readonly ifUnsure?: JsonObject
}

export type Job = readonly Act[]

/** The next thing to do for whoever has this conversation before them. */
export function nextReply(jobs: readonly Job[], { messages }: SimRequest): ScenarioReply {
  const { done, unsure } = whatWasTold(messages)
  const isDone = ({ tool, input, ifUnsure }: Act): boolean =>
    done.has(keyOf(tool, input)) || (ifUnsure !== undefined && done.has(keyOf(tool, ifUnsure)))
  const isUnsure = ({ tool, input }: Act): boolean => unsure.has(keyOf(tool, input))

  const index = jobs.findIndex((job) => !job.every(isDone))
  const job = jobs[index]
  if (!job) return { content: "All jobs are done." }
  const left = job.filter((act) => act.tool === "Read" || !isDone(act))
  const blocks = left.map((act): ScenarioBlock => {
    return { tool: act.tool, input: act.ifUnsure && isUnsure(act) ? act.ifUnsure : act.input }
  })
  return { content: [{ text: `Job ${index + 1} of ${jobs.length}.` }, ...blocks] }
}

/** What was done for certain, and what may have been, by calls and their results. */
function whatWasTold(messages: SimRequest["messages"]): {
  readonly done: ReadonlySet<string>
  readonly unsure: ReadonlySet<string>
} {
  const done = new Set<string>()
  const unsure = new Set<string>()
  const calls = new Map<unknown, string>()
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type === "tool_use") calls.set(block.id, keyOf(block.name, block.input))
    if (block.type === "tool_result") {
      const key = calls.get(block.tool_use_id) ?? ""
      const text = resultText(block.content)
      if (block.is_error !== true || /made already|It took effect/.test(text)) done.add(key)
      else if (text.includes("may have taken effect")) unsure.add(key)
    }
  }
  return { done, unsure }
}

const keyOf = (tool: unknown, input: unknown): string => `${String(tool)} ${JSON.stringify(input)}`
