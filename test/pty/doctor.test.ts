/** `codewright doctor` in a terminal: what it can do is asked of the terminal itself. */

import { expect, test } from "bun:test"
import { environmentOf, openPlace, program } from "../kit/run-codewright.ts"

/** `keyboard`: what the terminal says to the question about its keyboard protocol. */
async function terminalLine(keyboard: string, env: { readonly [name: string]: string }): Promise<string> {
  using place = openPlace()
  let shown = ""
  const child = Bun.spawn([program, "doctor"], {
    cwd: place.work,
    env: environmentOf(place, "http://127.0.0.1:9", env),
    terminal: {
      cols: 160,
      rows: 40,
      data(terminal, bytes) {
        const text = new TextDecoder().decode(bytes)
        shown += text
        if (text.includes("\u001b[?u")) terminal.write(`${keyboard}\u001b[?62;c`)
      },
    },
  })
  await child.exited
  return /terminal: ([^\r\n]*)/.exec(shown)?.[1] ?? shown
}

test.concurrent("one that tells keys apart and shows notifications", async () => {
  const env = { TERM: "xterm-kitty", COLORTERM: "truecolor" }
  expect(await terminalLine("\u001b[?1u", env)).toBe(
    "xterm-kitty, 160 by 40, all colors, tells all keys apart, shows notifications",
  )
})

test.concurrent("one that does not", async () => {
  expect(await terminalLine("", { TERM: "xterm-256color", NO_COLOR: "1" })).toBe(
    "xterm-256color, 160 by 40, no colors (NO_COLOR), no Shift+Enter (type \\ and Enter), notifies by a bell",
  )
})
