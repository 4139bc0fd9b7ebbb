/** One turn: a flat loop over steps, so that the hundredth costs as much as the first. See decision 2. */

import type { Agent, RequestOptions } from "./agent.ts"
import type { FinishedCall } from "./executor.ts"
import { isRepeatable, runCalls, runStep, type StepEnd } from "./step.ts"
import type { End } from "./words/end.ts"
import type { ToolUseBlock } from "./words/message.ts"
import type { ModelFailure } from "./words/model.ts"

const continuations = 3
const mostRecoveries = 8
const pauses = 20
const guardReminds = 5
const guardEnds = 15

interface Turn {
  readonly wish: RequestOptions
  /** Answers that count, whole or cut. */
  readonly steps: number
  /** In a row: answers cut off at the output limit, recovered refusals, pauses. */
  readonly continued: number
  readonly recovered: number
  readonly paused: number
}

const beginning: Turn = {
  wish: { delivery: "stream", repeat: 0, output: "usual" },
  steps: 0,
  continued: 0,
  recovered: 0,
  paused: 0,
}

type Verdict =
  | { readonly kind: "end"; readonly end: End }
  | { readonly kind: "step"; readonly turn: Turn; readonly after: "nothing" | "gathering" }
  | { readonly kind: "rest"; readonly turn: Turn }

type Answered = StepEnd & { kind: "answered" }

/** `waiting` are calls of the last answer that had not started when the program ended: the turn continues with them. */
export async function run(agent: Agent, signal: AbortSignal, waiting: readonly ToolUseBlock[] = []): Promise<End> {
  const guard = openGuard()
  let turn = beginning
  let begun = waiting
  // Nothing comes between calls and their results.
  if (begun.length === 0) await agent.gather(signal)
  for (;;) {
    if (signal.aborted) return { reason: "aborted" }
    const { maxTurns } = agent.limits
    if (maxTurns !== undefined && turn.steps >= maxTurns) return tooManySteps(turn.steps)

    const step =
      begun.length > 0 ? await runCalls(agent, begun, signal) : await runStep(agent, turn.wish, turn.steps, signal)
    begun = []
    const verdict =
      step.kind === "answered"
        ? afterAnswer(agent, step, turn, { guard, signal })
        : afterNone(agent, step, turn, signal)
    if (verdict.kind === "end") return verdict.end
    turn = verdict.turn
    if (verdict.kind === "rest") {
      const next = await agent.rest(signal)
      if (next !== "go_on") return next === "end" ? { reason: "completed" } : next
    } else if (verdict.after === "gathering") await agent.gather(signal)
  }
}

/** The step left nothing in the conversation. */
function afterNone(agent: Agent, step: Exclude<StepEnd, Answered>, turn: Turn, signal: AbortSignal): Verdict {
  switch (step.kind) {
    case "stopped":
      return ends(step.end)
    case "aborted":
      return ends({ reason: "aborted", cause: step.during === "tools" ? "aborted_tools" : "aborted_streaming" })
    case "failed": {
      if (signal.aborted || step.failure.kind === "aborted") return ends(interrupted)
      if (turn.recovered >= mostRecoveries || agent.recover(step.failure) === "give_up")
        return ends(failedEnd(step.failure))
      return { kind: "step", turn: { ...turn, recovered: turn.recovered + 1 }, after: "nothing" }
    }
    case "orphaned":
      return askAgain(agent, step.failure, turn, "nothing")
  }
}

/** The answer is in the conversation, with the results of its calls. */
function afterAnswer(
  agent: Agent,
  { stopReason, calls, cut }: Answered,
  before: Turn,
  { guard, signal }: { readonly guard: Guard; readonly signal: AbortSignal },
): Verdict {
  // Interrupted during the final answer: the answer stays, and queued prompts stay queued.
  if (signal.aborted) return ends(interrupted)
  const turn: Turn = { ...before, steps: before.steps + 1, recovered: 0 }

  if (calls.some(({ outcome }) => outcome.rejected))
    return ends({ reason: "aborted", cause: "declined", message: "You rejected a call." })
  const over = calls.findLast(({ outcome }) => outcome.end)?.outcome.end
  if (over) return over.reason === "completed" ? { kind: "rest", turn } : ends(over)
  const stuck = guard.watch(calls)
  if (stuck?.kind === "end") return ends({ reason: "error", cause: "loop_guard", message: stuck.message })
  if (stuck) agent.record({ kind: "attachment", name: "loop_guard", text: stuck.message })
  if (cut) return askAgain(agent, cut, turn, "gathering")

  const whole: Turn = { ...turn, wish: { ...beginning.wish, output: turn.wish.output } }
  switch (stopReason) {
    case "refusal":
      return ends(refused)
    case "model_context_window_exceeded":
      return ends(windowExceeded)
    case "max_tokens":
      return continueAnswer(agent, whole)
    default: {
      const paused = stopReason === "pause_turn" ? turn.paused + 1 : 0
      if (paused > pauses) return ends(pausedTooOften)
      const next: Turn = { ...whole, continued: 0, paused }
      return calls.length > 0 || stopReason === "pause_turn"
        ? { kind: "step", turn: next, after: "gathering" }
        : { kind: "rest", turn: next }
    }
  }
}

