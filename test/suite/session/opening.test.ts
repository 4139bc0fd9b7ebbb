/** What a session was opened with is in its log: another process opens it the same way from that alone. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { loadLog } from "#ground/transcript/load.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { decodeOpening, type LiveHalf, openedAs, readOpening } from "#session/opening/opening.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { says } from "../../kit/script.ts"

setDefaultTimeout(300_000)

const program = join(import.meta.dir, "../../kit/open-as-recorded.ts")
const openings = (t: TestSession): number => t.entries().filter(({ kind }) => kind === "begun").length
const beginningOf = (t: TestSession, request: number): unknown => {
  const { system, tools } = Object(t.simulator.requests[request]?.body)
  return { system, tools }
}

test("a process that knows only the log opens the session as it was opened", async () => {
  await using t = await openTestSession({
    script: [says("First."), says("Second.")],
    deny: ["Read(secret/**)", "WebFetch"],
    attachments: "off",
    limits: { maxTurns: 7 },
  })
  await t.prompt("hello")
  await t.session.close()
  const cache = join(t.root, "..", "cache")
  const child = Bun.spawn([process.execPath, program, t.logPath, t.simulator.url, cache, "test"], {
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect(err).toBe("")
  expect(t.simulator.requests).toHaveLength(2)
  expect(beginningOf(t, 1)).toEqual(beginningOf(t, 0))
  const recorded = readOpening(t.logPath)
  expect(recorded.ok && recorded.value).toMatchObject({ limits: { maxTurns: 7 }, attachments: "off" })
  expect(JSON.parse(out)).toEqual(recorded.ok ? recorded.value : {})
  // It was opened with what the log says, so that there was nothing to add.
  expect(openings(t)).toBe(1)
})

test("another opening is another fact; the same again is none, also after a compaction", async () => {
  await using t = await openTestSession({ script: [says("First."), says("A summary."), says("Second.")] })
  await t.prompt("hello")
  await t.session.submit({ type: "compact" })
  await t.session.ask({ type: "settled" })
  await using again = await t.reopen()
  await again.prompt("more")
  expect(openings(again)).toBe(1)
  await using other = await again.reopen({ deny: ["Bash"] })
  expect(openings(other)).toBe(2)
  const read = readOpening(other.logPath)
  expect(read.ok && read.value.permissions.rules).toContainEqual({
    behavior: "deny",
    text: "Bash",
    source: "command line",
  })
})

test("a log gives no freedom that nobody gives now, and a damaged fact gives nothing", async () => {
  await using t = await openTestSession({ script: [], bypassAvailable: true })
  const read = readOpening(t.logPath)
  if (!read.ok) throw new Error(read.failure)
  const live = (bypassAvailable: boolean): LiveHalf => ({
    ...Object(undefined),
    id: t.id,
    permissions: { bypassAvailable, rules: [{ behavior: "deny", text: "WebSearch", source: "user settings" }] },
    clock: systemClock,
    ids: systemIds,
  })
  expect(openedAs(read.value, live(false)).permissions.bypassAvailable).toBe(false)
  expect(openedAs(read.value, live(true)).permissions.bypassAvailable).toBe(true)
  // Settings count as they are now, also where they were looser when it was opened.
  expect(openedAs(read.value, live(true)).permissions.rules.map(({ text }) => text)).toEqual(["WebSearch", "Bash"])
  const whole = JSON.parse(JSON.stringify(read.value))
  expect(decodeOpening(whole)).toEqual(read.value)
  for (const name of ["place", "model", "permissions", "manner", "limits", "shell", "system"])
    expect(decodeOpening({ ...whole, [name]: 3 })).toBeUndefined()
  const loaded = loadLog(t.logPath, { torn: "leave" })
  expect(loaded.ok && loaded.value.notes).toEqual([])
})
