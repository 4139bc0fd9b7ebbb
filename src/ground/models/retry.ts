/** Makes attempts until one succeeds or another makes no sense. Every wait is announced, and can be interrupted. */

import type { Model, ModelEvent, ModelFailure, Request } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { maskKnown } from "#lib/mask-known.ts"
import type { Result } from "#lib/result.ts"
import type { AnswerEvent, Attempt, AttemptFailure } from "./attempt.ts"

export interface RetryPolicy {
  /** Attempts at one request, including the first. */
  readonly attempts: number
  readonly firstDelayMs: number
  readonly longestDelayMs: number
  /** Whether another model would take over from this one; then being overloaded a few times in a row is enough. */
  readonly hasFallback: (model: string) => boolean
}

export const usualPolicy: RetryPolicy = {
  attempts: 10,
  firstDelayMs: 1_000,
  longestDelayMs: 60_000,
  hasFallback: () => false,
}

const overloadsBeforeFallback = 3
/** An overloaded provider is left alone for longer: its waits begin where those of others are by then. */
const overloadedAhead = 2

export interface RetryParts {
  readonly attempt: Attempt
  readonly policy: RetryPolicy
  readonly clock: Clock
  readonly ids: Ids
  /** Reads the key again; absent when there is no other key to get. */
  readonly refreshKey?: (signal: AbortSignal) => Promise<Result<unknown, string>>
  /** Credentials sent so far, which no failure may show. */
  readonly secrets?: () => readonly string[]
}

/** Its stream never throws: it always ends with `message_stop` or `error`. */
export function withRetry(parts: RetryParts): Model {
  return {
    stream: (request, signal) => ({
      [Symbol.asyncIterator]: () => passedOn(attempts(parts, request, signal)),
    }),
  }
}

/** An attempt whose events are wanted; the generator continues with how it failed. */
interface Attempted {
  readonly type: "attempt"
  readonly events: ReturnType<Attempt>
}

type Attempts = AsyncGenerator<ModelEvent | Attempted, unknown, AttemptFailure | undefined>

/** Events of attempts do not go through the generator: there are thousands, and each would wait for it. */
function passedOn(steps: Attempts): AsyncIterator<ModelEvent> {
  type Got = IteratorResult<ModelEvent>
  let inner: AsyncIterator<AnswerEvent | AttemptFailure> | undefined
  let end: AttemptFailure | undefined

  const next = (): Promise<Got> => (inner ? inner.next().then(onNext, broke) : step(steps.next(end)))

  function onNext(got: IteratorResult<AnswerEvent | AttemptFailure>): Got | Promise<Got> {
    if (got.done) inner = undefined
    else if (got.value.type === "failed") end = got.value
    else return { done: false, value: got.value }
    return next()
  }

  function broke(error: unknown): Promise<Got> {
    inner = undefined
    return step(steps.throw(error))
  }

  async function step(going: ReturnType<Attempts["next"]>): Promise<Got> {
    end = undefined
    const got = await going
    if (got.done) return { done: true, value: undefined }
    if (got.value.type !== "attempt") return { done: false, value: got.value }
    inner = got.value.events[Symbol.asyncIterator]()
    return next()
  }

  return {
    next,
    async return() {
      await inner?.return?.()
      await steps.return(undefined)
      return { done: true, value: undefined }
    },
  }
}

async function* attempts(parts: RetryParts, request: Request, signal: AbortSignal): Attempts {
  const { attempt, policy, clock, refreshKey } = parts
  let overloads = 0
  let refreshed = false
  try {
    if (request.repeat > 0) {
      const delayMs = backoff(parts, request.repeat)
      yield retryEvent(request.repeat, policy, delayMs, cutOff)
      await clock.sleep(delayMs, signal)
    }
    for (let count = 1; ; count++) {
      if (signal.aborted) return yield aborted
      const end = yield { type: "attempt", events: attempt(request, signal) }
      if (!end) return
      if (signal.aborted) return yield aborted
      const failure = masked(parts, end.failure)

      // Without a status nothing was sent: reading the key is what failed.
      if (failure.kind === "unauthorized" && failure.status !== undefined && refreshKey && !refreshed) {
        refreshed = true
        // The attempt with the new key is not one more of the same: it does not count.
        count--
        const key = await refreshKey(signal)
        if (key.ok) continue
        const message = `${failure.message} Reading a new key failed: ${key.failure.replace(/\.$/, "")}.`
        return yield signal.aborted ? aborted : { type: "error", failure: masked(parts, { ...failure, message }) }
      }
      overloads = failure.kind === "overloaded" ? overloads + 1 : 0
      const fallBack = overloads >= overloadsBeforeFallback && policy.hasFallback(request.model)
      if (!end.again || fallBack || count >= policy.attempts) return yield { type: "error", failure }

      const isSlow = failure.kind === "overloaded" && !policy.hasFallback(request.model)
      const delayMs = end.waitMs ?? backoff(parts, isSlow ? count + overloadedAhead : count)
      yield retryEvent(count, policy, delayMs, failure)
      await clock.sleep(delayMs, signal)
    }
  } catch (error) {
    // An attempt does not throw; should one do so all the same, the conversation must still learn how it ended.
    const message = `The connection to the model failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`
    yield signal.aborted ? aborted : { type: "error", failure: masked(parts, { kind: "rejected", message }) }
  }
}

/** Failures are shown, logged and kept in the transcript; an endpoint may have repeated the key in its message. */
const masked = ({ secrets }: RetryParts, failure: ModelFailure): ModelFailure => ({
  ...failure,
  message: maskKnown(failure.message, secrets?.() ?? []),
})

const aborted: ModelEvent = { type: "error", failure: { kind: "aborted", message: "Interrupted." } }

const cutOff: ModelFailure = { kind: "broken", message: "The answer was cut off." }

function retryEvent(attempt: number, policy: RetryPolicy, delayMs: number, failure: ModelFailure): ModelEvent {
  return { type: "retry", retry: { attempt, of: policy.attempts, delayMs, failure } }
}

/** Doubles with each attempt; half of it is random, so that many clients do not come back all at once. */
function backoff({ policy, ids }: RetryParts, attempt: number): number {
  const longest = Math.min(policy.firstDelayMs * 2 ** (attempt - 1), policy.longestDelayMs)
  return Math.round(longest * (0.5 + ids.random() / 2))
}
