/** Runs calls while the model still speaks; results are recorded in the model's order. One executor lives for one step. */

import { deferred } from "#lib/deferred.ts"
import { isObject } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import type { Agent } from "./agent.ts"
import { type Lane, mayStart } from "./lanes.ts"
import { type Footprint, isReadOnly, isSafe } from "./words/footprint.ts"
import type { ToolUseBlock } from "./words/message.ts"
import { type AnyTool, type Outcome, refused } from "./words/tool.ts"

export interface Executor {
  /** Hands over a call that is complete; it starts as soon as it may. `unreadable` calls are answered, never run. */
  readonly add: (use: ToolUseBlock, unreadable?: string) => void
  /** Waits until every call handed over so far has its result recorded. */
  readonly drain: () => Promise<void>
  /** Ends what runs and answers what does not, each with the given words. */
  readonly cancel: (words: string) => Promise<void>
  /** Leaves nothing running, however the step ended. */
  readonly close: () => Promise<void>
  readonly count: () => number
  /** What was recorded, in the model's order. */
  readonly finished: () => readonly FinishedCall[]
}

export interface FinishedCall {
  readonly use: ToolUseBlock
  readonly outcome: Outcome
  /** Whether the tool itself was reached and may have changed something. */
  readonly acted: boolean
  readonly title: string
}

type Plan =
  | { readonly kind: "run"; readonly tool: AnyTool; readonly parsed: unknown; readonly footprint: Footprint }
  | { readonly kind: "answer"; readonly outcome: Outcome }

interface Slot {
  readonly use: ToolUseBlock
  readonly unreadable: string | undefined
  state: "queued" | "executing" | "completed" | "recorded"
  lane: Lane
  title: string
  startedAt: number
  durationMs: number
  acted: boolean
  outcome: Outcome | undefined
}

