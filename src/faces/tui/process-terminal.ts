/** The terminal that this process was started in. */

import { writeSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import { notification } from "./notification.ts"
import { askBackground } from "./screen/background.ts"
import type { Rewrap } from "./screen/breaking.ts"
import type { Terminal, TerminalListener } from "./terminal.ts"

export interface TerminalKind {
  readonly term: string | undefined
  readonly program: string | undefined
  readonly isWindowsTerminal: boolean
  /** xterm itself; many others only claim to be like it. */
  readonly isXterm: boolean
  readonly showsAnyColour: boolean
}

/** Saves the title, brackets pastes, and distinguishes keys if the terminal can. */
const takeOver = "\u001b[22;2t\u001b[?2004h\u001b[>1u"
/** Undoes all of it, in an order that is harmless if some was never done. */
const giveBack =
  "\u001b[?1006l\u001b[?1000l\u001b[?7h\u001b[?2026l\u001b[<u\u001b[?2004l\u001b[23;2t\u001b[0m\u001b[?25h"

/** The alternate screen, cleared, without a cursor. */
const takeAlternate = "\u001b[?1049h\u001b[?25l"
const leaveAlternate = "\u001b[?1049l"

/** Buttons and the wheel, with places of any size. */
const takeMouse = "\u001b[?1000h\u001b[?1006h"
const leaveMouse = "\u001b[?1006l\u001b[?1000l"

/** Clears what another program left there. */
const cleanBelow = "\r\u001b[J"

/** A stopped process counts no time, so this passes only if it was not stopped or has continued. */
const notStoppedMs = 100

export function processTerminal(clock: Clock, kind: TerminalKind): Terminal {
  const { stdin, stdout } = process
  const decoder = new TextDecoder()
  let listener: TerminalListener | undefined
  let busy = false
  let lent = false
  let isAlternate = false
  const mouse = openMouse(stdout)

  const onData = (bytes: Uint8Array): void => listener?.onInput(decoder.decode(bytes, { stream: true }))
  const end = (): void => listener?.onEnd()
  let looks = false
  /** The caller that asks for the size draws for it anyway; others are told right after. */
  const resized = (): void => (looks ? queueMicrotask(resized) : listener?.onResize())
  /** When the process ends, only a direct write still arrives. */
  const rescue = (): void => {
    try {
      const first = `${isAlternate ? leaveAlternate : ""}${showsProgress(kind) ? progress("none") : ""}`
      writeSync(1, first + giveBack)
      stdin.setRawMode(false)
    } catch {
      // The terminal is gone.
    }
  }

  const enter = (): void => {
    stdin.setRawMode(true)
    stdout.write(takeOver + mouse.again())
  }

  return {
    write(text) {
      busy = !stdout.write(text)
    },
    setTitle: (title) => void stdout.write(`\u001b]2;${title}\u0007`),
    ring: () => void stdout.write("\u0007"),
    notify: (text) => void stdout.write(notification(text, kind)),
    setProgress(state) {
      if (showsProgress(kind)) stdout.write(progress(state))
    },
    copy: (text) => void stdout.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`),
    askBackground: () => void stdout.write(askBackground),
    alternate(on) {
      isAlternate = on
      stdout.write(on ? takeAlternate : leaveAlternate)
    },
    mouse: mouse.set,
    isBusy: () => busy || lent,
    rewrap: rewrapOf(kind),
    showsAnyColour: kind.showsAnyColour,
    size() {
      looks = true
      lookAtSize(stdout)
      looks = false
      return { columns: stdout.columns || 80, rows: stdout.rows || 24 }
    },
    open(newListener) {
      listener = newListener
      process.on("exit", rescue)
      stdin.on("data", onData)
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
      stdin.off("data", onData)
      stdout.off("resize", resized)
      process.off("exit", rescue)
      rescue()
      stdin.pause()
    },
    async lend(work) {
      // Ctrl+C goes to everyone in front of the terminal; meanwhile it is meant for the other program.
      const ignore = (): void => {}
      lent = true
      stdin.off("data", onData)
      stdin.pause()
      rescue()
      process.on("SIGINT", ignore)
      try {
        return await work()
      } finally {
        process.off("SIGINT", ignore)
        lent = false
        // Meanwhile it may have been closed for good.
        if (listener) {
          stdin.on("data", onData)
          enter()
          stdout.write(cleanBelow)
          stdin.resume()
          listener.onResume()
        }
      }
    },
    suspend() {
      let goesOn = false
      const resume = (): void => {
        process.off("SIGCONT", resume)
        if (goesOn) return
        goesOn = true
        lent = false
        enter()
        listener?.onResume()
      }
      // A timer that fell due meanwhile must not draw into what the shell has written.
      lent = true
      rescue()
      process.on("SIGCONT", resume)
      // Where nobody could bring the process back, it is not stopped at all: then it continues by itself.
      clock.after(notStoppedMs, resume)
      // The whole group, as the terminal itself would: whoever started us waits too.
      process.kill(0, "SIGTSTP")
    },
  }
}

interface Mouse {
  readonly set: (on: boolean) => void
  /** For a terminal that was given back in between. */
  readonly again: () => string
}

function openMouse(stdout: NodeJS.WriteStream): Mouse {
  let isOn = false
  return {
    set(on) {
      if (on !== isOn) stdout.write(on ? takeMouse : leaveMouse)
      isOn = on
    },
    again: () => (isOn ? takeMouse : ""),
  }
}

/** The signal arrives too late: a frame would be drawn for a size that is gone. */
function lookAtSize(stdout: NodeJS.WriteStream): void {
  // oxlint-disable-next-line no-underscore-dangle -- there is no other name for it.
  if ("_refreshSize" in stdout && typeof stdout._refreshSize === "function") stdout._refreshSize()
}

const progress = (state: "busy" | "none"): string => `\u001b]9;4;${state === "busy" ? 3 : 0}\u0007`

/** Others would show the sequence as a notification with its number. */
const showsProgress = ({ program, isWindowsTerminal }: TerminalKind): boolean =>
  isWindowsTerminal || program === "ghostty"

/** Known to also wrap the row with the cursor; others are assumed not to. */
const breaksAll = /^(?:tmux|iTerm\.app|WezTerm|ghostty|xterm-kitty|xterm-ghostty|alacritty|foot)/

function rewrapOf({ term = "", program = "", isXterm }: TerminalKind): Rewrap {
  if (breaksAll.test(program)) return "all"
  if (isXterm || /^(?:linux|screen)/.test(term)) return "none"
  return breaksAll.test(term) ? "all" : "all but the cursor's"
}
