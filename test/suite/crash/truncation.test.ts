/** A log cut at every byte of its end, as a crash or a full disk might: what was whole is there, and the conversation is valid. */

import { expect, test } from "bun:test"
import { readFileSync, truncateSync } from "node:fs"
import { loadLog, loadTail } from "#ground/transcript/load.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { inspectLog } from "#ground/transcript/salvage.ts"
import { foldMessages, repaired } from "../../kit/fold-log.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, write } from "../../kit/script.ts"
import { answerComplaints } from "../../kit/test-loop.ts"
import { complaints } from "../../kit/valid-messages.ts"

const everyByteOf = 4096

test("whatever byte a log ends with, a resume goes on from the last whole line", async () => {
  await using t = await openTestSession({
    script: [
      calls(read("a.txt"), read("b.txt")),
      calls(edit("a.txt", "one", "two"), bash("echo three >> c.txt"), read("b.txt"), read("a.txt")),
      calls(write("d.txt", "four"), bash("cat c.txt")),
      says("Done."),
    ],
    files: { "a.txt": "one\n", "b.txt": "b\n" },
  })
  expect(await t.prompt("work")).toEqual({ reason: "completed" })
  const entries = t.entries()
  await t.session.close()
  const bytes = readFileSync(t.logPath)
  expect(bytes.length).toBeGreaterThan(everyByteOf)

  const wrong: string[] = []
  let whole = entries.length
  for (let cut = bytes.length - 1; cut >= bytes.length - everyByteOf; cut--) {
    truncateSync(t.logPath, cut)
    // A line that lacks only its newline is whole; the next byte that goes is a part of it.
    const lacksNewline = bytes[cut] === 0x0a
    const isNewLine = bytes[cut + 1] === 0x0a
    if (isNewLine) whole--
    const loaded = loadLog(t.logPath, { torn: "leave" })
    if (!loaded.ok) {
      wrong.push(`${cut}: cannot be read`)
      continue
    }
    const kept = loaded.value.entries
    const torn = bytes[cut - 1] !== 0x0a && !lacksNewline
    if (kept.length !== whole || kept.at(-1)?.uuid !== entries[whole - 1]?.uuid)
      wrong.push(`${cut}: ${kept.length} of ${whole}`)
    if (loaded.value.notes.length !== (torn ? 1 : 0)) wrong.push(`${cut}: ${loaded.value.notes.join()}`)
    // What follows depends on the whole lines alone, so it is looked at where their number changes, and now and then.
    if (!isNewLine && !lacksNewline && cut % 101 !== 0) continue
    const tail = loadTail(t.logPath, { torn: "leave" })
    const state = inspectLog(t.logPath)
    if (!tail.ok || tail.value.entries.length !== whole) wrong.push(`${cut}: the tail is not all of ${whole}`)
    if (!state.ok || state.value.damaged.length > 0 || state.value.tornBytes > 0 !== torn)
      wrong.push(`${cut}: inspected otherwise`)
    if (pathOf(kept).length !== whole) wrong.push(`${cut}: the path has ${pathOf(kept).length} of ${whole}`)
    const after = repaired(kept)
    wrong.push(...[...complaints(foldMessages(after)), ...answerComplaints(after)].map((what) => `${cut}: ${what}`))
  }
  expect(wrong.slice(0, 10)).toEqual([])
})
