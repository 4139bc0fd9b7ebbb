/** Codewright in a real terminal: what a person sees and types. */

import { existsSync, readdirSync, readlinkSync } from "node:fs"
import type { RecordedRequest } from "#sim/ledger.ts"
import { openSimulator } from "#sim/server.ts"
import { asScenario, environmentOf, type Place, program, type RunOptions } from "./run-codewright.ts"

export interface Terminal extends AsyncDisposable {
  readonly type: (keys: string) => void
  /** Waits until the text appears after what was waited for before, and gives what came in between. */
  readonly shows: (text: string) => Promise<string>
  /** Everything so far, without escape sequences. */
  readonly screen: () => string
  readonly kill: (signal: NodeJS.Signals) => void
  /** Closes the window. */
  readonly hangUp: () => void
  /** The exit code, once it has ended. */
  readonly exited: Promise<number>
  readonly requests: readonly RecordedRequest[]
}

export const enter = "\r"
export const controlC = "\u0003"
export const controlD = "\u0004"

const silenceMs = 30_000

export async function openTerminal({
  place,
  argv,
  env,
  scenario,
}: Pick<RunOptions, "argv" | "env" | "scenario"> & { readonly place: Place }): Promise<Terminal> {
  const opened = await openSimulator({ scenario: asScenario(scenario ?? []) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  const decoder = new TextDecoder()
  let raw = ""
  let seen = 0
  let ended = false
  let news = Promise.withResolvers<void>()
  const tell = (): void => {
    news.resolve()
    news = Promise.withResolvers()
  }

  const child = Bun.spawn([program, ...argv], {
    cwd: place.work,
    env: { ...environmentOf(place, simulator.url, env), TERM: "xterm-256color", CODEWRIGHT_PLAIN: "1" },
    terminal: {
      cols: 120,
      rows: 40,
      data(_, bytes) {
        raw += decoder.decode(bytes, { stream: true })
        tell()
      },
    },
  })
  const exited = child.exited.then(async (code) => {
    // What was printed last may still be on its way.
    await Bun.sleep(20)
    ended = true
    tell()
    return code
  })
  const screen = (): string => Bun.stripANSI(raw).replaceAll("\r", "")

  return {
    exited,
    screen,
    requests: simulator.requests,
    type: (keys) => void child.terminal?.write(keys),
    kill: (signal) => child.kill(signal),
    hangUp: () => child.terminal?.close(),
    async shows(text) {
      for (;;) {
        const at = screen().indexOf(text, seen)
        if (at >= 0) {
          const between = screen().slice(seen, at + text.length)
          seen = at + text.length
          return between
        }
        if (ended) throw new Error(`The program ended without showing ${JSON.stringify(text)}:\n${screen()}`)
        // Only so that a test that would hang says what it hung on.
        const last = await Promise.race([news.promise, Bun.sleep(silenceMs).then(() => "silence" as const)])
        if (last === "silence")
          throw new Error(`Nothing more comes without showing ${JSON.stringify(text)}:\n${screen()}`)
      }
    },
    async [Symbol.asyncDispose]() {
      if (!ended) child.kill("SIGKILL")
      await exited
      child.terminal?.close()
      await simulator.close()
    },
  }
}

/** The processes that work below a folder, where the system tells. */
export function processesBelow(folder: string): readonly string[] {
  if (!existsSync("/proc/self/cwd")) return []
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    } catch {
      return false
    }
  })
}
