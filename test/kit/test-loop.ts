/** The loop with real parts on both sides (assembler, model port, simulator over a socket) and tools made for the test. */

import type { Agent } from "#agent/agent.ts"
import { run } from "#agent/loop.ts"
import type { End } from "#agent/words/end.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Model } from "#agent/words/model.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { openRecovery } from "#session/request/recover.ts"
import { fakeTools, openWatch, type Watch } from "./fake-tools.ts"

/** Time that does not pass while one waits to try again. */
export const impatientClock: Clock = { ...systemClock, sleep: async () => {} }

export interface LoopRun {
  readonly end: End
  readonly entries: readonly Entry[]
  readonly watch: Watch
  readonly messages: ReturnType<ReturnType<typeof openConversation>["messages"]>
}

export interface LoopOptions {
  readonly model: Model
  readonly modelName?: string
  readonly prompt: string | readonly PromptBlock[]
  /** The log so far, of a run before this one. */
  readonly before?: readonly Entry[]
  /** Whose reasoning and proofs are sent; everybody's when absent, as there is only one. */
  readonly provider?: string
  readonly concurrency: number
  readonly fallbackModel?: string
  readonly maxTurns?: number
  /** Calls that a person rejects. */
  readonly rejects?: ReadonlySet<string>
  /** What a person says after the step of this number. */
  readonly steering?: ReadonlyMap<number, string>
  /** Ends the turn once this many facts are recorded. */
  readonly abortAfter?: number
}

export async function runLoop(options: LoopOptions): Promise<LoopRun> {
  const entries: Entry[] = []
  const conversation = openConversation({ shrink })
  const watch = openWatch()
  const tools = fakeTools(watch)
  const turn = new AbortController()
  let model = options.modelName ?? "claude-sonnet-5"
  let steps = 0

  const take = (entry: Entry): void => {
    entries.push(entry)
    conversation.onEntry(entry)
    recovery.onEntry(entry)
  }
  const record = (body: EntryBody): Entry => {
    const entry: Entry = { ...body, uuid: String(entries.length), parentUuid: null, at: 0 }
    take(entry)
    if (entry.kind === "model") model = entry.model
    if (entries.length === options.abortAfter) turn.abort()
    return entry
  }
  const recovery = openRecovery({ model: () => model, fallbackModels: [options.fallbackModel ?? []].flat(), record })
  const specs = tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }))
  const system = [{ text: "test" }]

  const agent: Agent = {
    model: options.model,
    clock: systemClock,
    limits: {
      concurrency: options.concurrency,
      graceMs: 50,
      repeats: 10,
      ...(options.maxTurns !== undefined && { maxTurns: options.maxTurns }),
    },
    record,
    publish: () => {},
    prepare: async ({ delivery, repeat, output }) => ({
      kind: "request",
      tools,
      request: {
        model,
        system,
        tools: specs,
        messages: conversation.messages(options.provider),
        maxTokens: output === "raised" ? 8000 : 4000,
        thinking: { type: "off" },
        delivery,
        repeat,
      },
    }),
    tools: () => tools,
    async call(call) {
      if (options.rejects?.has(call.callId) || options.rejects?.has(String(call.input.id)))
        return { content: "The user said no.", isError: true, rejected: true, denied: true }
      return call.tool.run(call.parsed, call)
    },
    apply: () => {},
    settle: () => undefined,
    release: () => {},
    recover: recovery.recover,
    async gather() {
      const words = options.steering?.get(steps++)
      if (words !== undefined) record({ kind: "prompt", content: [{ type: "text", text: words }], promptId: words })
    },
    rest: async () => "end",
  }

  for (const entry of options.before ?? []) take(entry)
  const { prompt } = options
  const content = typeof prompt === "string" ? [{ type: "text" as const, text: prompt }] : prompt
  record({ kind: "prompt", content, promptId: "p" })
  const end = await run(agent, turn.signal)
  return { end, entries, watch, messages: conversation.messages(options.provider) }
}

/** What is wrong with how calls were answered, if anything: each exactly once, in the order of the calls. */
export function answerComplaints(entries: readonly Entry[]): string[] {
  const found: string[] = []
  const uses = entries.flatMap((entry) =>
    entry.kind === "reply" && entry.block.type === "tool_use" ? [entry.block.id] : [],
  )
  const results = entries.flatMap((entry) => (entry.kind === "result" ? [entry.callId] : []))
  for (const id of uses) {
    const count = results.filter((other) => other === id).length
    if (count !== 1) found.push(`${id} has ${count} results`)
  }
  for (const id of results) if (!uses.includes(id)) found.push(`a result for ${id}, which nobody called`)
  if (JSON.stringify(results) !== JSON.stringify(uses.filter((id) => results.includes(id))))
    found.push(`order: called ${uses.join()}, answered ${results.join()}`)
  if (new Set(uses).size !== uses.length) found.push("an id was used twice")
  return found
}
