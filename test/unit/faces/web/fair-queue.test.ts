/** Rounds of requests: a client that sends a lot waits for itself, not others for it. */

import { expect, test } from "bun:test"
import { openFairQueue } from "#faces/web/fair-queue.ts"

test("of many requests some are answered at once, the others after whoever else came, each once and in order", async () => {
  const queue = openFairQueue()
  const order: string[] = []
  const ask = async (client: string, name: string): Promise<void> => {
    await queue.enter(client)
    order.push(name)
  }
  const many = Array.from({ length: 20 }, (_, at) => `eve ${at}`)
  await Promise.all([...many.map((name) => ask("eve", name)), ask("ann", "ann")])
  expect(order.slice(0, 5)).toEqual([...many.slice(0, 4), "ann"])
  expect(order.filter((name) => name !== "ann")).toEqual(many)
})

test("between rounds others are heard", async () => {
  const queue = openFairQueue()
  const order: string[] = []
  const eve = Array.from({ length: 12 }, async (_, at) => {
    await queue.enter("eve")
    order.push(`eve ${at}`)
    if (at === 5) setImmediate(() => void queue.enter("ann").then(() => order.push("ann")))
  })
  await Promise.all(eve)
  expect(order.indexOf("ann")).toBeLessThan(order.indexOf("eve 11"))
})
