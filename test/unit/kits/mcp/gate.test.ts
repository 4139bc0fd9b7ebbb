import { expect, test } from "bun:test"
import { openGate } from "#kits/mcp/gate.ts"

const { signal } = new AbortController()

test("only so many are inside at once, and the others follow in order", async () => {
  const gate = openGate(2)
  const order: number[] = []
  const leave = [await gate.enter(signal), await gate.enter(signal)]
  const third = gate.enter(signal).then((go) => (order.push(3), go))
  const fourth = gate.enter(signal).then((go) => (order.push(4), go))
  await Bun.sleep(0)
  expect(order).toEqual([])
  leave[0]?.()
  // Leaving twice lets nobody else in.
  leave[0]?.()
  const go = await third
  await Bun.sleep(0)
  expect(order).toEqual([3])
  go()
  await fourth
  expect(order).toEqual([3, 4])
})

test("who gives up does not hold the others back", async () => {
  const gate = openGate(1)
  const leave = await gate.enter(signal)
  const stop = new AbortController()
  const gaveUp = gate.enter(stop.signal)
  const waits = gate.enter(signal)
  stop.abort()
  ;(await gaveUp)()
  leave()
  await waits
})
