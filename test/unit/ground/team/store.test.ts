import { describe, expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { newcomer, teamConformance, valueOf } from "../../../kit/team/conformance.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const about = { name: "crew", lead: "lead" }

async function open() {
  const folder = temporaryFolder()
  const store = await openTeamStore({ path: folder.join("team.db"), about, clock: systemClock })
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

teamConformance("a file", open)

describe("two that share a file", () => {
  test("see each other's changes, and are told of them", async () => {
    using folder = temporaryFolder()
    const at = { path: folder.join("deep/team.db"), about, clock: systemClock }
    const [one, two] = [await openTeamStore(at), await openTeamStore({ ...at, about: { name: "x", lead: "y" } })]
    const told = new Promise<void>((resolve) => two.watch(resolve))
    valueOf(await one.roster.join(newcomer("ann")))
    await told
    expect(await two.roster.members()).toMatchObject([{ name: "ann" }])
    expect(await two.roster.about()).toEqual(about)
    await one.close()
    await two.close()
  })

  test("a file of another version is refused", async () => {
    using folder = temporaryFolder()
    const { Database } = await import("bun:sqlite")
    const path = folder.join("team.db")
    const database = new Database(path, { create: true })
    database.run("pragma user_version = 99")
    database.close()
    expect(openTeamStore({ path, about, clock: systemClock })).rejects.toThrow("another version of Codewright")
  })
})
