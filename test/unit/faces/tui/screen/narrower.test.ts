/** Whatever width a terminal takes, and however late we hear of it, nothing that was said is lost. */

import { expect, test } from "bun:test"
import type { Rewrap } from "#faces/tui/screen/breaking.ts"
import { openScreen, type Size } from "#faces/tui/screen/screen.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { seededIds } from "#lib/ids.ts"
import { openVirtualTerminal, type VirtualTerminal } from "../../../../kit/virtual-terminal.ts"

/** What is written arrives at most so much later, and of a new size we hear at most so much later. */
const mostOnItsWayMs = 200
const mostUntoldMs = 250

interface Talk {
  readonly terminal: VirtualTerminal
  /** How many words were said. */
  readonly said: () => number
  readonly say: (words: number) => void
  /** `finished`: what was said is there to stay. */
  readonly paint: (how: "open" | "finished") => void
  /** What was written arrives. */
  readonly arrive: () => Promise<void>
  /** The terminal gets another size; the program hears of it when it is told. */
  readonly resize: (size: Size) => void
  readonly tell: () => void
  readonly pass: (ms: number) => Promise<void>
}

/** Text that streams in above a prompt, in a terminal that is as far away as we like. */
function openTalk(kind: Rewrap): Talk {
  let size: Size = { columns: 100, rows: 30 }
  let known = size
  let [now, changedAt, writtenAt, said] = [0, 0, 0, 0]
  let text = ""
  let onItsWay = ""
  const terminal = openVirtualTerminal(size.columns, size.rows, kind)
  const screen = openScreen({
    write(written) {
      if (onItsWay === "") writtenAt = now
      onItsWay += written
    },
    size: () => known,
    now: () => now,
    rewrap: kind,
  })
  const paint = (how: "open" | "finished"): void => {
    if (screen.settlesIn() > 0) return
    const { columns } = known
    const above = how === "finished" && text !== "" ? [...wrapped(text, columns), ""] : []
    if (how === "finished") text = ""
    const prompt = "> something that is being written here, and that is rather long".slice(0, columns - 1)
    const live = [...wrapped(text, columns).slice(-15), "", "answering", "", prompt, "status ".repeat(5)]
    screen.paint({ above, live, cursor: { row: live.length - 2, column: Math.min(columns - 1, prompt.length) } })
  }
  const arrive = async (): Promise<void> => {
    terminal.write(onItsWay)
    onItsWay = ""
    await terminal.screen()
  }
  const tell = (): void => {
    known = size
    paint("open")
  }
  return {
    terminal,
    said: () => said,
    say: (words) => void (text += Array.from({ length: words }, () => `<${said++}> `).join("")),
    paint,
    arrive,
    resize(next) {
      if (known === size) changedAt = now
      size = next
      terminal.resize(next.columns, next.rows)
    },
    tell,
    async pass(ms) {
      now += ms
      if (onItsWay !== "" && now - writtenAt > mostOnItsWayMs) await arrive()
      if (known !== size && now - changedAt > mostUntoldMs) tell()
    },
  }
}

/** How often each word stands there. A row that the terminal has broken is one row. */
async function timesSeen({ terminal, said }: Talk): Promise<readonly number[]> {
  const shown = (await terminal.all()).replaceAll(/\s/g, "")
  return Array.from({ length: said() }, (_, i) => shown.split(`<${i}>`).length - 1)
}

async function end(talk: Talk): Promise<void> {
  talk.tell()
  await talk.pass(1000)
  await talk.arrive()
  talk.paint("finished")
  await talk.arrive()
}

type Roll = (least: number, most: number) => number
const dice = (seed: number): Roll => {
  const { random } = seededIds(seed)
  return (least, most) => least + Math.floor(random() * (most - least + 1))
}
const anySize = (roll: Roll): Size => ({ columns: roll(40, 130), rows: roll(14, 40) })

for (const kind of ["all", "all but the cursor's"] as const) {
  test(`sizes that we hear of late, where the terminal breaks ${kind} rows: every word is there`, async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const talk = openTalk(kind)
      const roll = dice(seed)
      for (let step = 0; step < 60; step++) {
        await talk.pass(roll(0, 60))
        const act = roll(1, 100)
        if (act <= 60) {
          talk.say(roll(1, 12))
          talk.paint(roll(1, 10) <= 4 ? "finished" : "open")
        } else if (act <= 75) await talk.arrive()
        else if (act <= 88) talk.resize(anySize(roll))
        else talk.tell()
      }
      await end(talk)
      const missing = (await timesSeen(talk)).flatMap((times, word) => (times === 0 ? [word] : []))
      expect({ seed, missing }).toEqual({ seed, missing: [] })
    }
  })

  test(`sizes that we hear of before the next frame, where the terminal breaks ${kind} rows: every word is there once`, async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const talk = openTalk(kind)
      const roll = dice(seed)
      for (let step = 0; step < 60; step++) {
        talk.say(roll(1, 12))
        talk.paint(roll(1, 10) <= 4 ? "finished" : "open")
        await talk.arrive()
        await talk.pass(50)
        if (roll(1, 10) > 1) continue
        const { columns } = anySize(roll)
        talk.resize({ columns, rows: 40 })
        talk.tell()
        await talk.pass(600)
        talk.tell()
        await talk.arrive()
        await talk.pass(600)
      }
      await end(talk)
      const times = await timesSeen(talk)
      const odd = times.flatMap((count, word) => (count === 1 ? [] : [[word, count]]))
      expect({ seed, odd }).toEqual({ seed, odd: [] })
    }
  })
}

test("where the terminal breaks no row, one that gets narrower loses no row either", async () => {
  const terminal = openVirtualTerminal(100, 20, "none")
  let columns = 100
  const screen = openScreen({
    write: terminal.write,
    size: () => ({ columns, rows: 20 }),
    now: () => 0,
    rewrap: "none",
  })
  const live = (): string[] => ["-".repeat(columns), "=".repeat(columns), "> prompt", "status"]
  screen.paint({ above: ["one", "two", "three"], live: live(), cursor: { row: 2, column: 8 } })
  await terminal.screen()
  for (const next of [60, 40, 90, 50]) {
    columns = next
    terminal.resize(next, 20)
    screen.paint({ above: [], live: live(), cursor: { row: 2, column: 8 } })
    await terminal.screen()
  }
  const shown = (await terminal.all()).split("\n").map((row) => row.slice(0, columns))
  expect(shown).toEqual(["one", "two", "three", ...live()])
})

test("a row that a terminal may take for wider than it is does not run over into the next", async () => {
  const written: string[] = []
  const screen = openScreen({
    write: (text) => written.push(text),
    size: () => ({ columns: 20, rows: 10 }),
    now: () => 0,
    rewrap: "all",
  })
  screen.paint({ above: ["👩‍💻".repeat(9), "plain and full width"], live: ["é and room"], cursor: undefined })
  expect(written.join("")).toContain(
    `\u001b[K\u001b[?7l${"👩‍💻".repeat(9)}\u001b[?7h\r\nplain and full width\r\né and room`,
  )
})

test("finished rows that were laid out for a wider screen are broken, not cut", async () => {
  const terminal = openVirtualTerminal(20, 10)
  const size = { columns: 20, rows: 10 }
  const screen = openScreen({ write: terminal.write, size: () => size, now: () => 0, rewrap: "all" })
  screen.paint({
    above: ["one two three four five six"],
    live: ["a live row that is wider than it"],
    cursor: undefined,
  })
  expect(await terminal.all()).toBe("one two three four\nfive six\na live row that is …")
})
