/** What a person is asked, and what happens when they leave, in a real terminal. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { controlC, controlD, enter, openTerminal } from "../kit/open-terminal.ts"
import { openPlace, type Place } from "../kit/run-codewright.ts"
import { entriesOf, saidBy, writeLog } from "../kit/write-log.ts"

const id = (n: number): string => `${n}a1b2c3d-0000-4000-8000-000000000001`
const logOf = ({ state, work }: Place, n: number): string =>
  join(state, "projects", work.replace(/[^A-Za-z0-9]/g, "-"), `${id(n)}.jsonl`)
const begun = (place: Place, n: number): string =>
  writeLog(logOf(place, n), entriesOf([saidBy(`number ${n}`)]), { sessionId: id(n), cwd: place.work })

test("sessions delete asks; only a yes deletes", async () => {
  using place = openPlace()
  const log = begun(place, 1)
  for (const [keys, code] of [
    [`n${enter}`, 1],
    [enter, 1],
    [controlD, 1],
    [controlC, 1],
    [`y${enter}`, 0],
  ] as const) {
    expect(existsSync(log)).toBe(true)
    await using terminal = await openTerminal({ place, argv: ["sessions", "delete", "1a1b"] })
    await terminal.shows("Delete this session? [y/N] ")
    terminal.type(keys)
    expect([keys, await terminal.exited]).toEqual([keys, code])
  }
  expect(existsSync(log)).toBe(false)
})

test("whoever leaves after a while takes old sessions with them, once a day, and never one that is open", async () => {
  using place = openPlace()
  const logs = [1, 2, 3].map((n) => begun(place, n))
  const [old, open, recent] = logs as [string, string, string]
  const longAgo = Date.now() / 1000 - 40 * 86_400
  for (const path of [old, open]) utimesSync(path, longAgo, longAgo)
  mkdirSync(`${open}.lock`)
  writeFileSync(join(`${open}.lock`, String(process.pid)), "")
  const leave = async (): Promise<void> => {
    await using terminal = await openTerminal({ place, argv: [] })
    await terminal.shows("Ctrl+D to quit.")
    terminal.type(controlD)
    expect(await terminal.exited).toBe(0)
  }
  await leave()
  expect([old, open, recent].map((path) => existsSync(path))).toEqual([false, true, true])
  begun(place, 1)
  utimesSync(old, longAgo, longAgo)
  await leave()
  expect(existsSync(old)).toBe(true)
})
