/** The first command of a session: one that only reads finds out by itself whether anything can be confined, and one that acts unconfined does not ask. */

import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { systemClock } from "#lib/clock.ts"
import { bwrap } from "../../kit/confine.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const confine = await confinePath({ cacheFolder: lastingFolder(), pid: process.pid })

interface Counted extends TestSession {
  /** How often a program was confined, or tried to be. */
  readonly times: () => number
  readonly breakHelper: () => void
}

/** Each prompt runs one command. The helper notes each of its runs. */
async function open(commands: readonly string[], helper: "works" | "broken" = "works"): Promise<Counted> {
  const folder = lastingFolder()
  const [file, notes] = [join(folder, "helper"), join(folder, "notes")]
  const write = (last: string): void =>
    writeFileSync(file, `#!/bin/sh\necho "$1" >> ${notes}\n${last}\n`, { mode: 0o755 })
  const breakHelper = (): void => write("echo no namespaces >&2; exit 1")
  if (helper === "works") write(`exec ${confine} "$@"`)
  else breakHelper()
  const t = await openTestSession({
    script: commands.flatMap((command) => [calls(bash(command)), says("Done.")]),
    mode: "default",
    allow: ["Bash(touch:*)"],
    place: { confine: async () => file },
    // However slowly a call arrives, nothing is prepared for it.
    clock: { ...systemClock, after: (ms, callback) => (ms < 1000 ? () => {} : systemClock.after(ms, callback)) },
  })
  const times = (): number => (existsSync(notes) ? (readFileSync(notes, "utf8").match(/^box$/gm)?.length ?? 0) : 0)
  return { ...t, times, breakHelper }
}

const last = (t: TestSession) => {
  const { content, isError, data } = t.results().at(-1) ?? {}
  return { content, isError: isError === true, sandbox: data?.["sandbox"] }
}
const asReader = { by: "bubblewrap", as: "reader" }

describe.skipIf(bwrap === null || confine === undefined)("the first command", () => {
  test("one that only reads is confined without a trial before it, and so are the next", async () => {
    await using t = await open(["pwd", "pwd", "ls"])
    for (const [times, prompt] of ["first", "second", "third"].entries()) {
      await t.prompt(prompt)
      expect(last(t)).toMatchObject({ isError: false, sandbox: asReader })
      expect(t.times()).toBe(times + 1)
    }
  })

  test("one that fails by itself has failed, once a trial says that the sandbox works", async () => {
    await using t = await open(["ls missing; exit 3", "pwd"])
    await t.prompt("first")
    expect(last(t)).toMatchObject({ isError: true, sandbox: asReader })
    expect(last(t).content).toContain("Exit code 3")
    expect(t.times()).toBe(2)
    await t.prompt("second")
    expect(t.times()).toBe(3)
  })

  test("where nothing can be confined, a basic reader runs unconfined, and each tries again first", async () => {
    await using t = await open(["pwd", "pwd"], "broken")
    for (const prompt of ["first", "second"]) {
      await t.prompt(prompt)
      expect(last(t)).toMatchObject({ content: t.path("."), isError: false, sandbox: { by: "none" } })
    }
  })

  test("once a command was confined, none that only reads runs without", async () => {
    await using t = await open(["pwd", "pwd"])
    await t.prompt("first")
    t.breakHelper()
    await t.prompt("second")
    expect(last(t).content).toContain("The command was not run, because the sandbox does not work: ")
  })

  test("one that acts outside any sandbox waits for no trial", async () => {
    await using t = await open(["touch made", "pwd"])
    await t.prompt("first")
    expect([existsSync(t.path("made")), t.times()]).toEqual([true, 0])
    await t.prompt("second")
    expect([last(t).sandbox, t.times()]).toEqual([asReader, 1])
  })

  test("what reads without asking only behind a wall waits until it is known that there is one", async () => {
    await using t = await open(["jq . a.json"], "broken")
    writeFileSync(t.path("a.json"), "{}")
    await t.prompt("first")
    expect(t.entries().filter(({ kind }) => kind === "decision")).toMatchObject([{ behavior: "deny" }])
    expect(t.times()).toBeGreaterThan(0)
  })
})
