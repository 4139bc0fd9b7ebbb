/** What is loaded while the model is waited for: once, and only when it lets itself be waited for. */

import { expect, test } from "bun:test"
import type { Model, ModelEvent, Request } from "#agent/words/model.ts"
import { deferred } from "#lib/deferred.ts"
import { meanwhile } from "#session/turn/meanwhile.ts"
import { openHandClock } from "../../kit/hand-clock.ts"

const request = {} as Request
const stop: ModelEvent = { type: "message_stop" }

/** A model whose answers begin when they are let. */
function openSlow(load: () => Promise<unknown>) {
  const clock = openHandClock()
  let begins = deferred<void>()
  const slow: Model = {
    async *stream() {
      await begins.promise
      yield stop
    },
  }
  const model = meanwhile(slow, { clock, load })
  const ask = async (): Promise<readonly ModelEvent[]> => {
    begins = deferred()
    return Array.fromAsync(model.stream(request, new AbortController().signal))
  }
  return { clock, ask, begin: () => begins.resolve() }
}

test("what the first call needs is loaded once, while the first answer is waited for", async () => {
  let loads = 0
  const t = openSlow(async () => void loads++)
  for (let i = 0; i < 3; i++) {
    const answer = t.ask()
    await t.clock.pass(500)
    expect(loads).toBe(1)
    t.begin()
    expect(await answer).toEqual([stop])
  }
})

test("an answer that begins at once leaves nothing behind", async () => {
  let loads = 0
  const t = openSlow(async () => void loads++)
  const answer = t.ask()
  await t.clock.pass(5)
  t.begin()
  expect(await answer).toEqual([stop])
  await t.clock.pass(500)
  const second = t.ask()
  await t.clock.pass(500)
  t.begin()
  expect(await second).toEqual([stop])
  expect(loads).toBe(0)
})

test("what cannot be loaded does not harm the answer", async () => {
  const t = openSlow(() => Promise.reject(new Error("no such file")))
  const answer = t.ask()
  await t.clock.pass(500)
  t.begin()
  expect(await answer).toEqual([stop])
})
