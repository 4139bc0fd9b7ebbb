/** The network namespace of a session: only its own loopback, on which one port leads to the proxy. */

import { closeSync, existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Unconfinable } from "#ground/sandbox/port.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openHostPort } from "./host-port.ts"
import { proxyVariables } from "./proxy-variables.ts"
import type { Listening } from "./wire.ts"

export interface Net {
  /** Created on first use, and again after the process that owns it has died. */
  readonly ensure: () => Promise<Result<Joinable, Unconfinable>>
  /** Ends it, with every connection that goes through it. */
  readonly close: () => Promise<void>
}

export interface Joinable {
  /** The process whose user and network namespaces commands join. */
  readonly pid: number
  /** The variables that lead a command to the proxy, or to the second one, on behalf of a call. */
  readonly env: (callId?: string, which?: "second") => Readonly<Record<string, string>>
}

export interface NetOptions {
  readonly bwrap: string
  readonly confine: string
  /** The socket that the proxy listens on. */
  readonly socket: string
  /** The socket of a second proxy, which has a port of its own. */
  readonly second?: string
  readonly folder: string
  /** Loopback ports of the host that are also available inside; read whenever the namespace is created. */
  readonly hostPorts: () => readonly number[]
  readonly clock: Clock
}

const readyMilliseconds = 10_000
/** Above the range systems assign by themselves, so that nothing else is likely to want it. */
const firstPort = 61_080
/** The limit of `confine keep`, without the ports of the proxies. */
const mostHostPorts = 30

export function openNet(options: NetOptions): Net {
  let holding: Promise<Result<Holder, Unconfinable>> | undefined
  let isClosed = false

  async function current(): Promise<Result<Holder, Unconfinable>> {
    const before = await holding
    if (before?.ok && before.value.isAlive()) return before
    if (before?.ok) await before.value.close()
    return isClosed ? closedNet : startHolder(options)
  }

  return {
    async ensure() {
      // Whoever asks meanwhile gets the same one.
      holding = current()
      const holder = await holding
      if (!holder.ok) return holder
      const { pid, port, secondPort } = holder.value
      return ok({ pid, env: (callId, which) => proxyVariables(which === "second" ? secondPort : port, callId) })
    },
    async close() {
      isClosed = true
      const holder = await holding
      if (holder?.ok) await holder.value.close()
    },
  }
}

const closedNet: Result<never, Unconfinable> = failed({
  why: "its network is closed",
  fix: "Start a new session.",
})

interface Holder {
  readonly pid: number
  readonly port: number
  readonly secondPort: number
  readonly isAlive: () => boolean
  readonly close: () => Promise<void>
}

async function startHolder({
  bwrap,
  confine,
  socket,
  second,
  folder,
  hostPorts,
  clock,
}: NetOptions): Promise<Result<Holder, Unconfinable>> {
  const ports = [...new Set(hostPorts())]
  const [port = 0, secondPort = 0] = [0, 1, ...ports.map((_, at) => 2 + at)]
    .map((at) => firstPort + at)
    .filter((each) => !ports.includes(each))
  if (ports.length > mostHostPorts)
    return unmade(
      `sandbox.network.allowedDomains names ${ports.length} ports of this machine; ${mostHostPorts} are possible.`,
      "Name fewer ports of localhost.",
    )
  if (!existsSync(socket)) return unmade("the sandbox's proxy is not running", restart)
  const doors = openPortForwards(folder, ports, clock)
  if (!doors.ok) return unmade(doors.failure, `Check that ${folder} can be written.`)
  const started = await startKeeper({
    argv: [
      ...keeperArguments(bwrap, confine),
      socket,
      `${port}`,
      ...(second === undefined ? [] : [`${secondPort}:${second}`]),
      ...doors.value.map((door) => `${door.port}:${door.path}`),
    ],
    clock,
  })
  const closeDoors = (): void => {
    for (const door of doors.value) door.close()
  }
  if (!started.ok) {
    closeDoors()
    return started
  }
  const { pid, child } = started.value
  return ok({
    pid,
    port,
    secondPort,
    isAlive: () => child.exitCode === null && child.signalCode === null && existsSync(`/proc/${pid}/ns/net`),
    async close() {
      closeDoors()
      child.kill("SIGKILL")
      await child.exited
    },
  })
}

const restart = "Start Codewright again."

/**
 * One user namespace, so that it can be joined: with --dev or --proc bubblewrap needs a second one. Only our own code
 * runs here.
 */
const keeperArguments = (bwrap: string, confine: string): readonly string[] => [
  bwrap,
  "--unshare-user",
  "--unshare-net",
  "--ro-bind",
  "/",
  "/",
  "--cap-drop",
  "ALL",
  "--die-with-parent",
  "--new-session",
  "--info-fd",
  "3",
  "--",
  confine,
  "keep",
]

interface PortForward extends Listening {
  readonly port: number
  readonly path: string
}

function openPortForwards(
  folder: string,
  ports: readonly number[],
  clock: Clock,
): Result<readonly PortForward[], string> {
  const doors: PortForward[] = []
  for (const port of ports) {
    const path = join(folder, `${port}.sock`)
    rmSync(path, { force: true })
    const opened = openHostPort(path, port, clock)
    if (!opened.ok) {
      for (const door of doors) door.close()
      return opened
    }
    const close = (): void => {
      opened.value.close()
      rmSync(path, { force: true })
    }
    doors.push({ port, path, close })
  }
  return ok(doors)
}

interface Keeper {
  readonly child: Bun.Subprocess<"pipe", "pipe", "pipe">
  readonly pid: number
}

async function startKeeper({
  argv,
  clock,
}: {
  readonly argv: readonly string[]
  readonly clock: Clock
}): Promise<Result<Keeper, Unconfinable>> {
  try {
    const child = Bun.spawn([...argv], {
      cwd: "/",
      env: {},
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      // A key that interrupts what runs in the terminal must not reach it.
      detached: true,
    })
    const cancel = clock.after(readyMilliseconds, () => child.kill("SIGKILL"))
    const isReady = await saysReady(child.stdout)
    cancel()
    const pid = isReady ? childPid(readAndClose(child.stdio[3])) : undefined
    if (pid !== undefined) return ok({ child, pid })
    child.kill("SIGKILL")
    const said = (await new Response(child.stderr).text()).trim()
    return unmade(said === "" ? "it did not become ready" : said.slice(0, 500), "Run codewright doctor.")
  } catch (error) {
    return unmade(error instanceof Error ? error.message : String(error), "Install bubblewrap, then try again.")
  }
}

async function saysReady(stdout: ReadableStream<Uint8Array>): Promise<boolean> {
  let said = ""
  for await (const bytes of stdout) {
    said += Buffer.from(bytes).toString()
    if (said.includes("ready\n")) return true
  }
  return false
}

/** The data is already announced, so this does not wait. */
function readAndClose(descriptor: number | null | undefined): string {
  if (typeof descriptor !== "number") return ""
  const text = readFileSync(descriptor, "utf8")
  closeSync(descriptor)
  return text
}

function childPid(text: string): number | undefined {
  const [, digits] = /"child-pid":\s*(\d+)/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}

const unmade = (why: string, fix: string): Result<never, Unconfinable> =>
  failed({ why: `its network cannot be made: ${why.replace(/\.$/, "")}`, fix })
