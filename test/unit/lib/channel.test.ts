import { expect, test } from "bun:test"
import fc from "fast-check"
import { channel } from "#lib/channel.ts"
import { oneAfterOther } from "#lib/one-after-other.ts"

/** Pushes, pauses in which a reader may run, and at some time the end. */
const anyCourse = fc.array(fc.oneof(fc.nat(99), fc.constant("pause" as const)), { maxLength: 40 })

test("a reader gets everything that is pushed before the end, once and in order, however it takes turns with the writer", async () => {
  await fc.assert(
    fc.asyncProperty(anyCourse, fc.nat(40), async (course, begins) => {
      const { push, close, ...values } = channel<number>()
      let reading: Promise<number[]> | undefined
      for (const [at, step] of course.entries()) {
        if (at === begins) reading = Array.fromAsync(values)
        if (step === "pause") await Promise.resolve()
        else push(step)
      }
      close()
      push(-1)
      expect(await (reading ?? Array.fromAsync(values))).toEqual(course.filter((step) => step !== "pause"))
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

test("one stream after another: all of both, and the end is told once", async () => {
  let ends = 0
  async function* some() {
    yield 1
    yield 2
  }
  const rest = channel<number>()
  rest.push(3)
  rest.close()
  const both = oneAfterOther(some(), rest, () => ends++)
  expect(await Array.fromAsync(both)).toEqual([1, 2, 3])
  expect(ends).toBe(1)
})

test("one stream after another: who stops in the first ends it, and never asks for the second", async () => {
  let ends = 0
  let isOver = false
  async function* endless() {
    try {
      for (let number = 0; ; number++) yield number
    } finally {
      isOver = true
    }
  }
  const reading = oneAfterOther(endless(), channel<number>(), () => ends++)
  for await (const number of reading) if (number === 5) break
  expect({ ends, isOver }).toEqual({ ends: 1, isOver: true })
})

test("one stream after another: what the first throws is thrown, after the end was told", async () => {
  let ends = 0
  async function* broken(): AsyncGenerator<number> {
    yield 1
    throw new Error("gone")
  }
  const reading = Array.fromAsync(oneAfterOther(broken(), channel<number>(), () => ends++))
  expect(reading).rejects.toThrow("gone")
  await reading.catch(() => {})
  expect(ends).toBe(1)
})
