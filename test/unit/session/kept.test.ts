/** The lock of a log: everyone takes one, except whoever begins a log that the lock of its parent covers. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import { type LogChoice, openKept } from "#session/journal/kept.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

test("a new log of an agent is not locked, and is when it is continued", () => {
  using folder = temporaryFolder()
  const sessionLogs = openSessionLogs({ projects: folder.path, slug: "x" })
  const path = sessionLogs.logPath("a")
  const open = (log: LogChoice, isCovered: boolean) =>
    openKept({ id: "a", log, sessionLogs, version: "1", cwd: folder.path, pid: process.pid, isCovered })

  const begun = open({ kind: "new" }, true)
  expect({ ok: begun.ok, locked: existsSync(`${path}.lock`) }).toEqual({ ok: true, locked: false })
  expect(open({ kind: "new" }, true)).toMatchObject({ ok: false, failure: { kind: "log" } })
  if (!begun.ok) return
  begun.value.log?.close()
  begun.value.unlock()

  const again = open({ kind: "resume", path }, true)
  expect({ ok: again.ok, locked: existsSync(`${path}.lock`) }).toEqual({ ok: true, locked: true })
  expect(open({ kind: "resume", path }, true)).toMatchObject({ ok: false, failure: { kind: "in_use" } })
  if (!again.ok) return
  again.value.log?.close()
  again.value.unlock()
  expect(existsSync(`${path}.lock`)).toBe(false)
})
