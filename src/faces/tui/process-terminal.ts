/** The terminal that this process was started in. */

import { writeSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import type { Terminal, TerminalListener } from "./terminal.ts"

/** The title put aside, pastes in brackets, and keys told apart where the terminal can. */
const takeOver = "\u001b[22;2t\u001b[?2004h\u001b[>1u"
/** All of it undone, in an order that is harmless when some of it was never done. */
const giveBack = "\u001b[?7h\u001b[?2026l\u001b[<u\u001b[?2004l\u001b[23;2t\u001b[0m\u001b[?25h"

/** A stopped process counts no time, so this passes only in one that was not stopped, or goes on. */
const notStoppedMs = 100

export function processTerminal(clock: Clock): Terminal {
  const { stdin, stdout } = process
  const decoder = new TextDecoder()
  let listener: TerminalListener | undefined
  let busy = false

  const take = (bytes: Uint8Array): void => listener?.onInput(decoder.decode(bytes, { stream: true }))
  const end = (): void => listener?.onEnd()
  const resized = (): void => listener?.onResize()
  /** At the end of the process, however it comes, nothing but a direct write arrives. */
  const rescue = (): void => {
    try {
      writeSync(1, giveBack)
      stdin.setRawMode(false)
    } catch {
      // The terminal is gone.
    }
  }

  const enter = (): void => {
    stdin.setRawMode(true)
    stdout.write(takeOver)
  }

  return {
    write(text) {
      busy = !stdout.write(text)
    },
    setTitle: (title) => void stdout.write(`\u001b]2;${title}\u0007`),
    ring: () => void stdout.write("\u0007"),
    isBusy: () => busy,
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    open(given) {
      listener = given
      process.on("exit", rescue)
      stdin.on("data", take)
      stdin.on("end", end)
      stdin.on("error", end)
      stdout.on("error", end)
      stdout.on("resize", resized)
      stdout.on("drain", () => {
        busy = false
        listener?.onReady()
      })
      enter()
      stdin.resume()
    },
    close() {
      listener = undefined
      stdin.off("data", take)
      stdout.off("resize", resized)
      process.off("exit", rescue)
      rescue()
      stdin.pause()
    },
    suspend() {
      let goesOn = false
      const resume = (): void => {
        process.off("SIGCONT", resume)
        if (goesOn) return
        goesOn = true
        enter()
        listener?.onResume()
      }
      rescue()
      process.on("SIGCONT", resume)
      // Where nobody could bring the process back, it is not stopped at all: then it goes on by itself.
      clock.after(notStoppedMs, resume)
      // The whole group, as the terminal itself would: whoever started us waits too.
      process.kill(0, "SIGTSTP")
    },
  }
}
