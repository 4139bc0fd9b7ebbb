/** Which attempts count: a new key is not one more of the same. */

import { expect, test } from "bun:test"
import type { ModelFailure } from "#agent/words/model.ts"
import type { AttemptFailure } from "#ground/models/attempt.ts"
import { usualPolicy, withRetry } from "#ground/models/retry.ts"
import { seededIds } from "#lib/ids.ts"
import { ok } from "#lib/result.ts"
import { fakeClock } from "./fake-clock.ts"
import { requestOf } from "./port.ts"

const refused = (kind: ModelFailure["kind"], again: boolean): AttemptFailure => ({
  type: "failed",
  failure: { kind, message: kind } as ModelFailure,
  again,
})

test("the attempt with a fresh key does not count as a try", async () => {
  const answers = [refused("unauthorized", false), refused("server", true), refused("server", true)]
  let keys = 0
  const model = withRetry({
    async *attempt() {
      yield answers.shift() ?? refused("server", false)
    },
    policy: { ...usualPolicy, attempts: 2 },
    clock: fakeClock(),
    ids: seededIds(1),
    refreshKey: async () => ok(void keys++),
  })
  const events = await Array.fromAsync(model.stream(requestOf(), new AbortController().signal))
  expect(events.map((event) => (event.type === "retry" ? `try ${event.retry.attempt}` : event.type))).toEqual([
    "try 1",
    "error",
  ])
  expect([keys, answers.length]).toEqual([1, 0])
})
