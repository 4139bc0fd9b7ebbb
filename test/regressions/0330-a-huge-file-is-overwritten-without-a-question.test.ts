/**
 * A file over 1 GB that a command wrote to in place was only named afterwards, although the command was allowed because it
 * could be undone. Now the write is refused, and the same command is asked about when it comes again.
 */

import { expect, test } from "bun:test"
import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs"
import type { Answer } from "#agent/words/question.ts"
import { reachableConfine } from "../kit/confine.ts"
import { openTestSession, type TestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

const size = 1_100_000_000
const overwrite = "echo new > big.db"

/** Large by its size alone, and in a project that is too large to be scanned around each command. */
async function withHugeFile(command: string, answer: () => Answer, mode: "acceptEdits" | "bypassPermissions") {
  const asked: string[] = []
  const t = await openTestSession({
    script: [calls(bash(command)), says("It failed."), calls(bash(command)), says("Done.")],
    mode,
    allow: [],
    bypassAvailable: true,
    place: { confine: reachableConfine },
    answers(question) {
      if (question.ask.kind === "permission") asked.push(question.ask.why ?? "")
      return answer()
    },
  })
  Bun.spawnSync(["bash", "-c", "mkdir x; seq -f 'x/%g' 20100 | xargs touch"], { cwd: t.root })
  const file = openSync(t.path("big.db"), "w")
  writeSync(file, "old content")
  ftruncateSync(file, size)
  closeSync(file)
  return { t, asked }
}

function beginning(t: TestSession): string {
  const bytes = Buffer.alloc(11)
  const file = openSync(t.path("big.db"), "r")
  readSync(file, bytes)
  closeSync(file)
  return `${bytes.toString().replaceAll("\0", "")}, ${statSync(t.path("big.db")).size}`
}

const old = `old content, ${size}`
const changed = "new\n, 4"

const lastOf = (t: TestSession): string => JSON.stringify(t.results().at(-1)?.content)
const why = "Cannot be undone with /rewind: big.db is too large (1100 MB) to be saved before it is changed"

for (const answer of ["deny", "allow"] as const)
  test.skipIf(process.platform !== "linux")(
    `it is asked about, and the answer is: ${answer}`,
    async () => {
      const said: Answer = answer === "allow" ? { kind: "allow" } : { kind: "deny", interrupt: false }
      const { t, asked } = await withHugeFile(`${overwrite}; echo more >> small`, () => said, "acceptEdits")
      await using _ = t
      await t.prompt("write it")
      expect(asked).toEqual([])
      expect(beginning(t)).toBe(old)
      expect(lastOf(t)).toContain("File too large")
      expect(lastOf(t)).toContain(
        "big.db is too large (1100 MB) to be saved before it is changed: so the write was refused",
      )
      expect(t.read("small")).toBe("more\n")
      await t.prompt("again")
      expect(asked).toHaveLength(1)
      expect(asked[0]).toContain(why)
      expect(beginning(t)).toBe(answer === "allow" ? changed : old)
    },
    60_000,
  )

test.skipIf(process.platform !== "linux")(
  "what removes it is saved by a link, so nothing is asked",
  async () => {
    const { t, asked } = await withHugeFile(
      "mv big.db other; mv other big.db",
      () => ({ kind: "allow" }),
      "acceptEdits",
    )
    await using _ = t
    await t.prompt("move it")
    expect(lastOf(t)).not.toContain("too large")
    expect([asked, beginning(t)]).toEqual([[], old])
  },
  60_000,
)

test.skipIf(process.platform !== "linux")(
  "a name that the same command gave it leads to it as well",
  async () => {
    const { t } = await withHugeFile(
      "mv big.db other; echo new > other; mv other big.db",
      () => ({ kind: "allow" }),
      "acceptEdits",
    )
    await using _ = t
    await t.prompt("write it")
    expect(lastOf(t)).toContain("so the write was refused")
    expect(beginning(t)).toBe(old)
  },
  60_000,
)

test.skipIf(process.platform !== "linux")(
  "whoever does not rely on undo is not stopped",
  async () => {
    const { t, asked } = await withHugeFile(overwrite, () => ({ kind: "allow" }), "bypassPermissions")
    await using _ = t
    await t.prompt("write it")
    expect([asked, beginning(t)]).toEqual([[], changed])
  },
  60_000,
)
