/** A connection made ahead of the first request: nothing is sent over it, and the request then uses it. */

import { expect, test } from "bun:test"
import { ask, openPort, said, until } from "./port.ts"
import { rawServer } from "./raw-server.ts"
import { saying, streams } from "./wire-events.ts"

test("where a request follows soon, its connection is there before it", async () => {
  await using server = await rawServer(streams(...saying("hello")))
  const port = openPort(server.url, { provider: { soon: true }, first: "claude-test" })
  await until(() => server.connections() === 1)
  expect(server.seen).toEqual([])
  expect(await ask(port)).toEqual(said("hello"))
  expect(server.seen.map(({ connection }) => connection)).toEqual([0])
  expect(server.connections()).toBe(1)
})

test("otherwise nobody is called before there is something to say", async () => {
  await using server = await rawServer(streams(...saying("hello")))
  await using other = await rawServer(streams(...saying("hello")))
  const port = openPort(server.url, { first: "claude-test" })
  openPort(other.url, { provider: { soon: true }, first: "claude-test" })
  // By the time this one is there, the first would be as well.
  await until(() => other.connections() === 1)
  expect(server.connections()).toBe(0)
  expect(await ask(port)).toEqual(said("hello"))
})

test("an address that leads nowhere is told by the request, not before", async () => {
  const port = openPort("http://127.0.0.1:1", {
    provider: { soon: true },
    first: "claude-test",
    policy: { attempts: 1 },
  })
  expect((await ask(port)).at(-1)).toMatchObject({ type: "error" })
  const odd = openPort("http://[::bad", { provider: { soon: true }, first: "claude-test", policy: { attempts: 1 } })
  expect((await ask(odd)).at(-1)).toMatchObject({
    type: "error",
    failure: { message: expect.stringContaining("[::bad") },
  })
})
