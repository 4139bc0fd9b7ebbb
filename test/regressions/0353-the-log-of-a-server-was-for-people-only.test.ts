/** Programs that collect logs had to guess at sentences, and one that repeated itself filled them. */

import { expect, test } from "bun:test"
import { withLog } from "#faces/cli/fleet/server-log.ts"
import { openIo } from "#faces/cli/io.ts"
import { openHandClock } from "../kit/hand-clock.ts"

function opened(format: string | undefined) {
  const said: string[] = []
  const clock = openHandClock()
  const io = {
    ...openIo(),
    warn: (line: string) => void said.push(line),
    writeAside: (text: string) => void said.push(text),
  }
  return { said, clock, log: withLog(io, { format, program: "worker", clock }) }
}

test("each sentence is a line of JSON with its level, whatever is in it", () => {
  const { said, log } = opened("json")
  log.warn("warning: no model is configured.")
  log.warn('A session failed: "x"\nand \u001b[31mmore')
  expect(log.fail("It cannot listen.")).toBe(1)
  const lines = said.map((line) => {
    expect(line.endsWith("}\n")).toBe(true)
    return JSON.parse(line) as unknown
  })
  const more = { time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), program: "worker", pid: process.pid }
  expect(lines).toEqual([
    { ...more, level: "warning", message: "no model is configured." },
    { ...more, level: "info", message: 'A session failed: "x"\nand more' },
    { ...more, level: "error", message: "It cannot listen." },
  ])
})

test("what is said again and again is counted, and said as often as it was", async () => {
  const { said, log, clock } = opened(undefined)
  for (let nth = 0; nth < 30; nth++) log.warn("The worker made a mistake: x")
  log.warn("Something else.")
  expect(said).toEqual([...Array.from({ length: 5 }, () => "The worker made a mistake: x"), "Something else."])
  await clock.pass(61_000)
  log.warn("Later.")
  expect(said.slice(6)).toEqual(["The worker made a mistake: x (and 25 more times within a minute)", "Later."])
  log.warn("The worker made a mistake: x")
  expect(said.at(-1)).toBe("The worker made a mistake: x")
})
