/** What of a question is shown where only its approval is. */

import { describe, expect, test } from "bun:test"
import type { Display, FileDiff } from "#agent/words/display.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { reviewCheck } from "#agent/words/gates.ts"
import type { Reason } from "#agent/words/permission.ts"
import { hunksOf } from "#lib/diff.ts"
import { detailsOf } from "#session/port/approval-details.ts"

const newFile = async (path: string, lines: readonly string[]): Promise<FileDiff> => ({
  path,
  created: true,
  hunks: await hunksOf("", lines.map((line) => `${line}\n`).join("")),
})
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `line ${i} of many`)

const shownOf = (display: Display, reason: Reason): Display | undefined =>
  detailsOf({
    ask: {
      kind: "permission",
      callId: "c1",
      tool: "Bash",
      title: "make",
      input: { command: "make" },
      footprint: touchesNothing(),
      decision: { behavior: "ask", reason, message: "It is new.", trace: [] },
      display,
    },
  })?.display

const linesIn = ({ hunks }: FileDiff): readonly string[] => hunks.flatMap(({ lines }) => lines)

describe("new files that were created", () => {
  const review: Reason = { kind: "tool_check", check: reviewCheck }

  test("are shown as they are if they are small", async () => {
    const small: Display = { kind: "diff", ...(await newFile("/a", many(3))) }
    expect(shownOf(small, review)).toEqual(small)
  })

  test("are cut if they are large, and say how many lines are missing", async () => {
    const file = { ...(await newFile("/a", many(4000))), unshown: 100 }
    const shown = shownOf({ kind: "diff", ...file }, review)
    if (shown?.kind !== "diff") throw new Error("no difference")
    const lines = linesIn(shown)
    expect(lines.length).toBeGreaterThan(1000)
    expect(lines).toEqual(linesIn(file).slice(0, lines.length))
    expect(shown.unshown).toBe(4100 - lines.length)
    expect(JSON.stringify(shown).length).toBeLessThan(66_000)
  })

  test("have an equal share each, also beside one that is a single long line", async () => {
    const files = [
      await newFile("/a", ["x".repeat(100_000)]),
      await newFile("/b", many(10)),
      await newFile("/c", many(4000)),
    ]
    const shown = shownOf({ kind: "diffs", files }, review)
    if (shown?.kind !== "diffs") throw new Error("no differences")
    const [a, b, c] = shown.files
    expect([a, b]).toEqual([{ path: "/a", created: true, hunks: [], unshown: 1 }, files[1]])
    expect(c && linesIn(c).length + (c.unshown ?? 0)).toBe(4000)
    expect(c && linesIn(c).length).toBeGreaterThan(500)
  })
})

test("a call whose input says it all has no large difference besides", async () => {
  const large: Display = { kind: "diff", ...(await newFile("/a", many(4000))) }
  expect(shownOf(large, { kind: "default" })).toBeUndefined()
})
