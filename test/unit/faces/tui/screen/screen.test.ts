/** Whatever frames follow each other, a terminal shows the last one below everything that was finished, and never more. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openScreen as open, type Screen, type Size } from "#faces/tui/screen/screen.ts"
import { addedTint, removedTint, tintedRow } from "#faces/tui/screen/style.ts"
import { openVirtualTerminal } from "../../../../kit/virtual-terminal.ts"
import { runs } from "../../../../kit/runs.ts"

/** Time stands still, and the terminal is the virtual one. */
const openScreen = (parts: { readonly write: (text: string) => void; readonly size: () => Size }): Screen =>
  open({ ...parts, now: () => 0, rewrap: "all but the cursor's" })

const columns = 20
const rows = 12

const row = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "ab",
    "abc",
    "status",
    "日本語",
    "👩‍💻 x",
    "é",
    "\u001b[31mred\u001b[39m",
    tintedRow("came", addedTint),
    tintedRow("", removedTint),
    "x".repeat(columns),
  ),
  fc.string({ maxLength: 12, unit: fc.constantFrom(..."abc日é ") }),
)
const frame = fc.record({
  above: fc.array(row, { maxLength: 4 }),
  head: fc.array(row, { maxLength: 6 }),
  cursor: fc.option(fc.nat(4)),
})

const plain = (text: string): string => Bun.stripANSI(text).trimEnd()

test("any frames in any order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), async (frames) => {
      const terminal = openVirtualTerminal(columns, rows)
      const screen = openScreen({ write: terminal.write, size: () => ({ columns, rows }) })
      const finished: string[] = []
      let live: string[] = []
      for (const { above, head, cursor } of frames) {
        live = [...head, "> prompt", "status"]
        finished.push(...above)
        screen.paint({ above, live, cursor: cursor === null ? undefined : { row: head.length, column: cursor } })
      }
      expect(await terminal.all()).toBe([...finished, ...live].map(plain).join("\n").trimEnd())
      const fresh = openVirtualTerminal(columns, rows)
      openScreen({ write: fresh.write, size: () => ({ columns, rows }) }).paint({
        above: finished,
        live,
        cursor: undefined,
      })
      expect(await terminal.styled()).toBe(await fresh.styled())
      const last = frames.at(-1)
      if (last && last.cursor !== null) expect((await terminal.cursor()).column).toBe(last.cursor)
      expect(terminal.cost().clears).toBe(0)
      expect(terminal.cost().writes).toBeLessThanOrEqual(frames.length)
    }),
    { ...runs(100) },
  )
})

test("a frame that is the same writes nothing; a letter at the end of a row writes little", () => {
  const terminal = openVirtualTerminal(80, 24)
  const screen = openScreen({ write: terminal.write, size: () => ({ columns: 80, rows: 24 }) })
  const live = (text: string): string[] => ["", text, "a long line of status ".repeat(3)]
  screen.paint({ above: [], live: live("> hello"), cursor: { row: 1, column: 7 } })
  const before = terminal.cost()
  screen.paint({ above: [], live: live("> hello"), cursor: { row: 1, column: 7 } })
  expect(terminal.cost()).toEqual(before)
  screen.paint({ above: [], live: live("> hellos"), cursor: { row: 1, column: 8 } })
  expect(terminal.cost().bytes - before.bytes).toBeLessThan(50)
})

test("rows that are finished and already on the screen are not written again", () => {
  const terminal = openVirtualTerminal(80, 24)
  const screen = openScreen({ write: terminal.write, size: () => ({ columns: 80, rows: 24 }) })
  const chrome = ["", "> prompt", "status ".repeat(10)]
  const text = "some text that was streamed"
  screen.paint({ above: [], live: [text, "next", ...chrome], cursor: undefined })
  const before = terminal.cost().bytes
  screen.paint({ above: [text], live: ["next", "one more", ...chrome], cursor: undefined })
  expect(terminal.cost().bytes - before).toBeLessThan(70)
})

test("a new width draws the live rows again, and nothing of the old ones stays", async () => {
  for (const [from, to] of [
    [60, 30],
    [30, 60],
    [60, 59],
  ] as const) {
    const terminal = openVirtualTerminal(from, 24)
    let width: number = from
    const screen = openScreen({ write: terminal.write, size: () => ({ columns: width, rows: 24 }) })
    const live = (): string[] => ["-".repeat(width), "> prompt", "status so short"]
    screen.paint({ above: ["done"], live: live(), cursor: { row: 1, column: 8 } })
    await terminal.screen()
    terminal.resize(to, 24)
    width = to
    screen.paint({ above: [], live: live(), cursor: { row: 1, column: 8 } })
    const shown = await terminal.all()
    expect(shown.split("\n").map((line) => line.slice(0, 8))).toEqual(["done", "--------", "> prompt", "status s"])
  }
})

test("frames that were on their way when the size changed take no line away and repeat none", async () => {
  const rounds = fc.array(
    fc.record({
      before: fc.array(fc.nat(8), { maxLength: 4 }),
      columns: fc.integer({ min: 40, max: 130 }),
      rows: fc.integer({ min: 12, max: 40 }),
      late: fc.array(fc.nat(8), { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  await fc.assert(
    fc.asyncProperty(rounds, async (changes) => {
      const terminal = openVirtualTerminal(100, 30)
      let size = { columns: 100, rows: 30 }
      const screen = openScreen({ write: terminal.write, size: () => size })
      let count = 0
      const paint = (lines: number): void => {
        const above = Array.from({ length: lines }, () => [`<${count++}> ${"x".repeat(size.columns - 20)}`, ""]).flat()
        const live = [`half ${count}`, "", "answering", "", "> something that is being written here", "status"]
        screen.paint({ above, live, cursor: { row: 4, column: 2 } })
      }
      for (const { before, late, ...next } of changes) {
        for (const lines of before) paint(lines)
        await terminal.screen()
        terminal.resize(next.columns, next.rows)
        for (const lines of late) paint(lines)
        size = next
        paint(0)
      }
      const shown = await terminal.all()
      const found = [...shown.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number))
      expect(found).toEqual(Array.from({ length: count }, (_, i) => i))
    }),
    { ...runs(40) },
  )
})
