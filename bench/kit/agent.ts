/** Runs the built program against a scripted model, from its start to its exit. */

import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { type Exchange, type ModelServerOptions, openModelServer, type Piece } from "./model-server.ts"
import { type BenchPlace, makePlace } from "./place.ts"

/** The program that is measured. */
export const program: string = resolve(import.meta.dir, "../../dist/codewright")

export interface AgentRun {
  readonly spawnedAt: number
  readonly exitedAt: number
  readonly exchanges: readonly Exchange[]
  readonly connections: number
  /** User and system time of the whole run, in milliseconds. */
  readonly cpuMs: number
  /** The most memory it held at the last request, in MB. */
  readonly peakMb: number
}

export interface AgentOptions {
  /** The model's answers; the last one must end the turn. */
  readonly answers: readonly (readonly Piece[])[]
  readonly flags?: readonly string[]
  readonly bodies?: ModelServerOptions["bodies"]
  /** A fresh one is made and removed where none is given. */
  readonly place?: BenchPlace
  /** What runs instead of the program, given the address of the model. */
  readonly argv?: (url: string) => readonly string[]
  /** Besides the usual variables. */
  readonly env?: Readonly<Record<string, string>> | ((url: string) => Readonly<Record<string, string>>)
  readonly contentType?: string
  /** Hears of each request, before it is answered, with the process that sent it. */
  readonly onRequest?: (index: number, pid: number) => void
}

export async function runAgent(options: AgentOptions): Promise<AgentRun> {
  const { answers, flags = [], bodies = "dropped" } = options
  const place = options.place ?? makePlace()
  let pid = 0
  let peakMb = 0
  const server = openModelServer({
    bodies,
    ...(options.contentType !== undefined && { contentType: options.contentType }),
    answer: (index) => answers[index] ?? [],
    onRequest(index) {
      if (index === answers.length - 1) peakMb = peakOf(pid)
      options.onRequest?.(index, pid)
    },
  })
  const argv = options.argv?.(server.url) ?? [program, "-p", "go on", ...flags]
  const spawnedAt = performance.now()
  const child = Bun.spawn([...argv], {
    cwd: place.work,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: place.home,
      CODEWRIGHT_HOME: place.state,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "x",
      ...(typeof options.env === "function" ? options.env(server.url) : options.env),
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  pid = child.pid
  const exited = child.exited.then((code) => ({ code, at: performance.now() }))
  const [said, complained, { code, at: exitedAt }] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    exited,
  ])
  server.close()
  if (!options.place) place.remove()
  if (code !== 0 || server.exchanges.length !== answers.length)
    throw new Error(
      `${argv[0]} ended with ${code} after ${server.exchanges.length} of ${answers.length} requests.\n${complained}${said}`,
    )
  return {
    spawnedAt,
    exitedAt,
    exchanges: server.exchanges,
    connections: server.connections(),
    cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000,
    peakMb,
  }
}

/** What lies between the last byte of each answer and the headers of the next request. */
export function gaps({ exchanges }: AgentRun): number[] {
  return exchanges.slice(1).map(({ arrivedAt }, i) => arrivedAt - (exchanges[i]?.answeredAt ?? 0))
}

export function startMs({ spawnedAt, exchanges }: AgentRun): number {
  return (exchanges[0]?.arrivedAt ?? 0) - spawnedAt
}

export function exitMs({ exitedAt, exchanges }: AgentRun): number {
  return exitedAt - (exchanges.at(-1)?.answeredAt ?? 0)
}

function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1024
  } catch {
    // Only Linux tells.
    return Number.NaN
  }
}
