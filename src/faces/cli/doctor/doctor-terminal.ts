/** What the terminal can do: size, colors, keys and notifications. */

import { type Environment, processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { type DoctorCheck, good, odd } from "./doctor-check.ts"

export async function terminalCheck(clock: Clock = systemClock): Promise<DoctorCheck> {
  if (!process.stdout.isTTY) return good("terminal", "none; only -p works without one")
  const raw = processEnvironment()
  const { TERM: term } = raw
  const { columns, rows } = process.stdout
  if (term === undefined || term === "dumb")
    return odd("terminal", "cannot draw a screen, so conversations are shown as plain lines")
  if (columns < 40) return odd("terminal", `${term}, ${columns} columns; the screen needs 40`)
  const environment = readEnvironment(raw)
  const keys = await keyboardWords(clock)
  const known = [colorWords(environment, raw["COLORTERM"], process.stdout.getColorDepth()), keys]
  const multiplexer = raw["TMUX"] === undefined ? [] : ["inside tmux"]
  const words = [`${columns} by ${rows}`, ...known, notificationWords(environment), ...multiplexer]
  return good("terminal", `${term}, ${words.join(", ")}`)
}

function colorWords({ noColor }: Environment, colorTerm: string | undefined, depth: number): string {
  if (noColor) return "no colors (NO_COLOR)"
  if (/truecolor|24bit/.test(colorTerm ?? "") || depth >= 24) return "all colors"
  return depth >= 8 ? "256 colors" : depth >= 4 ? "16 colors" : "no colors"
}

/** Known to show them; others may, and all ring a bell. */
const notifying = /^(?:iTerm\.app|WezTerm|ghostty|xterm-kitty|xterm-ghostty|rxvt|foot)/

function notificationWords({ term = "", termProgram = "", windowsTerminal }: Environment): string {
  const shows = windowsTerminal || notifying.test(termProgram) || notifying.test(term)
  return shows ? "shows notifications" : "notifies by a bell"
}

/** Asks for the state of the keyboard protocol, then for what every terminal answers, so that silence need not be waited for. */
const question = "\u001b[?u\u001b[c"
const attributes = /\[\?[\d;]*c/
const patienceMs = 300

async function keyboardWords(clock: Clock): Promise<string> {
  const answer = await ask(clock)
  if (answer === undefined) return "keys not tried"
  return answer.includes("u") ? "tells all keys apart" : "no Shift+Enter (type \\ and Enter)"
}

/** Undefined where nobody could answer. */
async function ask(clock: Clock): Promise<string | undefined> {
  const { stdin, stdout } = process
  // Somebody else reads already: the screen of a running session.
  if (!stdin.isTTY || stdin.isRaw || stdin.listenerCount("data") > 0) return undefined
  const { promise, resolve } = Promise.withResolvers<string>()
  let heard = ""
  const listen = (bytes: Uint8Array): void => {
    heard += new TextDecoder().decode(bytes)
    // The answer to the second question ends with a c.
    if (attributes.test(heard)) resolve(heard)
  }
  stdin.setRawMode(true)
  stdin.on("data", listen)
  stdin.resume()
  stdout.write(question)
  const cancel = clock.after(patienceMs, () => resolve(heard))
  const answer = await promise
  cancel()
  stdin.off("data", listen)
  stdin.pause()
  stdin.setRawMode(false)
  return answer === "" ? undefined : answer.replace(attributes, "")
}
