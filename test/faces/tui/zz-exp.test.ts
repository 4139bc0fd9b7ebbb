import { test } from "bun:test"
import { openScreen } from "#faces/tui/screen/screen.ts"
import { openVirtualTerminal } from "../../kit/virtual-terminal.ts"
import { seededIds } from "#lib/ids.ts"

/** delay: the terminal has the new size while frames for the old one are on their way */
async function one(seed: number, inFlight: boolean, wide: boolean, statusWidth: number) {
  const { random } = seededIds(seed)
  const pick = (a: number, b: number) => a + Math.floor(random() * (b - a + 1))
  const v = openVirtualTerminal(100, 30)
  let size = { columns: 100, rows: 30 }
  const screen = openScreen({ write: v.write, size: () => size })
  let line = 0
  const lines: string[] = []
  let pending = ""
  const frame = (n: number) => {
    const above: string[] = []
    for (let i = 0; i < n; i++) {
      const text = `<${line++}>${wide ? "x".repeat(pick(10, size.columns - 12)) : ""}`
      lines.push(text.slice(0, text.indexOf(">") + 1))
      above.push(text, "")
    }
    pending = "p".repeat(pick(0, size.columns))
    screen.paint({
      above,
      live: [
        pending,
        "",
        "spinner 12 tokens",
        "",
        "> say something that it hears as soon as it can",
        "s".repeat(Math.min(statusWidth, size.columns)),
      ],
      cursor: { row: 4, column: 2 },
    })
  }
  for (let k = 0; k < 12; k++) {
    for (let i = pick(1, 5); i > 0; i--) frame(pick(0, 8))
    await v.screen()
    const next = { columns: pick(40, 130), rows: pick(12, 40) }
    v.resize(next.columns, next.rows)
    if (inFlight) for (let i = pick(0, 2); i > 0; i--) frame(pick(0, 8))
    size = next
    frame(0)
  }
  const all = await v.all()
  let lost = 0,
    twice = 0
  for (const l of lines) {
    const c = all.split(l).length - 1
    if (c === 0) lost++
    if (c > 1) twice++
  }
  return { lost, twice, n: lines.length }
}
test("exp", async () => {
  for (const inFlight of [false, true])
    for (const wide of [false, true])
      for (const sw of [38, 60]) {
        let lost = 0,
          twice = 0,
          bad = 0,
          n = 0
        for (let s = 0; s < 40; s++) {
          const r = await one(s, inFlight, wide, sw)
          lost += r.lost
          twice += r.twice
          n += r.n
          if (r.lost + r.twice) bad++
        }
        console.log("EXP", JSON.stringify({ inFlight, wide, sw, lost, twice, bad, n }))
      }
}, 60000)
