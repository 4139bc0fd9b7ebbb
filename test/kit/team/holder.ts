/** A process that stops in the middle of a transaction, with a change made and not committed. Run as a program: the team's file. */

import { writeSync } from "node:fs"
import { openTeamDatabase } from "#ground/team/sqlite.ts"

const [path = ""] = process.argv.slice(2)
const { database, write } = await openTeamDatabase(path, { name: "crew", lead: "lead" }, () => {})
write(() => {
  database.run("update team_tasks set subject = 'half done', status = 'in_progress', owner = 'dead' where id = 1")
  writeSync(1, "holding\n")
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
