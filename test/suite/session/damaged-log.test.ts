/** A log that was damaged between two runs: what is whole is used, what is not is said, and the model gets valid messages. */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, write } from "../../kit/script.ts"

const files = { "a.txt": "a\n" }
const script = [calls(read("a.txt")), calls(write("b.txt", "b")), says("Done."), says("Here I am.")]

test("a torn last line is cut off with a note", async () => {
  await using t = await openTestSession({ script, files })
  await t.prompt("work")
  await t.session.close()
  writeFileSync(t.logPath, readFileSync(t.logPath).subarray(0, -7))
  await using again = await t.reopen()
  expect((await again.ask({ type: "about" })).notes).toEqual([
    expect.stringMatching(/^The last line of the session was torn and has been cut off \(\d+ bytes\)\.$/),
  ])
  // The line was the end of the turn.
  expect(again.story().at(-1)).toBe("turn_end aborted program_ended")
  expect(await again.prompt("go on")).toEqual({ reason: "completed" })
  expect(again.simulator.stats().refusals).toBe(0)
  await using third = await again.reopen()
  expect((await third.ask({ type: "about" })).notes).toEqual([])
})

/** Each line of a session in turn: garbled, or gone. */
for (const damage of ["garbled", "missing"] as const)
  test(`whatever line is ${damage}, the session goes on`, async () => {
    await using t = await openTestSession({
      script: [...script, ...Array.from({ length: 40 }, () => says("Yes."))],
      files,
    })
    await t.prompt("work")
    await t.session.close()
    const lines = readFileSync(t.logPath, "utf8").split("\n").slice(0, -1)
    for (const index of lines.keys()) {
      const broken = lines.flatMap((line, i) => {
        if (i !== index) return [line]
        return damage === "missing" ? [] : [`${line.slice(0, 50)}#${line.slice(51)}`]
      })
      writeFileSync(t.logPath, `${broken.join("\n")}\n`)
      await using again = await t.reopen()
      expect((await again.ask({ type: "about" })).notes.length).toBeLessThanOrEqual(2)
      if (damage === "garbled")
        expect((await again.ask({ type: "about" })).notes[0]).toBe(
          `Line ${index + 1} of the session is damaged and was skipped.`,
        )
      expect(await again.prompt("go on")).toEqual({ reason: "completed" })
    }
    expect(t.simulator.stats().refusals).toBe(0)
  })

test("a log from a newer version is not touched", async () => {
  await using t = await openTestSession({ script, files })
  await t.session.close()
  const newer = `{"type":"header","format":2}\n{"type":"something","else":true}\n`
  writeFileSync(t.logPath, newer)
  expect(await t.openAgain()).toEqual({
    ok: false,
    failure: {
      kind: "log",
      message: "The session was written by a newer Codewright (format 2). Update to open it.",
    },
  })
  expect(readFileSync(t.logPath, "utf8")).toBe(newer)
})