/**
 * The connection broke in the middle of an answer: the next request repeats the step, or continues after what was
 * complete.
 */
function askAgain(agent: Agent, failure: ModelFailure, turn: Turn, after: "nothing" | "gathering"): Verdict {
  if (failure.kind === "aborted") return ends(interrupted)
  const repeat = turn.wish.repeat + 1
  if (!isRepeatable(failure) || repeat > agent.limits.repeats) return ends(failedEnd(failure))
  // Being overloaded in mid-answer is a reason for the other model too; without one, the same is asked again.
  if (failure.kind === "overloaded") agent.recover(failure)
  // A stream that broke twice will likely break again: some proxies cut streams, so the next try asks for the whole answer at once.
  const wish: RequestOptions = { output: turn.wish.output, repeat, delivery: repeat >= 2 ? "whole" : "stream" }
  return { kind: "step", turn: { ...turn, wish }, after }
}

function continueAnswer(agent: Agent, turn: Turn): Verdict {
  const continued = turn.continued + 1
  if (continued > continuations)
    return ends({
      reason: "error",
      cause: "max_output_tokens",
      message: `The answer was cut off at the output limit ${continued} times in a row.`,
    })
  agent.record({
    kind: "attachment",
    name: "continue",
    text: "Your answer was cut off at the output limit. Go on exactly where it stopped, without repeating or apologising; make long tool inputs shorter.",
  })
  return { kind: "step", turn: { ...turn, continued, wish: { ...turn.wish, output: "raised" } }, after: "gathering" }
}

const ends = (end: End): Verdict => ({ kind: "end", end })

const interrupted: End = { reason: "aborted", cause: "aborted_streaming" }

const refused: End = {
  reason: "error",
  cause: "refusal",
  message: "The model refused to answer. Rephrase the request, or try another model.",
}

const windowExceeded: End = {
  reason: "error",
  cause: "model_context_window_exceeded",
  message: "The answer ran out of the model's context window. Start a new session, or ask for less at once.",
}

const pausedTooOften: End = {
  reason: "error",
  cause: "pause_turn",
  message: `The model paused ${pauses} times in a row without an answer.`,
}

const tooManySteps = (steps: number): End => ({
  reason: "max_turns",
  message: `Stopped after ${steps} ${steps === 1 ? "step" : "steps"}, the limit set for this turn.`,
})

function failedEnd(failure: ModelFailure): End {
  return {
    reason: "error",
    cause: failure.kind,
    message: failure.message,
    ...(failure.status !== undefined && { status: failure.status }),
  }
}

interface Guard {
  readonly watch: (calls: readonly FinishedCall[]) => Stuck | undefined
}

type Stuck = { readonly kind: "remind" | "end"; readonly message: string }

function openGuard(): Guard {
  let last = ""
  let failures = 0
  return {
    watch(calls) {
      let stuck: Stuck | undefined
      for (const { use, outcome } of calls) {
        if (!outcome.isError) {
          failures = 0
          continue
        }
        const key = `${use.name} ${JSON.stringify(use.input)}`
        failures = key === last ? failures + 1 : 1
        last = key
        if (failures === guardReminds)
          stuck = {
            kind: "remind",
            message: `${use.name} has failed ${failures} times in a row with the same input. It will not work like this: change the input, take another way, or tell the user what is in the way.`,
          }
        if (failures >= guardEnds)
          return {
            kind: "end",
            message: `${use.name} failed ${failures} times in a row with the same input, so the turn was ended.`,
          }
      }
      return stuck
    },
  }
}
