/** One process in a race for tasks: for each id it reads it tries to claim that task and says how it went. Run as a program: the team's file, its name. */

import { createInterface } from "node:readline"
import { systemClock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"

const [path = "", name = ""] = process.argv.slice(2)
const store = await openTeamStore({ path, about: { name: "crew", lead: "lead" }, clock: systemClock })
process.stdout.write("ready\n")
for await (const id of createInterface({ input: process.stdin })) {
  const claim = await store.board.claim(name, { id })
  process.stdout.write(`${claim.ok ? "won" : claim.failure.kind}\n`)
}
await store.close()
