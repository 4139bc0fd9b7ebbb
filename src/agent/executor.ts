/** Runs calls while the model is still answering; results are recorded in the model's order. One executor per step. */

import { deferred } from "#lib/deferred.ts"
import type { Agent } from "./agent.ts"
import { mayStart } from "./lanes.ts"
import {
  change,
  complete,
  emptyLine,
  type Finished,
  isTold,
  lanesIn,
  nextIn,
  queue,
  start,
  recordable,
  recordedIn,
} from "./line.ts"
import { answer, type Plan, planFor, toolNamed } from "./plan-call.ts"
import { headOf, runWithGrace } from "./run-call.ts"
import { isSafe } from "./words/footprint.ts"
import { interrupterOf } from "./words/interruption.ts"
import type { ToolUseBlock } from "./words/message.ts"
import { type CallHead, plainTitle } from "./words/title.ts"
import { type AnyTool, type Outcome, refused, interrupted } from "./words/tool.ts"

export interface Executor {
  /** The model has started to write a call of this tool: warms the tool up in the meantime. */
  readonly expect: (name: string) => void
  /** Takes a complete call, which starts as soon as it may. `unreadable` calls are answered, never run. */
  readonly add: (use: ToolUseBlock, unreadable?: string) => void
  /** Waits until every call so far has its result recorded. */
  readonly drain: () => Promise<void>
  /** Stops running calls and answers waiting ones, each with the given outcome. */
  readonly cancel: (outcome: Outcome) => Promise<void>
  /** Leaves nothing running, however the step ended. */
  readonly close: () => Promise<void>
  readonly count: () => number
  /** In the model's order. */
  readonly finished: () => readonly FinishedCall[]
}

export interface FinishedCall {
  readonly use: ToolUseBlock
  readonly outcome: Outcome
}

export const interruptedOutcome = (turn: AbortSignal): Outcome =>
  interrupted(`Interrupted by ${interrupterOf(turn)} before it was done.`, "during")

/** For calls left unfinished by a bug in the program: no one interrupted those. */
const programFailed = refused("Stopped: the program failed before this was done. It may have taken effect in part.")

export function openExecutor(agent: Agent, tools: readonly AnyTool[], turn: AbortSignal): Executor {
  const group = openGroup(turn)
  let line = emptyLine
  let mistake: { readonly error: unknown } | undefined
  let idle = deferred<void>()

  function advance(): void {
    for (let at = nextIn(line); at >= 0; at = nextIn(line)) {
      const slot = line.slots[at]
      if (slot?.state !== "queued") return
      const loading = group.signal.aborted ? undefined : toolNamed(slot.use.name, tools)?.warm?.()
      if (loading) return void loading.then(advance, giveUp)
      // Understood only now: a call before it may have changed the working folder that its paths are relative to.
      const plan = slot.unreadable === undefined ? planFor(slot.use, tools) : answer(slot.unreadable)
      const lane = plan.kind === "run" && isSafe(plan.footprint) ? "safe" : "alone"
      const refusal = refusalOf(plan)
      if (refusal) finish(at, refusal)
      else if (mayStart(lane, lanesIn(line), agent.limits.concurrency)) {
        line = start(line, at, lane, agent.clock.now())
        void execute(at, slot.use, plan).catch(giveUp)
      } else return
    }
  }

  function refusalOf(plan: Plan): Outcome | undefined {
    if (group.signal.aborted) return group.outcome()
    // A call that cannot run anyway gets its own answer, which says more.
    if (line.failed && plan.kind === "run") return refused("Not run: an earlier call in this answer failed.")
    return undefined
  }

  async function execute(at: number, use: ToolUseBlock, plan: Plan): Promise<void> {
    const isExecuting = (): boolean => line.slots[at]?.state === "executing"
    if (plan.kind === "answer") finish(at, plan.outcome)
    else {
      // Said once: what it names may be called otherwise when it is done, as the working folder may be another.
      const head = headOf(plan, use)
      const run = { ...plan, use, head, signal: group.signal, ended: group.outcome, isExecuting }
      finish(at, await runWithGrace(agent, run), head)
    }
    advance()
  }

  /** Only a bug of our own leads here, never a tool: it must end the turn, not leave it waiting. */
  function giveUp(error: unknown): void {
    mistake ??= { error }
    group.abort(programFailed)
    idle.resolve()
  }

  function failureOf(at: number): "stops others" | "stands alone" {
    const name = line.slots[at]?.use.name
    return name !== undefined && toolNamed(name, tools)?.independent ? "stands alone" : "stops others"
  }

  function finish(at: number, outcome: Outcome, head?: CallHead): void {
    const changing = change(complete(line, at, outcome, agent.clock.now(), head, failureOf(at)))
    const telling = recordable(changing.line)
    line = telling.line
    for (const due of changing.due) agent.apply(due)
    for (const finished of telling.due) agent.record(resultOf(finished))
    if (!isTold(line)) return
    idle.resolve()
    idle = deferred()
  }

  async function drain(): Promise<void> {
    while (!isTold(line) && !mistake) await idle.promise
    group.leave()
    if (mistake) throw mistake.error
  }

  async function cancel(outcome: Outcome): Promise<void> {
    group.abort(outcome)
    advance()
    await drain()
  }

  return {
    // Whatever goes wrong with it comes up again when the call is complete.
    expect: (name) =>
      void toolNamed(name, tools)
        ?.warm?.()
        ?.catch(() => {}),
    add(use, unreadable) {
      line = queue(line, use, unreadable)
      advance()
    },
    drain,
    cancel,
    async close() {
      if (!isTold(line) && !mistake) await cancel(programFailed)
      group.leave()
    },
    count: () => line.slots.length,
    finished: () => recordedIn(line),
  }
}

/** Cancelling the group never ends the turn; ending the turn cancels the group. */
function openGroup(turn: AbortSignal): {
  readonly signal: AbortSignal
  readonly abort: (outcome?: Outcome) => void
  /** The answer for calls that were stopped. */
  readonly outcome: () => Outcome
  /** Stops listening to the turn's signal. */
  readonly leave: () => void
} {
  const group = new AbortController()
  let said: Outcome | undefined
  const outcome = (): Outcome => said ?? interruptedOutcome(turn)
  const onTurnAbort = (): void => group.abort(turn.reason)
  turn.addEventListener("abort", onTurnAbort)
  if (turn.aborted) onTurnAbort()
  return {
    signal: group.signal,
    abort(instead) {
      said = instead ?? outcome()
      group.abort()
    },
    outcome,
    leave: () => turn.removeEventListener("abort", onTurnAbort),
  }
}

const resultOf = ({ use, outcome, head, durationMs }: Finished): Parameters<Agent["record"]>[0] => ({
  kind: "result",
  callId: use.id,
  tool: use.name,
  ...(head && head.title !== plainTitle(use) && { title: head.title }),
  ...(head?.gathers && { gathers: head.gathers }),
  content: outcome.content,
  isError: outcome.isError,
  ...(outcome.display && { display: outcome.display }),
  ...(outcome.data && { data: outcome.data }),
  ...(outcome.denied && { denied: { input: use.input } }),
  ...(outcome.interrupted && { interrupted: outcome.interrupted }),
  ...(outcome.seen && { seen: outcome.seen }),
  durationMs,
})
