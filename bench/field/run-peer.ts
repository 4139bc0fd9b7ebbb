/** One run of an agent against a script, from its start to its end, with what it cost. */

import type { SimRequest } from "../../src/sim/request.ts"
import { type FieldModel, openFieldModel, type Script } from "./model.ts"
import type { Peer, Situation } from "./peer.ts"
import { endProcesses, type FieldPlace, processesIn } from "./place.ts"

export interface PeerRun {
  readonly startedAt: number
  readonly endedAt: number
  /** The exit code; "late" where it had to be ended, "killed" where the axis did it. */
  readonly exit: number | "late" | "killed"
  /** User and system time of the process and of all children it waited for, in milliseconds. */
  readonly cpuMs: number
  readonly at: readonly number[]
  readonly requests: readonly SimRequest[]
  readonly besides: number
  readonly printed: string
  readonly complained: string
  /** Processes that were still there after its end. */
  readonly left: number
}

export interface Contact {
  readonly pid: number
  readonly kill: (signal: "SIGKILL" | "SIGTERM") => void
}

export interface PeerRunOptions {
  readonly peer: Peer
  readonly installed: string
  readonly place: FieldPlace
  readonly argv: (situation: Situation) => readonly string[]
  readonly script: Script
  readonly patienceMs?: number
  readonly keep?: "all" | "last"
  readonly onRequest?: (index: number, contact: Contact) => void
  /** Runs beside it, from its start. */
  readonly beside?: (contact: Contact) => Promise<void>
}

const patience = 120_000

export async function runPeer(options: PeerRunOptions): Promise<PeerRun> {
  const { peer, place } = options
  let contact: Contact | undefined
  const model = await openFieldModel({
    // Some hide their shell in plan mode.
    tools: [peer.shellTool, peer.read("").tool],
    script: options.script,
    keep: options.keep ?? "all",
    onRequest: (index) => contact && options.onRequest?.(index, contact),
  })
  try {
    return await runAgainst(model, options, (made) => {
      contact = made
    })
  } finally {
    await model.close()
    endProcesses(place.root)
  }
}

async function runAgainst(
  model: FieldModel,
  { peer, installed, place, argv, patienceMs = patience, beside }: PeerRunOptions,
  introduce: (contact: Contact) => void,
): Promise<PeerRun> {
  const situation = { place, url: model.url }
  peer.prepare?.(situation)
  let ended: "late" | "killed" | undefined
  const startedAt = performance.now()
  const child = Bun.spawn([...peer.program(installed), ...argv(situation)], {
    cwd: place.work,
    env: environment(peer, situation),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const contact: Contact = {
    pid: child.pid,
    kill(signal) {
      ended = "killed"
      // Some start themselves once more; a kill means the agent, not its starter.
      for (const pid of signal === "SIGKILL" ? agents(place.root, child.pid) : [child.pid]) process.kill(pid, signal)
    },
  }
  introduce(contact)
  const late = setTimeout(() => {
    ended = "late"
    endProcesses(place.root)
  }, patienceMs)
  const texts = Promise.all([child.stdout.text(), child.stderr.text()])
  const besideIt = beside?.(contact)
  const code = await child.exited
  const endedAt = performance.now()
  clearTimeout(late)
  await besideIt
  // A moment for children that end by themselves.
  await Bun.sleep(500)
  const left = processesIn(place.root).length
  // Whoever stays behind may hold the pipe.
  endProcesses(place.root)
  const [printed, complained] = await texts
  return {
    startedAt,
    endedAt,
    exit: ended ?? code,
    cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000,
    at: model.seen.map(({ at }) => at),
    requests: model.seen.map(({ request }) => request),
    besides: model.besides(),
    printed,
    complained,
    left,
  }
}

export const environment = (peer: Peer, situation: Situation): Record<string, string> => ({
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  LANG: "C.UTF-8",
  HOME: situation.place.home,
  TMPDIR: situation.place.temporary,
  ...peer.env(situation),
})

/** The process itself and copies of its own program that it started. */
function agents(root: string, pid: number): readonly number[] {
  const program = programOf(pid)
  return processesIn(root).filter((other) => other === pid || (program !== "" && programOf(other) === program))
}

function programOf(pid: number): string {
  const { stdout } = Bun.spawnSync(["readlink", `/proc/${pid}/exe`], { stdio: ["ignore", "pipe", "ignore"] })
  return stdout.toString().trim()
}
