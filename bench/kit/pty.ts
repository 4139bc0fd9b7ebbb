/** The built program in a terminal of its own, with the time at which each byte came. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { program } from "./agent.ts"
import type { BenchPlace } from "./place.ts"

export interface Pty {
  readonly pid: number
  readonly spawnedAt: number
  readonly type: (keys: string) => void
  /** When a text first came after this moment; from the whole beginning when none is given. */
  readonly shown: (text: string, after?: number) => Promise<number>
  /** Bytes so far. */
  readonly bytes: () => number
  /** User and system time so far, in milliseconds. */
  readonly cpuMs: () => number
  readonly residentMb: () => number
  /** How often any of its threads stopped waiting meanwhile. */
  readonly wakeUps: (seconds: number) => Promise<number>
  readonly end: () => Promise<void>
}

interface Arrival {
  readonly at: number
  readonly text: string
}

const patienceMs = 30_000

export function openPty(options: {
  readonly place: BenchPlace
  readonly url: string
  readonly argv?: readonly string[]
}): Pty {
  const arrivals: Arrival[] = []
  const decoder = new TextDecoder()
  let bytes = 0
  let news = Promise.withResolvers<void>()
  // What is asked before the first conversation is not what is measured.
  mkdirSync(options.place.state, { recursive: true })
  writeFileSync(join(options.place.state, "settings.json"), '{ "theme": "dark" }\n')
  const spawnedAt = performance.now()
  const child = Bun.spawn([...(options.argv ?? [program, "--trust"])], {
    cwd: options.place.work,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: options.place.home,
      CODEWRIGHT_HOME: options.place.state,
      ANTHROPIC_BASE_URL: options.url,
      ANTHROPIC_API_KEY: "x",
      // A title is asked for once, beside what is measured.
      DISABLE_NON_ESSENTIAL_MODEL_CALLS: "1",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
    },
    terminal: {
      cols: 100,
      rows: 30,
      data(_, chunk) {
        bytes += chunk.length
        arrivals.push({ at: performance.now(), text: decoder.decode(chunk, { stream: true }) })
        news.resolve()
        news = Promise.withResolvers()
      },
    },
  })

  return {
    pid: child.pid,
    spawnedAt,
    type: (keys) => void child.terminal?.write(keys),
    bytes: () => bytes,
    cpuMs: () => cpuOf(child.pid),
    residentMb: () => residentOf(child.pid),
    async wakeUps(seconds) {
      const before = sleepsOf(child.pid)
      await Bun.sleep(seconds * 1_000)
      const after = sleepsOf(child.pid)
      const ended = before.keys().filter((thread) => !after.has(thread))
      return [...ended].length + after.entries().reduce((sum, [thread, n]) => sum + n - (before.get(thread) ?? 0), 0)
    },
    async shown(text, after = 0) {
      for (;;) {
        // It may have come in two pieces.
        let seen = ""
        for (const { at, text: piece } of arrivals) {
          if (at <= after) continue
          if ((seen + piece).includes(text)) return at
          seen = piece.slice(-text.length)
        }
        const silence = await Promise.race([news.promise, Bun.sleep(patienceMs).then(() => "silence" as const)])
        if (silence)
          throw new Error(
            `${text} never came. The screen says:\n${Bun.stripANSI(arrivals.map((a) => a.text).join(""))}`,
          )
      }
    },
    async end() {
      child.kill("SIGKILL")
      await child.exited
      child.terminal?.close()
    },
  }
}

const ticksPerSecond = 100

/** Only Linux tells. */
function cpuOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
  } catch {
    return Number.NaN
  }
}

function residentOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1024
  } catch {
    return Number.NaN
  }
}

/** How often each thread went to sleep by its own will: once more each time something wakes it. */
function sleepsOf(pid: number): ReadonlyMap<string, number> {
  return new Map(
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8")
      return [thread, Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1] ?? 0)]
    }),
  )
}
