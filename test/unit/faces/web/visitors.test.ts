/** Whose requests wait for whose: who shows a new wrong token each time waits for themselves, and nobody with a valid one waits for them. */

import { expect, test } from "bun:test"
import { openFairQueue } from "#faces/web/fair-queue.ts"
import { openVisitors } from "#faces/web/visitors.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { systemClock } from "#lib/clock.ts"
import { openUsual } from "../../../kit/database/engines.ts"
import { valueOf } from "../../../kit/team/conformance.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const bearer = (secret: string): Headers => new Headers({ authorization: `Bearer ${secret}` })
const wrong = Array.from({ length: 20 }, (_, at) => bearer(`a-wrong-token-number-${at}`))
const ann = bearer("the-token-that-ann-has")
const proxy = "10.0.0.1"

test("a secret has a lane of its own only while it is valid; all others share that of their address", async () => {
  using folder = temporaryFolder()
  const database = await openUsual(folder)
  const store = valueOf(await openFleetStore(database))
  await store.tokens.add({ name: "ann", role: "operator" }, "the-token-that-ann-has", undefined, "root")
  const own = { name: "root", role: "admin", secret: "the-secret-of-whoever-started-it" } as const
  const visitors = openVisitors({ store, own, port: () => 1, clock: systemClock })

  // Nobody has looked at it yet, so it is as good as any other.
  expect(visitors.lane(ann, proxy)).toBe(`address ${proxy}`)
  expect((await visitors.of(ann))?.name).toBe("ann")
  for (const headers of wrong) expect(await visitors.of(headers)).toBeUndefined()
  expect(new Set(wrong.map((headers) => visitors.lane(headers, proxy)))).toEqual(new Set([`address ${proxy}`]))
  expect(visitors.lane(new Headers({ cookie: "codewright_1=a-wrong-secret-in-a-cookie" }), proxy)).toBe(
    `address ${proxy}`,
  )
  expect(visitors.lane(ann, proxy)).not.toContain(proxy)
  expect(visitors.lane(ann, proxy)).not.toContain("the-token-that-ann-has")

  const queue = openFairQueue()
  const order: string[] = []
  const ask = async (headers: Headers, name: string): Promise<void> => {
    await queue.enter(visitors.lane(headers, proxy))
    order.push(name)
  }
  await Promise.all([...wrong.map((headers) => ask(headers, "wrong")), ask(ann, "ann")])
  expect(order.indexOf("ann")).toBe(4)
  expect(order).toHaveLength(21)

  await store.tokens.revoke("ann", "root")
  expect(await visitors.of(ann)).toBeUndefined()
  expect(visitors.lane(ann, proxy)).toBe(`address ${proxy}`)
  await store.close()
  await database.close()
})
