import { expect, test } from "bun:test"
import fc from "fast-check"
import { channel } from "#lib/channel.ts"
import { oneAfterOther } from "#lib/one-after-other.ts"

/** Pushes, pauses in which a reader may run, and at some time the end. */
const anyCourse = fc.array(fc.oneof(fc.nat(99), fc.constantFrom("pause" as const, "idle" as const)), { maxLength: 40 })
const anyWaking = fc.constantFrom("at_once" as const, "when_idle" as const)

test("a reader gets everything that is pushed before the end, once and in order, however it takes turns with the writer", async () => {
  await fc.assert(
    fc.asyncProperty(anyCourse, fc.nat(40), anyWaking, async (course, begins, wakes) => {
      const { push, close, ...values } = channel<number>({ wakes })
      let reading: Promise<number[]> | undefined
      for (const [at, step] of course.entries()) {
        if (at === begins) reading = Array.fromAsync(values)
        if (step === "pause") await Promise.resolve()
        else if (step === "idle") await new Promise((go) => setImmediate(go))
        else push(step)
      }
      close()
      push(-1)
      expect(await (reading ?? Array.fromAsync(values))).toEqual(course.filter((step) => typeof step === "number"))
    }),
  )
})

test("who stops reading leaves the rest to who reads next", async () => {
  const numbers = channel<number>()
  for (const number of [1, 2, 3]) numbers.push(number)
  numbers.close()
  for await (const number of numbers) if (number === 2) break
  expect(await Array.fromAsync(numbers)).toEqual([3])
})

test("who stops reading is known to have left, who reads to the end is not", async () => {
  let left = 0
  const numbers = channel<number>({ left: () => left++ })
  for (const number of [1, 2, 3]) numbers.push(number)
  for await (const number of numbers) if (number === 2) break
  expect(left).toBe(1)
  numbers.close()
  expect(await Array.fromAsync(numbers)).toEqual([3])
  expect(left).toBe(1)
})

test("who is woken when the thread is idle does not run between the steps of others", async () => {
  const numbers = channel<number>({ wakes: "when_idle" })
  const seen: number[] = []
  const reading = (async () => {
    for await (const number of numbers) seen.push(number)
  })()
  for (const number of [1, 2, 3]) {
    await Promise.resolve()
    numbers.push(number)
  }
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
  expect(seen).toEqual([])
  numbers.close()
  await reading
  expect(seen).toEqual([1, 2, 3])
})

test("one stream after another: all of both", async () => {
  async function* some() {
    yield 1
    yield 2
  }
  const rest = channel<number>()
  rest.push(3)
  rest.close()
  expect(await Array.fromAsync(oneAfterOther(some(), rest))).toEqual([1, 2, 3])
})

test("one stream after another: who stops in either leaves both, once", async () => {
  let isOver = false
  async function* some() {
    try {
      for (let number = 0; number < 5; number++) yield number
    } finally {
      isOver = true
    }
  }
  for (const last of [3, 5]) {
    let left = 0
    isOver = false
    const rest = channel<number>({ left: () => left++ })
    for (const number of [5, 6, 7]) rest.push(number)
    const reading = oneAfterOther(some(), rest)[Symbol.asyncIterator]()
    while ((await reading.next()).value !== last);
    await reading.return?.()
    expect(await reading.next()).toEqual({ done: true, value: undefined })
    expect({ left, isOver }).toEqual({ left: 1, isOver: true })
  }
})

test("one stream after another: what the first throws is thrown, after both were left", async () => {
  let left = 0
  async function* broken(): AsyncGenerator<number> {
    yield 1
    throw new Error("gone")
  }
  const reading = Array.fromAsync(oneAfterOther(broken(), channel<number>({ left: () => left++ })))
  expect(reading).rejects.toThrow("gone")
  await reading.catch(() => {})
  expect(left).toBe(1)
})
