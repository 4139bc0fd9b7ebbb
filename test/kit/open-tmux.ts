/** Codewright in a window of tmux: a terminal that somebody else wrote, with its own ideas of widths, scrolling and sizes. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RecordedRequest } from "#sim/ledger.ts"
import { openSimulator } from "#sim/server.ts"
import { readingMs } from "./open-screen.ts"
import { processesBelow } from "./open-terminal.ts"
import { asScenario, environmentOf, type Place, type RunOptions } from "./run-codewright.ts"
import { pauseAfter } from "./until.ts"

export const hasTmux: boolean = Bun.which("tmux") !== null

export interface TmuxRun extends AsyncDisposable {
  /** Characters as they are. */
  readonly type: (text: string) => Promise<void>
  /** A line, ended with Enter. */
  readonly enter: (line: string) => Promise<void>
  /** Keys by their names in tmux: `Enter`, `Escape`, `C-c`. */
  readonly press: (...keys: readonly string[]) => Promise<void>
  /** Waits until the window, or what has scrolled away, holds the text. */
  readonly shows: (text: string | RegExp) => Promise<string>
  /** Waits until the window asks this, and for as long as a person needs to read it. */
  readonly asks: (text: string | RegExp) => Promise<string>
  /** Waits until the window no longer holds the text. */
  readonly hides: (text: string) => Promise<string>
  /** Everything, with what has scrolled away. */
  readonly all: () => Promise<string>
  readonly resize: (columns: number, rows: number) => Promise<void>
  /** What tmux knows about the window, such as `#{pane_title}`. */
  readonly knows: (format: string) => Promise<string>
  /** Waits until tmux knows this about the window. */
  readonly learns: (format: string, value: string) => Promise<void>
  readonly requests: readonly RecordedRequest[]
  /** Any other command of tmux. */
  readonly tmux: (...argv: readonly string[]) => Promise<string>
}

export interface TmuxOptions extends Pick<RunOptions, "env" | "scenario"> {
  readonly place: Place
  /** What runs in the window. */
  readonly command: readonly string[]
}

const patienceMs = 30_000

export async function openTmux({ place, command, env, scenario }: TmuxOptions): Promise<TmuxRun> {
  const opened = await openSimulator({ scenario: asScenario(scenario ?? []) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  mkdirSync(place.state, { recursive: true, mode: 0o700 })
  const settings = join(place.state, "settings.json")
  if (!existsSync(settings)) writeFileSync(settings, '{ "theme": "dark" }\n')
  const config = join(place.path, "tmux.conf")
  writeFileSync(config, "set -g history-limit 50000\nset -g remain-on-exit on\nset -g status off\n")
  // A server of its own, in a folder of its own: it meets no other one and knows nothing of this machine.
  const server = ["tmux", "-S", join(place.path, "tmux"), "-f", config]
  const environment = {
    ...environmentOf(place, simulator.url, env),
    CODEWRIGHT_TRUST: "1",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
  }
  const tmux = async (...argv: readonly string[]): Promise<string> => {
    const child = Bun.spawn([...server, ...argv], {
      cwd: place.work,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    })
    const [out, wrong, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`tmux ${argv.join(" ")}: ${wrong}`)
    return out
  }
  await tmux("new-session", "-d", "-x", "100", "-y", "30", "--", ...command)

  const screen = (): Promise<string> => tmux("capture-pane", "-p")
  const all = async (): Promise<string> => (await tmux("capture-pane", "-p", "-S", "-")).replaceAll(/ +$/gm, "")
  const knows = async (format: string): Promise<string> => (await tmux("display-message", "-p", format)).trimEnd()
  const type = async (text: string): Promise<void> => void (await tmux("send-keys", "-l", "--", text))
  async function until(look: () => Promise<string>, holds: (text: string) => boolean, what: string): Promise<string> {
    const start = performance.now()
    for (;;) {
      const began = performance.now()
      const text = await look()
      if (holds(text)) return text
      // Only so that a test that would hang says what it hung on.
      if (performance.now() - start > patienceMs) throw new Error(`It never ${what}:\n${text}`)
      await pauseAfter(began)
    }
  }

  const shows: TmuxRun["shows"] = (text) =>
    until(all, (shown) => (typeof text === "string" ? shown.includes(text) : text.test(shown)), `shows ${text}`)

  return {
    all,
    requests: simulator.requests,
    tmux,
    type,
    async enter(line) {
      await type(line)
      await tmux("send-keys", "--", "Enter")
    },
    press: async (...keys) => void (await tmux("send-keys", "--", ...keys)),
    resize: async (columns, rows) => void (await tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`)),
    knows,
    learns: async (format, value) =>
      void (await until(
        () => knows(format),
        (known) => known === value,
        `learns ${value}`,
      )),
    shows,
    async asks(text) {
      const shown = await shows(text)
      await Bun.sleep(readingMs)
      return shown
    },
    hides: (text) => until(screen, (shown) => !shown.includes(text), `hides ${text}`),
    async [Symbol.asyncDispose]() {
      await tmux("kill-server").catch(() => "")
      // The program hears that its window is gone and still writes down what it must; only then the place may go.
      await until(
        async () => processesBelow(place.path).join(" "),
        (pids) => pids === "",
        "ends",
      )
      await simulator.close()
    },
  }
}
