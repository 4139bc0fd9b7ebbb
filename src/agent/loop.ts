/** One turn: ask, act, tell, until nothing is left to ask. A flat loop over steps, so that the hundredth costs what the first did. */

import type { Agent, Wish } from "./agent.ts"
import type { FinishedCall } from "./executor.ts"
import { runCalls, runStep } from "./step.ts"
import type { End } from "./words/end.ts"
import type { ToolUseBlock } from "./words/message.ts"
import type { ModelFailure } from "./words/model.ts"

const continuations = 3
const mends = 8
const pauses = 20
const guardReminds = 5
const guardEnds = 15

/** `waiting` are calls of the last answer that were not begun when the program ended: the turn goes on with them. */
export async function run(agent: Agent, signal: AbortSignal, waiting: readonly ToolUseBlock[] = []): Promise<End> {
  const guard = openGuard()
  let wish: Wish = { delivery: "stream", repeat: 0, output: "usual" }
  let steps = 0
  let continued = 0
  let mended = 0
  let paused = 0

  let begun = waiting
  // Nothing comes between calls and their results.
  if (begun.length === 0) await agent.gather(signal)
  for (;;) {
    if (signal.aborted) return { reason: "aborted" }
    if (agent.limits.maxTurns !== undefined && steps >= agent.limits.maxTurns)
      return {
        reason: "max_turns",
        message: `Stopped after ${steps} ${steps === 1 ? "step" : "steps"}, the limit set for this turn.`,
      }

    const step = begun.length > 0 ? await runCalls(agent, begun, signal) : await runStep(agent, wish, steps, signal)
    begun = []
    switch (step.kind) {
      case "stopped":
        return step.end
      case "aborted":
        return { reason: "aborted", cause: step.during === "tools" ? "aborted_tools" : "aborted_streaming" }
      case "failed": {
        if (signal.aborted || step.failure.kind === "aborted") return { reason: "aborted", cause: "aborted_streaming" }
        if (mended++ >= mends || agent.mend(step.failure) === "give_up") return failedEnd(step.failure)
        continue
      }
      case "orphaned": {
        const repeat = wish.repeat + 1
        if (repeat > agent.limits.repeats) return failedEnd(step.failure)
        // Being overloaded in mid-answer is a reason for the other model too; without one, the same is asked again.
        if (step.failure.kind === "overloaded") agent.mend(step.failure)
        // A stream that broke twice will likely break again: some proxies cut streams, so the next try asks for the whole answer at once.
        wish = { output: wish.output, repeat, delivery: repeat >= 2 ? "whole" : "stream" }
        continue
      }
      case "answered":
        break
    }
    // Interrupted with the last word: the answer stays, and what waits to be said goes on waiting.
    if (signal.aborted) return { reason: "aborted", cause: "aborted_streaming" }

    steps++
    mended = 0
    wish = { delivery: "stream", repeat: 0, output: wish.output }
    const { stopReason, calls } = step

    if (calls.some(({ outcome }) => outcome.rejected))
      return { reason: "aborted", cause: "declined", message: "You rejected a call." }
    const stuck = guard.watch(calls)
    if (stuck?.kind === "end") return { reason: "error", cause: "loop_guard", message: stuck.message }
    if (stuck) agent.record({ kind: "attachment", name: "loop_guard", text: stuck.message })

    switch (stopReason) {
      case "refusal":
        return {
          reason: "error",
          cause: "refusal",
          message: "The model refused to answer. Rephrase the request, or try another model.",
        }
      case "model_context_window_exceeded":
        return {
          reason: "error",
          cause: "model_context_window_exceeded",
          message: "The answer ran out of the model's context window. Start a new session, or ask for less at once.",
        }
      case "max_tokens": {
        if (continued++ >= continuations)
          return {
            reason: "error",
            cause: "max_output_tokens",
            message: `The answer was cut off at the output limit ${continued} times in a row.`,
          }
        wish = { delivery: "stream", repeat: 0, output: "raised" }
        agent.record({
          kind: "attachment",
          name: "continue",
          text: "Your answer was cut off at the output limit. Go on exactly where it stopped, without repeating or apologising; make long tool inputs shorter.",
        })
        await agent.gather(signal)
        continue
      }
      default:
        continued = 0
    }

    paused = stopReason === "pause_turn" ? paused + 1 : 0
    if (paused > pauses)
      return {
        reason: "error",
        cause: "pause_turn",
        message: `The model paused ${pauses} times in a row without an answer.`,
      }
    if (calls.length > 0 || stopReason === "pause_turn") {
      await agent.gather(signal)
      continue
    }
    if ((await agent.rest(signal)) === "end") return { reason: "completed" }
  }
}

function failedEnd(failure: ModelFailure): End {
  return {
    reason: "error",
    cause: failure.kind,
    message: failure.message,
    ...(failure.status !== undefined && { status: failure.status }),
  }
}

type Stuck = { readonly kind: "remind" | "end"; readonly message: string }

/** Notices the same call failing again and again. */
function openGuard(): { watch: (calls: readonly FinishedCall[]) => Stuck | undefined } {
  let last = ""
  let failures = 0
  return {
    watch(calls) {
      let stuck: Stuck | undefined
      for (const { use, outcome } of calls) {
        const key = `${use.name} ${JSON.stringify(use.input)}`
        failures = outcome.isError ? (key === last ? failures + 1 : 1) : 0
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
