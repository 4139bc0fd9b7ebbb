/** A sender or a reader of mail that can be killed at a chosen line. Run as a program: role, the team's file, the folder for notes, name, others, count, crash point, which time. */

import { systemClock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { note, notesIn } from "./notes.ts"
import { valueOf } from "./conformance.ts"

const [role, path = "", notes = "", name = "", others = "", count = "", point = "", which = ""] = process.argv.slice(2)
const store = await openTeamStore({ path, about: { name: "crew", lead: "lead" }, clock: systemClock })
const log = `log of ${name}`
let times = 0

/** Nothing is left to run: not a handler, not a flush. */
function reach(here: string): void {
  if (here === point && ++times === Number(which)) process.kill(process.pid, "SIGKILL")
}

if (role === "sender") await sendAll()
else await readAll()
await store.close()

/** Its own log says what was sent; what was sent last before a crash may be sent again. */
async function sendAll(): Promise<void> {
  for (let i = notesIn(notes, log).length; i < Number(count); i++) {
    for (const to of others.split(",")) {
      reach("before sending")
      valueOf(await store.mail.send({ from: name, to, type: "message", text: `${i}`, key: `${i}` }))
    }
    reach("between boxes and the log")
    note(notes, log, `${i}`)
    reach("after the log")
  }
}

async function readAll(): Promise<void> {
  const expected = Number(count) * others.split(",").length
  for (;;) {
    const read = notesIn(notes, log)
    if (read.length >= expected) return
    const mail = await store.mail.after(name, Number(read.at(-1)?.split(" ")[0] ?? 0))
    reach("before the log")
    for (const { seq, from, text } of mail) {
      note(notes, log, `${seq} ${from} ${text}`)
      reach("within the log")
    }
    reach("between the log and the cursor")
    if (mail.length > 0) await store.mail.delivered(name, mail.at(-1)?.seq ?? 0)
    reach("after the cursor")
    if (mail.length === 0) await Bun.sleep(20)
  }
}
