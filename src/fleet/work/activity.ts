/** What is under way in a session: whether it does nothing any more but wait for people. */

import type { Call } from "#agent/words/middleware.ts"
import { isReadOnly } from "#agent/words/footprint.ts"
import type { Model } from "#agent/words/model.ts"
import type { Question } from "#agent/words/question.ts"

export interface Activity {
  readonly onCall: (call: Call) => () => void
  /** The model as given, counted while it answers. */
  readonly watched: (model: Model) => Model
  /** Nobody thinks, and every call that runs has asked something. */
  readonly isOnlyWaiting: (questions: readonly Question[]) => boolean
  /** Nobody thinks, and no call runs. */
  readonly isStill: () => boolean
  /** Nothing that could change anything runs. */
  readonly isHarmless: () => boolean
  /** Whether something may have been changed since the last time. */
  readonly takeChanged: () => boolean
}

export function openActivity(): Activity {
  const calls = new Set<Call>()
  let answers = 0
  let hasChanged = false

  async function* counted<T>(events: AsyncIterable<T>): AsyncGenerator<T> {
    answers++
    try {
      yield* events
    } finally {
      answers--
    }
  }

  return {
    onCall(call) {
      calls.add(call)
      return () => {
        calls.delete(call)
        hasChanged ||= !isReadOnly(call.footprint)
      }
    },
    watched: (model) => ({ ...model, stream: (request, signal) => counted(model.stream(request, signal)) }),
    isOnlyWaiting(questions) {
      const asked = new Set(questions.map(({ ask }) => ask.callId))
      // A call that delegates lasts as long as its agent, whose own calls are counted here too.
      return answers === 0 && [...calls].every(({ callId, tool }) => asked.has(callId) || tool.delegates)
    },
    isStill: () => answers === 0 && calls.size === 0,
    isHarmless: () => [...calls].every(({ footprint, tool }) => isReadOnly(footprint) || tool.delegates),
    takeChanged() {
      const changed = hasChanged
      hasChanged = false
      return changed
    },
  }
}
