/** Codewright as a program: a real process against a real simulator over a socket, in a home of its own. */

import { setDefaultTimeout } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { Fault, FaultName } from "#sim/faults.ts"
import type { RecordedRequest } from "#sim/ledger.ts"
import type { Scenario, ScenarioReply } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { temporaryFolder } from "./tmp.ts"

// Tests of one file wait for each other's processes; a busy machine is no failure.
setDefaultTimeout(300_000)

const root = resolve(import.meta.dir, "../..")
/** From source, or as it is shipped: `npm test` builds it once, because compiling is most of what a short run from source costs. */
export const program: string = process.env["CODEWRIGHT_TEST_PROGRAM"] ?? join(root, "bin/codewright")

/** Compiling to the fastest form, of an embedded database and of our own code, costs more than a test gets back from it. */
export const lessCompiling: { readonly [name: string]: string } = { BUN_JSC_useOMGJIT: "0", BUN_JSC_useFTLJIT: "0" }

/** Where a run takes place: a project, a home, and a state folder, removed afterwards. */
export interface Place extends Disposable {
  /** The folder that holds the others. */
  readonly path: string
  readonly work: string
  readonly home: string
  readonly state: string
  readonly write: (path: string, text: string) => string
  readonly read: (path: string) => Promise<string>
}

/** A place whose project has these files; paths are relative to the project. */
export function openPlace(files: { readonly [path: string]: string } = {}): Place {
  const folder = temporaryFolder()
  const work = folder.join("work")
  const write = (path: string, text: string): string => {
    const whole = resolve(work, path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, text)
    return whole
  }
  mkdirSync(work)
  mkdirSync(folder.join("home"))
  for (const [path, text] of Object.entries(files)) write(path, text)
  return {
    path: folder.path,
    work,
    home: folder.join("home"),
    state: folder.join("state"),
    write,
    read: (path) => Bun.file(resolve(work, path)).text(),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

export interface RunOptions {
  readonly argv: readonly string[]
  /** Without one, the run gets a place that is gone when it ends. */
  readonly place?: Place
  readonly cwd?: string
  /** Another than the one that all tests run. */
  readonly program?: string
  /** Over the usual environment; undefined takes a variable away. */
  readonly env?: { readonly [name: string]: string | undefined }
  /** What is piped in; without it, standard input is /dev/null. */
  readonly stdin?: string | Uint8Array
  /** What the model answers: a scenario, or plain replies in order. */
  readonly scenario?: Scenario | readonly (string | ScenarioReply)[]
  readonly faults?: readonly (FaultName | Fault)[]
  /** A line of bash around the program, which it finds as "$@": for pipes, limits and bytes that no string holds. */
  readonly wrap?: string
  /** `expected` where the simulator is meant to refuse a request; otherwise a refusal fails the test. */
  readonly refusals?: "expected"
  /** Called with the running process, to send it signals. */
  readonly during?: (running: Running) => Promise<void>
}

export interface Running {
  readonly kill: (signal: NodeJS.Signals) => void
  /** Resolves when standard output holds the text; rejects when it ends without. */
  readonly shows: (text: string) => Promise<void>
  /** Standard output so far. */
  readonly output: () => string
}

export interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly requests: readonly RecordedRequest[]
}

/** Runs the program to its end. However many tests ask at once, only a few run. */
export async function runCodewright(options: RunOptions): Promise<Run> {
  await slots.take()
  try {
    if (options.place) return await runIn(options.place, options)
    using place = openPlace()
    return await runIn(place, options)
  } finally {
    slots.give()
  }
}

async function runIn(place: Place, options: RunOptions): Promise<Run> {
  const opened = await openSimulator({ scenario: asScenario(options.scenario ?? []) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  try {
    if (options.faults) simulator.setFaults(options.faults)
    const run = await runProcess(options, place, simulator.url)
    const refused = simulator.requests.find(({ answered }) => answered.kind === "refusal")
    if (refused && options.refusals !== "expected")
      throw new Error(`The simulator refused a request: ${JSON.stringify(refused.answered)}`)
    return { ...run, requests: [...simulator.requests] }
  } finally {
    await simulator.close()
  }
}

async function runProcess(
  { argv, cwd, env, stdin, wrap, during, program: wanted = program }: RunOptions,
  place: Place,
  url: string,
): Promise<Omit<Run, "requests">> {
  const wrapped = wrap === undefined ? [] : ["bash", "-c", wrap, "bash"]
  const child = Bun.spawn([...wrapped, wanted, ...argv], {
    cwd: cwd ?? place.work,
    env: environmentOf(place, url, env),
    stdin: stdin === undefined ? "ignore" : new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  })
  const out = follow(child.stdout)
  const running = during?.({ kill: (signal) => child.kill(signal), shows: out.shows, output: out.soFar })
  const [stdout, stderr, code] = await Promise.all([out.whole, child.stderr.text(), child.exited])
  await running
  return { code, stdout, stderr }
}

/** The environment of a run: nothing of this machine's but the path. */
export function environmentOf(place: Place, url: string, more: RunOptions["env"] = {}): { [name: string]: string } {
  const usual = {
    PATH: process.env["PATH"],
    HOME: place.home,
    CODEWRIGHT_HOME: place.state,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "test",
    // Scripted answers are for what the test asks, in its order.
    DISABLE_NON_ESSENTIAL_MODEL_CALLS: "1",
    // Which language servers this machine has must not matter.
    CODEWRIGHT_LANGUAGE_SERVERS: "configured",
    ...lessCompiling,
    // Every home is new, and compiling the source anew for each run would be most of what it costs.
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(root, "node_modules/.cache/codewright-test"),
    ...more,
  }
  return Object.fromEntries(
    Object.entries(usual).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

export function asScenario(given: NonNullable<RunOptions["scenario"]>): Scenario {
  if (!Array.isArray(given)) return given as Scenario
  return { replies: given.map((reply) => (typeof reply === "string" ? { content: reply } : reply)) }
}

function follow(stream: ReadableStream<Uint8Array>): {
  readonly whole: Promise<string>
  readonly soFar: () => string
  readonly shows: (text: string) => Promise<void>
} {
  let text = ""
  let ended = false
  let wake = Promise.withResolvers<void>()
  const tell = (): void => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  const read = async (): Promise<string> => {
    const decoder = new TextDecoder()
    for await (const part of stream) {
      text += decoder.decode(part, { stream: true })
      tell()
    }
    ended = true
    tell()
    return text
  }
  return {
    whole: read(),
    soFar: () => text,
    async shows(wanted) {
      while (!text.includes(wanted)) {
        if (ended) throw new Error(`The output ended without ${JSON.stringify(wanted)}: ${text}`)
        await wake.promise
      }
    },
  }
}

const slots = openSlots(3)

function openSlots(most: number): { readonly take: () => Promise<void>; readonly give: () => void } {
  const waiting: (() => void)[] = []
  let free = most
  return {
    take() {
      if (free > 0) {
        free--
        return Promise.resolve()
      }
      return new Promise((go) => waiting.push(go))
    },
    give() {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}

/** The JSON objects of an output, one a line. */
export function linesOf(stdout: string): readonly JsonObject[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const value: unknown = JSON.parse(line)
      if (!isObject(value)) throw new Error(`not an object: ${line}`)
      return value
    })
}
