/** The scripted model: our simulator on a real socket, which answers at once and notes what each request brought and when. */

import type { JsonObject } from "../../src/lib/json.ts"
import type { SimRequest } from "../../src/sim/request.ts"
import type { ScenarioBlock, ScenarioReply } from "../../src/sim/scenario.ts"
import { openSimulator, type Simulator } from "../../src/sim/server.ts"

/** A call of a tool, in the words of the agent that is measured. */
export interface Call {
  readonly tool: string
  readonly input: JsonObject
}

/** A request of the conversation itself; titles, summaries and the like are only counted. */
export interface Seen {
  readonly at: number
  readonly request: SimRequest
}

export interface FieldModel {
  readonly url: string
  readonly simulator: Simulator
  /** The conversation's requests. */
  readonly seen: readonly Seen[]
  /** How many others there were. */
  readonly besides: () => number
  readonly close: () => Promise<void>
}

/** Says what comes next in a conversation; `index` counts its requests, from 0. */
export type Script = (request: SimRequest, index: number) => ScenarioReply

export interface ModelOptions {
  /** Requests that offer one of these tools belong to the conversation. */
  readonly tools: readonly string[]
  readonly script: Script
  readonly onRequest?: (index: number) => void
  /** Requests of long runs are large in total. */
  readonly keep?: "all" | "last"
}

export async function openFieldModel({ tools, script, onRequest, keep = "all" }: ModelOptions): Promise<FieldModel> {
  const seen: Seen[] = []
  let besides = 0
  const opened = await openSimulator({
    // Peers are measured as they are; whether they speak a format to the letter is another question.
    strict: false,
    keepRequests: "none",
    promptCache: "off",
    scenario(request) {
      const at = performance.now()
      if (!tools.some((name) => request.tools.includes(name))) {
        besides++
        return { content: "{}" }
      }
      const index = seen.push({ at, request }) - 1
      const before = seen[index - 1]
      if (keep === "last" && index > 1 && before) seen[index - 1] = { at: before.at, request: withoutContent }
      onRequest?.(index)
      return script(request, index)
    },
  })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  return { url: simulator.url, simulator, seen, besides: () => besides, close: simulator.close }
}

const withoutContent: SimRequest = {
  model: "",
  maxTokens: 0,
  stream: true,
  thinks: false,
  system: "",
  tools: [],
  messages: [],
  body: {},
}

export const says = (text: string): ScenarioReply => ({ content: text })

export const calls = (...uses: readonly Call[]): ScenarioReply => ({
  content: [{ text: "Next." }, ...uses.map(({ tool, input }): ScenarioBlock => ({ tool, input }))],
})

/** Every call that the conversation tells of, with its result where it has one. */
export function callsIn({ messages }: SimRequest): readonly { readonly input: string; readonly answered: boolean }[] {
  const blocks = messages.flatMap(({ content }) => content)
  const answered = new Set(blocks.flatMap(({ type, tool_use_id }) => (type === "tool_result" ? [tool_use_id] : [])))
  return blocks.flatMap(({ type, id, input }) =>
    type === "tool_use" ? [{ input: JSON.stringify(input), answered: answered.has(id) }] : [],
  )
}