export function openExecutor(agent: Agent, tools: readonly AnyTool[], turn: AbortSignal): Executor {
  const slots: Slot[] = []
  const finished: FinishedCall[] = []
  // Cancelling the group never ends the turn; ending the turn cancels the group.
  const group = new AbortController()
  const onTurnAbort = (): void => group.abort(turn.reason)
  turn.addEventListener("abort", onTurnAbort, { once: true })
  if (turn.aborted) onTurnAbort()

  let started = 0
  let recorded = 0
  let changed = 0
  let running: Slot[] = []
  let failedBefore = false
  let cancelWords: string | undefined
  let mistake: { readonly error: unknown } | undefined
  let idle = deferred<void>()

  function add(use: ToolUseBlock, unreadable?: string): void {
    slots.push({
      use,
      unreadable,
      state: "queued",
      lane: "alone",
      title: use.name,
      startedAt: 0,
      durationMs: 0,
      acted: false,
      outcome: undefined,
    })
    advance()
  }

  function advance(): void {
    while (started < slots.length) {
      const slot = slots[started] as Slot
      // Understood only now: a call before it may have changed the working folder that its paths are relative to.
      const plan = slot.unreadable === undefined ? planFor(slot.use, tools) : answer(slot.unreadable)
      slot.lane = plan.kind === "run" && isSafe(plan.footprint) ? "safe" : "alone"
      const words = refusal(plan)
      const lanes = running.map(({ lane }) => lane)
      if (words === undefined && !mayStart(slot.lane, lanes, agent.limits.concurrency)) return
      started++
      if (words !== undefined) complete(slot, refused(words))
      else void execute(slot, plan).catch(giveUp)
    }
  }

  /** Why a call that has not started must not start. */
  function refusal(plan: Plan): string | undefined {
    if (cancelWords !== undefined) return cancelWords
    if (group.signal.aborted) return interruptedWords
    // A call that cannot run anyway gets its own answer, which says more.
    if (failedBefore && plan.kind === "run") return "Not run: an earlier call in this answer failed."
    return undefined
  }

  async function execute(slot: Slot, plan: Plan): Promise<void> {
    slot.state = "executing"
    slot.startedAt = agent.clock.now()
    if (plan.kind === "run") slot.title = titleOf(plan, slot.use)
    running.push(slot)
    const outcome = plan.kind === "answer" ? plan.outcome : await runWithGrace(slot, plan)
    running = running.filter((other) => other !== slot)
    slot.durationMs = agent.clock.now() - slot.startedAt
    if (outcome.isError && slot.lane === "alone") failedBefore = true
    complete(slot, outcome)
    advance()
  }

  /** Tools cannot bring us here, only a mistake of our own: it must end the turn, not leave it waiting. */
  function giveUp(error: unknown): void {
    mistake ??= { error }
    group.abort()
    idle.resolve()
  }

  /** Runs the call; after an abort it has the grace to end by itself, then it is answered without it. */
  async function runWithGrace(slot: Slot, plan: Plan & { kind: "run" }): Promise<Outcome> {
    const gaveUp = deferred<Outcome>()
    let cancelTimer = (): void => {}
    const onAbort = (): void => {
      const words = cancelWords ?? interruptedWords
      cancelTimer = agent.clock.after(agent.limits.graceMs, () => gaveUp.resolve(refused(words)))
    }
    group.signal.addEventListener("abort", onAbort, { once: true })
    const outcome = await Promise.race([runCall(slot, plan), gaveUp.promise])
    group.signal.removeEventListener("abort", onAbort)
    cancelTimer()
    return outcome
  }

  async function runCall(slot: Slot, { tool, parsed, footprint }: Plan & { kind: "run" }): Promise<Outcome> {
    const signal = group.signal
    try {
      const complaint = await tool.validate?.(parsed, signal)
      if (signal.aborted) return refused(cancelWords ?? interruptedWords)
      if (complaint === undefined)
        agent.tell({ type: "tool_start", callId: slot.use.id, tool: tool.name, title: slot.title })
      const act = (): Outcome | undefined => {
        if (complaint !== undefined) return refused(complaint)
        slot.acted = !isReadOnly(footprint)
        return undefined
      }
      // What may not be done at all is said first: whoever mends the input would only be refused again.
      const outcome = await agent.call({
        callId: slot.use.id,
        signal,
        tool: checkedFirst(tool, act),
        input: slot.use.input,
        parsed,
        footprint,
        ...(complaint !== undefined && { complaint }),
        progress: (progress) => {
          if (slot.state === "executing") agent.tell({ type: "tool_progress", callId: slot.use.id, progress })
        },
      })
      return isOutcome(outcome)
        ? outcome
        : refused(`${tool.name} gave something that is not a result. It may have run.`)
    } catch (error) {
      // Tools may end an abort by throwing; that is no failure of theirs.
      if (signal.aborted) return refused(cancelWords ?? interruptedWords)
      return refused(`${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  function complete(slot: Slot, outcome: Outcome): void {
    slot.outcome = outcome
    slot.state = "completed"
    // Those of a group of readers wait for the whole group, and go in the order of the calls.
    if (running.length === 0) applyChanges()
    recordInOrder()
  }

  function applyChanges(): void {
    for (; changed < started; changed++) {
      const change = slots[changed]?.outcome?.change
      if (change) agent.apply(change)
    }
  }

  function recordInOrder(): void {
    while (recorded < slots.length) {
      const slot = slots[recorded] as Slot
      if (slot.outcome === undefined) break
      recorded++
      slot.state = "recorded"
      const outcome = slot.outcome
      agent.record({
        kind: "result",
        callId: slot.use.id,
        tool: slot.use.name,
        content: outcome.content,
        isError: outcome.isError,
        ...(outcome.display && { display: outcome.display }),
        ...(outcome.data && { data: outcome.data }),
        ...(outcome.denied && { denied: { input: slot.use.input } }),
        durationMs: slot.durationMs,
      })
      finished.push({ use: slot.use, outcome, acted: slot.acted, title: slot.title })
    }
    if (recorded === slots.length) {
      idle.resolve()
      idle = deferred()
    }
  }

  async function drain(): Promise<void> {
    while (recorded < slots.length && !mistake) await idle.promise
    turn.removeEventListener("abort", onTurnAbort)
    if (mistake) throw mistake.error
  }

  return {
    add,
    drain,
    async cancel(words) {
      cancelWords = words
      group.abort()
      advance()
      await drain()
    },
    async close() {
      if (recorded < slots.length && !mistake) await this.cancel(interruptedWords)
      turn.removeEventListener("abort", onTurnAbort)
    },
    count: () => slots.length,
    finished: () => finished,
  }
}

export const interruptedWords = "Interrupted by the user before it was done."

const answer = (words: string): Plan => ({ kind: "answer", outcome: refused(words) })

function planFor(use: ToolUseBlock, tools: readonly AnyTool[]): Plan {
  const tool = tools.find(({ name }) => name === use.name) ?? tools.find(({ aliases }) => aliases?.includes(use.name))
  if (!tool) return answer(unknownTool(use.name, tools))
  try {
    const parsed = tool.parse(use.input)
    if (!parsed.ok) return answer(`${tool.name} was not run: its input is not valid. ${parsed.message}`)
    return { kind: "run", tool, parsed: parsed.value, footprint: tool.footprint(parsed.value) }
  } catch (error) {
    return answer(`${tool.name} was not run: its input could not be read (${String(error)}).`)
  }
}

function unknownTool(name: string, tools: readonly AnyTool[]): string {
  const names = tools.map((tool) => tool.name)
  const near = nearNames(name, names)
  return `There is no tool named ${name}. ${near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `The tools are ${names.join(", ")}.`}`
}

function titleOf({ tool, parsed }: Plan & { kind: "run" }, use: ToolUseBlock): string {
  try {
    return tool.title(parsed)
  } catch {
    return use.name
  }
}

/** The same tool; when its own code is reached, `check` is told, and what it says is the answer. */
function checkedFirst(tool: AnyTool, check: () => Outcome | undefined): AnyTool {
  const run: AnyTool["run"] = async (input, context) => check() ?? tool.run(input, context)
  return Object.create(tool, { run: { value: run } })
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== "object" || value === null) return false
  const { content, isError, data, display } = value as Partial<Outcome>
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isBlock))
  return typeof isError === "boolean" && isContent && isPlain(data) && isPlain(display)
}

/** Whether the log can hold it. */
function isPlain(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}

function isBlock(value: unknown): boolean {
  if (!isObject(value)) return false
  if (value.type === "tool_reference") return typeof value.tool_name === "string"
  return value.type === "text"
    ? typeof value.text === "string"
    : (value.type === "image" || value.type === "document") && isObject(value.source)
}
