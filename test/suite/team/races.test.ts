/** Processes that want the same task at the same moment (CODEWRIGHT_CLAIM_RACES says how often), and processes that die with the lock. */

import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { systemClock } from "#lib/clock.ts"
import type { TeamStore } from "#agent/words/team.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const races = Number(process.env["CODEWRIGHT_CLAIM_RACES"] ?? 100)

const open = (path: string): Promise<TeamStore> =>
  openTeamStore({ path, about: { name: "crew", lead: "lead" }, clock: systemClock })

async function withTasks(path: string, count: number): Promise<TeamStore> {
  const store = await open(path)
  for (let i = 1; i <= count; i++) valueOf(await store.board.create({ subject: `task ${i}`, description: "" }))
  return store
}

/** A program of the kit that is talked to in lines. */
function start(program: string, ...argv: readonly string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../kit/team", program), ...argv], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const lines = createInterface({ input: Readable.fromWeb(child.stdout) })[Symbol.asyncIterator]()
  return {
    child,
    say(line: string) {
      void child.stdin.write(`${line}\n`)
      void child.stdin.flush()
    },
    heard: async () => String((await lines.next()).value),
  }
}

describe("claims of several processes", () => {
  test(
    `${races} races of 4 processes have one winner each`,
    async () => {
      using folder = temporaryFolder()
      const path = folder.join("team.db")
      const store = await withTasks(path, races)
      const racers = [0, 1, 2, 3].map((at) => ({ name: `w${at}`, ...start("racer.ts", path, `w${at}`) }))
      for (const { heard } of racers) expect(await heard()).toBe("ready")
      const owners: (string | undefined)[] = []
      for (let id = 1; id <= races; id++) {
        for (const { say } of racers) say(`${id}`)
        const said = await Promise.all(racers.map(({ heard }) => heard()))
        expect(said.toSorted()).toEqual(["claimed", "claimed", "claimed", "won"])
        owners.push(racers[said.indexOf("won")]?.name)
      }
      for (const { child } of racers) await child.stdin.end()
      expect(await Promise.all(racers.map(({ child }) => child.exited))).toEqual([0, 0, 0, 0])
      expect((await store.board.list()).map(({ owner }) => owner)).toEqual(owners)
      await store.close()
    },
    Infinity,
  )

  test("a process that is killed in a transaction leaves no lock and nothing half done", async () => {
    using folder = temporaryFolder()
    const path = folder.join("team.db")
    const store = await withTasks(path, 1)
    const before = await store.board.list()
    const holder = start("holder.ts", path)
    expect(await holder.heard()).toBe("holding")
    const waiting = start("racer.ts", path, "w")
    holder.child.kill(9)
    await holder.child.exited
    expect(await waiting.heard()).toBe("ready")
    expect(await store.board.list()).toEqual(before)
    waiting.say("1")
    expect(await waiting.heard()).toBe("won")
    expect(await store.board.get("1")).toMatchObject({ subject: "task 1", owner: "w" })
    await waiting.child.stdin.end()
    await waiting.child.exited
    await store.close()
  })
})
