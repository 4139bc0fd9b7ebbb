/** Runs a tool through all layers, as if the model had called it. */

import type { Next } from "#agent/words/middleware.ts"
import type { AnyTool, Outcome } from "#agent/words/tool.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"

export interface ToolRunnerParts {
  readonly ids: Ids
  readonly tools: () => readonly AnyTool[]
  readonly call: Next
}

/** `within`: the prompt or call it is run for. */
export type RunTool = (
  name: string,
  input: JsonObject,
  within: string,
  signal: AbortSignal,
  before?: (callId: string) => void,
) => Promise<Outcome | undefined>

/** The outcome is undefined if there is no such tool. */
export const toolRunner =
  ({ ids, tools, call }: ToolRunnerParts): RunTool =>
  async (name, input, within, signal, before = () => {}) => {
    const tool = tools().find((one) => one.name === name)
    const parsed = tool?.parse(input)
    if (!tool || !parsed?.ok) return undefined
    const complaint = await tool.validate?.(parsed.value, signal)
    const callId = `command-${ids.uuid()}`
    before(callId)
    return call({
      tool,
      input,
      parsed: parsed.value,
      footprint: tool.footprint(parsed.value),
      callId,
      within,
      signal,
      progress: () => {},
      ...optional("complaint", complaint),
    })
  }
