/** Background sessions of a home of their own: the real program, a scripted model over a socket, and hands to look, answer and kill. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openJobs } from "#fleet/background/jobs.ts"
import { type LogProgress, progressOf } from "#fleet/background/progress.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Answer } from "#agent/words/question.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { holderOf } from "#ground/transcript/lock.ts"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { Scenario } from "#sim/scenario.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import { answerKept } from "#session/port/answer-kept.ts"
import { environmentOf, openPlace, type Place, program } from "./run-codewright.ts"

export interface BackgroundWorld extends AsyncDisposable {
  readonly place: Place
  readonly simulator: Simulator
  readonly run: (...argv: readonly string[]) => Promise<Ran>
  /** Starts a session with `--bg`, and returns its id. */
  readonly start: (prompt: string, ...flags: readonly string[]) => Promise<string>
  readonly entries: (id: string) => readonly Entry[]
  readonly progress: (id: string) => LogProgress
  readonly until: (id: string, state: LogProgress["state"]) => Promise<void>
  /** Answers the first open question in the log. False if a process has the session open, or nothing is asked. */
  readonly answer: (id: string, answer?: Answer) => Promise<boolean>
  readonly host: () => number | undefined
  /** Resolves when no host is left. */
  readonly ended: () => Promise<void>
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export async function openBackgroundWorld(
  scenario: Scenario,
  files: { readonly [path: string]: string } = {},
): Promise<BackgroundWorld> {
  const place = openPlace(files)
  const opened = await openSimulator({ scenario })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  const shelf = openSessionLogs({ projects: join(place.state, "projects"), slug: "" })
  const host = (): number | undefined => holderOf(join(place.state, "background", "host.lock"), process.pid)?.pid

  async function run(...argv: readonly string[]): Promise<Ran> {
    const child = Bun.spawn([program, ...argv], {
      cwd: place.work,
      env: environmentOf(place, simulator.url),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  }

  function entries(id: string): readonly Entry[] {
    const path = shelf.find(id)
    const loaded = path === undefined ? undefined : loadTail(path, { torn: "leave" })
    return loaded?.ok ? loaded.value.entries : []
  }

  const progress = (id: string): LogProgress => progressOf(entries(id))

  async function ended(): Promise<void> {
    while (host() !== undefined) await Bun.sleep(20)
  }

  return {
    place,
    simulator,
    run,
    entries,
    progress,
    host,
    ended,
    async start(prompt, ...flags) {
      const ran = await run("--bg", "--output-format", "json", ...flags, "--", prompt)
      if (ran.code !== 0) throw new Error(ran.stderr)
      return String(JSON.parse(ran.stdout).id)
    },
    async until(id, state) {
      while (progress(id).state !== state) await Bun.sleep(20)
    },
    async answer(id, answer = { kind: "allow" }) {
      const path = shelf.find(id)
      const [question] = progress(id).questions
      if (!path || !question) return false
      const done = await answerKept(
        path,
        { questionId: question.id, answer, digest: question.digest },
        {
          pid: process.pid,
          origin: { sessionId: id, cwd: place.work, version: "0", gitBranch: "", entrypoint: "cli" },
          clock: systemClock,
          ids: systemIds,
        },
      )
      if (done.ok) openJobs(place.state, process.pid).poke()
      return done.ok
    },
    async [Symbol.asyncDispose]() {
      const pid = host()
      if (pid !== undefined) process.kill(pid, "SIGKILL")
      await ended()
      await simulator.close()
      place[Symbol.dispose]()
    },
  }
}

/** The lines of a file of the project, none if it is not there. */
export function linesIn(place: Place, name: string): readonly string[] {
  try {
    return readFileSync(join(place.work, name), "utf8").split("\n").filter(Boolean)
  } catch {
    return []
  }
}
