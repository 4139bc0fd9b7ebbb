/** A loop of a background session: the host opens the session for each round, also after it was killed. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { textOf } from "#agent/words/message.ts"
import { openBackgroundWorld } from "../../kit/background-world.ts"

setDefaultTimeout(300_000)

test("it goes on in the host, whoever is killed, and ends when it is stopped", async () => {
  await using world = await openBackgroundWorld(() => ({ content: "Looked." }))
  const id = await world.start("/loop 10s look around")
  const rounds = (): readonly string[] =>
    world
      .entries(id)
      .flatMap((entry) => (entry.kind === "prompt" && textOf(entry.content) === "look around" ? [entry.promptId] : []))
  while (rounds().length < 1) await Bun.sleep(20)
  await world.until(id, "done")
  const killed = world.host()
  // It stays for the next round, although no session is open.
  expect(killed).toBeDefined()
  process.kill(Number(killed), "SIGKILL")
  await world.ended()
  await world.run("agents")
  while (rounds().length < 2) await Bun.sleep(20)
  await world.until(id, "done")
  expect(new Set(rounds()).size).toBe(2)
  expect(await world.run("--bg", "--resume", id, "/loop stop")).toMatchObject({ code: 0 })
  await world.ended()
  expect(world.entries(id).findLast(({ kind }) => kind === "loop")).toMatchObject({ stopped: true, sent: 2 })
})
