/** `codewright rm` right after a session had ended: its process still noted its connections in the log, and it was listed again, for good. */

import { expect, test } from "bun:test"
import { utimesSync } from "node:fs"
import type { EntryBody } from "#agent/words/entry.ts"
import { sessionList } from "#faces/cli/background/session-list.ts"
import { openJobs } from "#fleet/background/jobs.ts"
import { temporaryFolder } from "../kit/tmp.ts"
import { answered, entriesOf, saidBy, writeLog } from "../kit/write-log.ts"

const sessionId = "4ac5c9c4-6ad1-4a4c-8be3-1b1b1b1b1b1b"
const connected: EntryBody = {
  kind: "connection",
  why: "model",
  name: "anthropic",
  host: "127.0.0.1",
  port: 1,
  count: 2,
}
const turn = (turnId: string): readonly EntryBody[] => [
  { kind: "turn_start", turnId },
  saidBy(turnId),
  answered("Done."),
  { kind: "turn_end", turnId, reason: "completed" },
]

test("only a turn brings it back", async () => {
  using folder = temporaryFolder()
  const state = folder.join()
  const now = Date.now()
  const jobs = openJobs(state, process.pid)
  /** The log as it is then, changed a moment after the session was removed. */
  const listed = async (bodies: readonly EntryBody[], from: number): Promise<readonly string[]> => {
    const path = folder.join(`projects/w/${sessionId}.jsonl`)
    writeLog(path, entriesOf(bodies, from), { sessionId })
    utimesSync(path, new Date(now + 60_000), new Date(now + 60_000))
    const where = { state, catalog: folder.join("catalog"), projects: folder.join("projects") }
    return (await sessionList(where, now)).sessions.map(({ id }) => id)
  }
  const ended = [...turn("t1"), connected]
  expect(await listed(ended, now - 30_000)).toEqual([sessionId])
  jobs.mark(sessionId, "removed")
  expect(await listed(ended, now - 30_000)).toEqual([])
  expect(await listed([...turn("t1"), ...turn("t2")], now)).toEqual([sessionId])
})
