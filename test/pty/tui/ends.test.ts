/** However it ends or stops, the terminal is given back as it was. */

import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { processesBelow } from "../../kit/open-terminal.ts"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace } from "../../kit/run-codewright.ts"

const givenBack = "\u001b[?7h\u001b[?2026l\u001b[<u\u001b[?2004l\u001b[23;2t\u001b[0m\u001b[?25h"
const idle = "Ask anything · @ for files · / for commands"

test.concurrent("a mistake of ours leaves a terminal in which one can type", async () => {
  using place = openPlace()
  const source = resolve(import.meta.dir, "../../../src/faces/tui/process-terminal.ts")
  const script = place.write(
    "crash.ts",
    `import { processTerminal } from ${JSON.stringify(source)}
     const nothing = () => {}
     const terminal = processTerminal({ after: nothing }, { term: "xterm", program: undefined, isWindowsTerminal: false, isXterm: false })
     terminal.open({ onInput: nothing, onResize: nothing, onReady: nothing, onResume: nothing, onEnd: nothing })
     setTimeout(() => { throw new Error("a mistake") }, 10)`,
  )
  let raw = ""
  const child = Bun.spawn([process.execPath, script], {
    cwd: place.work,
    terminal: { cols: 80, rows: 24, data: (_, bytes) => void (raw += new TextDecoder().decode(bytes)) },
  })
  expect(await child.exited).toBe(1)
  // What was printed last may still be on its way.
  while (!(raw.includes(givenBack) && raw.includes("a mistake"))) await Bun.sleep(10)
  child.terminal?.close()
})

for (const [state, until] of [
  ["waits for a prompt", idle],
  ["waits for an answer", "▌ Create a?"],
  ["works", "One two"],
] as const)
  test.concurrent(`a window that is closed while it ${state} ends it, and nothing is left`, async () => {
    using place = openPlace()
    await using run = await openScreenRun({
      place,
      argv: until === idle ? [] : ["go"],
      scenario: [
        until === "One two"
          ? {
              content: "One two three four five six seven eight nine.",
              timing: { pauses: [{ afterTokens: 8, ms: 60_000 }] },
            }
          : { content: [{ tool: "Write", input: { file_path: "a", content: "new\n" } }] },
      ],
    })
    await run.shows(until)
    run.hangUp()
    // Whichever comes first: being told that the terminal is gone, or finding it gone.
    expect([0, 129]).toContain(await run.exited)
    expect(processesBelow(place.work)).toEqual([])
  })

test.concurrent("Ctrl+Z where nobody could bring it back changes nothing", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: [], scenario: ["Here."] })
  await run.shows(idle)
  run.type("\u001a")
  // What is typed before it has the terminal back is not for it.
  while (run.terminal.raw().split("\u001b[?2004h").length < 3) await Bun.sleep(10)
  run.type("go on\r")
  await run.shows("Here.")
})

test.concurrent("Ctrl+Z stops it, and it draws itself again when it goes on", async () => {
  using place = openPlace()
  // A shell with job control: it goes on when the program is stopped, and then brings it back.
  const wrap = 'set -m; "$@"; echo; echo stopped; fg > /dev/null'
  await using run = await openScreenRun({ place, argv: [], scenario: ["Here."], wrap })
  await run.shows(idle)
  run.type("half a line")
  await run.shows("> half a line")
  run.type("\u001a")
  await run.shows(/stopped\n(?:.*\n)*> half a line/)
  run.type(" more\r")
  await run.shows("Here.")
})

test.concurrent("with NO_COLOR no color is written, and the screen is the same", async () => {
  using place = openPlace()
  const seen = async (env: { readonly [name: string]: string }): Promise<readonly [string, string]> => {
    await using run = await openScreenRun({ place, argv: ["go"], env, scenario: ["It is **done**: `a`."] })
    await run.shows("It is done: a.")
    const shown = await run.shows(idle)
    run.type("\u0004")
    await run.exited
    return [shown, run.terminal.raw()]
  }
  const [plain, raw] = await seen({ NO_COLOR: "1" })
  const [coloured, colours] = await seen({})
  expect(plain).toBe(coloured)
  // oxlint-disable-next-line no-control-regex -- styles are control sequences.
  const style = /\u001b\[[\d;]*m/g
  expect(colours.match(style)?.length).toBeGreaterThan(3)
  // Bold, dim, and what ends them.
  expect(new Set(raw.match(style))).toEqual(new Set(["\u001b[0m", "\u001b[1m", "\u001b[2m", "\u001b[22m"]))
})

test.concurrent("a command of the person's own can be stopped, and nothing of it is left", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: [], scenario: ["Here."] })
  await run.shows(idle)
  run.type("!sleep 600 & sleep 600\r")
  await run.shows("Running your command")
  run.type("\u001b")
  await run.hides("Running your command")
  run.type("are you there?\r")
  await run.shows("Here.")
  run.type("\u0004")
  expect(await run.exited).toBe(0)
  expect(processesBelow(place.work)).toEqual([])
})
