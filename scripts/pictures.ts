/** `npm run pictures`: plays the program in a terminal without a window and keeps what it shows as pictures for the README. */

import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Terminal } from "@xterm/headless"
import { svgOf } from "./screen-svg.ts"

const root = resolve(import.meta.dir, "..")
const folder = join(root, "docs", "pictures")
const columns = 92
const patienceMs = 60_000

interface Play {
  readonly type: (keys: string) => Promise<void>
  readonly until: (text: string) => Promise<void>
  /** Keeps the last rows of the screen. */
  readonly keep: (name: string, rows: number) => Promise<void>
  readonly end: () => Promise<void>
}

/** The program in a fresh copy of the sample, with an empty home. */
function play(...argv: readonly string[]): Play {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "codewright-pictures-")))
  const work = join(place, "sample")
  cpSync(join(root, "sample"), work, { recursive: true })
  mkdirSync(join(place, "state"))
  writeFileSync(join(place, "state", "settings.json"), '{ "theme": "dark" }\n')
  const rows = 40
  const screen = new Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true })
  let drained: Promise<void> = Promise.resolve()
  const child = Bun.spawn([join(root, "bin", "codewright"), "--model", "sim", "--trust", ...argv], {
    cwd: work,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: place,
      CODEWRIGHT_HOME: join(place, "state"),
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
    },
    terminal: {
      cols: columns,
      rows,
      data(_, bytes) {
        const text = new Uint8Array(bytes)
        drained = new Promise((done) => screen.write(text, done))
      },
    },
  })
  const shown = (): string => {
    const { active } = screen.buffer
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "")
    return lines.join("\n")
  }
  let seen = 0

  return {
    async type(keys) {
      // Keys that come too soon after a dialog are ignored, and a person would not be so quick either.
      await Bun.sleep(500)
      child.terminal?.write(keys)
      await Bun.sleep(200)
    },
    async until(text) {
      const since = performance.now()
      for (;;) {
        await drained
        const at = shown().indexOf(text, seen)
        if (at >= 0) {
          seen = at
          break
        }
        if (performance.now() - since > patienceMs) throw new Error(`${text} never came:\n${shown()}`)
        await Bun.sleep(50)
      }
      await Bun.sleep(300)
    },
    async keep(name, lastRows) {
      await drained
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `${name}.svg`), svgOf(screen, lastRows))
      console.log(`docs/pictures/${name}.svg`)
    },
    async end() {
      child.kill("SIGKILL")
      await child.exited
      child.terminal?.close()
      rmSync(place, { recursive: true, force: true })
    },
  }
}

const enter = "\r"

const mending = play("Fix the failing test")
await mending.until("Run this command?")
await mending.type("2")
await mending.until("Apply this edit to")
await mending.keep("permission", 24)
await mending.type(enter)
await mending.until("/rewind")
await mending.keep("done", 30)
await mending.type("/rewind")
await mending.type(enter)
await mending.until("Go back")
await mending.type(enter)
await mending.until("loyalty.js")
await mending.keep("rewind", 18)
await mending.end()

const planning = play("--permission-mode", "plan", "Fix the failing test")
await planning.until("❯")
await planning.keep("plan", 36)
await planning.end()
