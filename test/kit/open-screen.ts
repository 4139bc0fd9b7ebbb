/** Codewright on a screen: the real program in a real terminal, seen through a virtual one. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RecordedRequest } from "#sim/ledger.ts"
import { openSimulator } from "#sim/server.ts"
import { processesBelow } from "./open-terminal.ts"
import { asScenario, environmentOf, type Place, program, type RunOptions } from "./run-codewright.ts"
import { openVirtualTerminal, type VirtualTerminal } from "./virtual-terminal.ts"

export interface ScreenRun extends AsyncDisposable {
  readonly terminal: VirtualTerminal
  readonly type: (keys: string) => void
  /** Waits until the screen, or what has scrolled away, holds the text. */
  readonly shows: (text: string | RegExp) => Promise<string>
  /** Waits until the screen asks this, and for as long as a person needs to read it: keys before that do not count. */
  readonly asks: (text: string | RegExp) => Promise<string>
  /** Waits until the screen no longer holds the text. */
  readonly hides: (text: string) => Promise<string>
  readonly resize: (columns: number, rows: number) => void
  readonly kill: (signal: NodeJS.Signals) => void
  /** Closes the window. */
  readonly hangUp: () => void
  readonly exited: Promise<number>
  readonly requests: readonly RecordedRequest[]
}

export interface ScreenOptions extends Pick<RunOptions, "argv" | "env" | "scenario" | "wrap"> {
  readonly place: Place
  readonly columns?: number
  readonly rows?: number
  /** Something else than the program itself. */
  readonly program?: readonly string[]
  /** `run`: nothing is known yet, so the first questions are asked. */
  readonly first?: "run"
}

const patienceMs = 30_000

/**
 * Nothing on the screen tells when keys begin to count, so here time itself is waited for: more than the program wants,
 * from when it was seen, which is later than it was shown. On a slow machine both only grow.
 */
export const readingMs = 350

export async function openScreenRun(options: ScreenOptions): Promise<ScreenRun> {
  const { place, argv, env, scenario, wrap, columns = 100, rows = 30, first } = options
  const opened = await openSimulator({ scenario: asScenario(scenario ?? []) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  const decoder = new TextDecoder()
  const terminal = openVirtualTerminal(columns, rows)
  let ended = false
  let news = Promise.withResolvers<void>()
  const tell = (): void => {
    news.resolve()
    news = Promise.withResolvers()
  }
  if (first !== "run") {
    mkdirSync(place.state, { recursive: true, mode: 0o700 })
    const settings = join(place.state, "settings.json")
    if (!existsSync(settings)) writeFileSync(settings, '{ "theme": "dark" }\n')
  }
  const wrapped = wrap === undefined ? [] : ["bash", "-c", wrap, "bash"]
  const child = Bun.spawn([...wrapped, ...(options.program ?? [program]), ...argv], {
    cwd: place.work,
    env: {
      ...(first !== "run" && { CODEWRIGHT_TRUST: "1" }),
      TERM: "xterm-256color",
      ...environmentOf(place, simulator.url, env),
    },
    terminal: {
      cols: columns,
      rows,
      data(_, bytes) {
        terminal.write(decoder.decode(bytes, { stream: true }))
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

  const until = async (holds: (all: string, screen: string) => boolean, what: string): Promise<string> => {
    for (;;) {
      const next = news.promise
      const all = await terminal.all()
      if (holds(all, await terminal.screen())) return all
      if (ended) throw new Error(`The program ended before ${what}:\n${all}`)
      // Only so that a test that would hang says what it hung on.
      const last = await Promise.race([next, Bun.sleep(patienceMs).then(() => "silence" as const)])
      if (last === "silence") throw new Error(`Nothing more comes before ${what}:\n${await terminal.all()}`)
    }
  }

  const shows: ScreenRun["shows"] = (text) =>
    until((all) => (typeof text === "string" ? all.includes(text) : text.test(all)), `it shows ${String(text)}`)

  return {
    terminal,
    exited,
    requests: simulator.requests,
    type: (keys) => void child.terminal?.write(keys),
    shows,
    async asks(text) {
      const shown = await shows(text)
      await Bun.sleep(readingMs)
      return shown
    },
    hides: (text) => until((_, screen) => !screen.includes(text), `it hides ${text}`),
    resize(newColumns, newRows) {
      terminal.resize(newColumns, newRows)
      child.terminal?.resize(newColumns, newRows)
    },
    kill: (signal) => child.kill(signal),
    hangUp: () => child.terminal?.close(),
    async [Symbol.asyncDispose]() {
      if (!ended) child.kill("SIGKILL")
      await exited
      child.terminal?.close()
      // Killing the shell around the program leaves the program, which still writes down how it ended.
      if (wrap !== undefined) while (processesBelow(place.work).length > 0) await Bun.sleep(10)
      await simulator.close()
    },
  }
}
