/** The life of one server: reached in the background, listed, listened to, reached again when it is lost, and closed. */

import type {
  CallOptions,
  McpCallResult,
  McpConnection,
  McpFailure,
  McpHost,
  McpOffer,
} from "#ground/mcp/connection.ts"
import type { McpServer, McpServerConfig } from "#ground/mcp/server-config.ts"
import type { Clock } from "#lib/clock.ts"
import { given } from "#lib/given.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { lostWords, reasonWords } from "./failure-words.ts"
import { openListener } from "./listen.ts"
import type { ConnectMcp, McpServerState, McpStatus } from "./ports.ts"

export interface LiveServer {
  readonly state: () => McpServerState
  /** Begins to reach it; resolves when that came to something. */
  readonly start: () => Promise<void>
  readonly stop: (status: "disabled" | "closed") => Promise<void>
  /** Waits for a server that is being reached. */
  readonly connection: (signal: AbortSignal) => Promise<Result<McpConnection, McpFailure>>
  readonly call: (
    request: { readonly name: string; readonly input: JsonObject; readonly callId: string },
    options: CallOptions,
  ) => Promise<Result<McpCallResult, McpFailure>>
  /** The call that is under way, when there is exactly one: what the server asks then belongs to it. */
  readonly onlyCall: () => string | undefined
}

export interface ServerPorts {
  readonly connect: ConnectMcp
  readonly roots: () => readonly string[]
  readonly elicit: McpHost["elicit"]
  readonly clock: Clock
  readonly startMs: number
  /** Waits for its turn: not all programs start at once. The returned function lets the next one begin. */
  readonly turn: (kind: McpServerConfig["kind"], signal: AbortSignal) => Promise<() => void>
  readonly onChange: () => void
  readonly warn: (text: string) => void
}

const nothing: McpOffer = { tools: [], prompts: [], resources: [], templates: [] }

/** Pauses before a lost server at an address is tried again. */
const pausesMs: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000]
/** A program that keeps ending is started again so often at most. */
const restartEveryMs = 60_000
const mostRestarts = 5
/** A call waits this long for a server that is being reached. */
const callPatienceMs = 15_000

export function openServer(server: McpServer, ports: ServerPorts): LiveServer {
  const { clock } = ports
  const underWay = new Set<{ readonly callId: string }>()
  let status: McpStatus = heldStatus(server.held) ?? (server.config.ok ? "connecting" : "failed")
  let reason = server.config.ok ? heldWords(server.held) : server.config.failure
  let stderrTail: string | undefined
  let live: McpConnection | undefined
  let offer = nothing
  let life = new AbortController()
  let reaching: Promise<void> | undefined
  const restartPause = openRestarts(clock)

  const become = (next: McpStatus, why?: string): void => {
    status = next
    reason = why
    ports.onChange()
  }

  async function reach(config: McpServerConfig): Promise<Result<void, ReachFailure>> {
    const reached = await tryToReach(server, config, { ...ports, host: hostOf(life) }, life.signal)
    if (!reached.ok) return reached
    live = reached.value.connection
    offer = reached.value.offer
    stderrTail = undefined
    become("connected")
    return ok(undefined)
  }

  async function start(): Promise<void> {
    if (!server.config.ok) return become("failed", server.config.failure)
    life = new AbortController()
    const { signal } = life
    if (status !== "connecting") become("connecting")
    const reached = await reach(server.config.value)
    if (reached.ok || signal.aborted) return
    giveUp(reached.failure)
  }

  function giveUp(failure: McpFailure & { readonly stderrTail?: string }): void {
    live = undefined
    offer = nothing
    stderrTail = failure.stderrTail
    if (failure.kind === "needs_login")
      become("needs_login", `${failure.message} Log in with: codewright mcp login ${server.name}`)
    else become("failed", failure.message)
    ports.warn(reasonWords(server.name, { ...failure, message: reason ?? failure.message }))
  }

  /** The connection is gone without our doing. */
  async function reachAgain(config: McpServerConfig, why: string): Promise<void> {
    const { signal } = life
    const gone = live
    live = undefined
    become("connecting", why)
    ports.warn(lostWords(server.name, why))
    await gone?.close()
    let last: McpFailure & { readonly stderrTail?: string } = { kind: "closed", message: why }
    for (const pause of config.kind === "stdio" ? restartPause() : pausesMs) {
      await clock.sleep(pause, signal)
      if (signal.aborted) return
      const reached = await reach(config)
      if (reached.ok || signal.aborted) return
      last = reached.failure
      if (last.kind === "needs_login") break
    }
    giveUp(last)
  }

  /** What the server may ask and tell; a connection of an earlier life is not listened to. */
  function hostOf(its: AbortController): McpHost {
    const isCurrent = (): boolean => its === life && !its.signal.aborted
    const listener = openListener({ clock, signal: its.signal, refresh })
    return {
      roots: ports.roots,
      elicit: (ask, signal) =>
        isCurrent() ? ports.elicit(ask, AbortSignal.any([signal, its.signal])) : Promise.resolve({ action: "cancel" }),
      onChanged: (what) => isCurrent() && listener.changed(what),
      onClosed(why) {
        // While it is still being listed, whoever lists hears of it.
        if (!isCurrent() || !live || !server.config.ok) return
        reaching = reachAgain(server.config.value, why)
      },
    }
  }

  async function refresh(what: keyof McpOffer, signal: AbortSignal): Promise<void> {
    if (!live) return
    const listed = await live.list(what, signal)
    if (!listed.ok || signal.aborted) return
    offer = { ...offer, [what]: listed.value }
    ports.onChange()
  }

  async function connection(signal: AbortSignal): Promise<Result<McpConnection, McpFailure>> {
    if (!live && status === "connecting") {
      const over = new AbortController()
      await Promise.race([reaching, clock.sleep(callPatienceMs, AbortSignal.any([signal, over.signal]))])
      over.abort()
    }
    if (signal.aborted) return failed({ kind: "aborted", message: "It was interrupted." })
    return live
      ? ok(live)
      : failed({ kind: "closed", message: `${server.name} is not connected${reason ? `: ${reason}` : "."}` })
  }

  return {
    state: () => stateOf(server, { status, reason, stderrTail, live, offer }),
    start: () => (reaching = start()),
    async stop(next) {
      life.abort()
      const last = live
      live = undefined
      offer = nothing
      if (next === "disabled") become("disabled")
      await last?.close()
      await reaching
    },
    connection,
    async call(request, options) {
      const found = await connection(options.signal)
      if (!found.ok) return found
      underWay.add(request)
      return found.value.call(request, options).finally(() => underWay.delete(request))
    },
    onlyCall: () => (underWay.size === 1 ? [...underWay][0]?.callId : undefined),
  }
}

const stateOf = (
  server: McpServer,
  now: Pick<McpServerState, "status"> & {
    readonly reason: string | undefined
    readonly stderrTail: string | undefined
    readonly live: McpConnection | undefined
    readonly offer: McpOffer
  },
): McpServerState => ({
  name: server.name,
  source: server.source,
  kind: server.config.ok ? server.config.value.kind : "unknown",
  status: now.status,
  ...given("reason", now.reason),
  ...given("stderrTail", now.stderrTail),
  ...given("instructions", now.live?.instructions),
  ...given("about", now.live?.about),
  ...now.offer,
})

type ReachFailure = McpFailure & { readonly stderrTail?: string }

/** One try, within its time. */
async function tryToReach(
  { name, source }: McpServer,
  config: McpServerConfig,
  ports: Pick<ServerPorts, "connect" | "clock" | "startMs" | "turn"> & { readonly host: McpHost },
  signal: AbortSignal,
): Promise<Result<{ readonly connection: McpConnection; readonly offer: McpOffer }, ReachFailure>> {
  const { clock, startMs } = ports
  const release = await ports.turn(config.kind, signal)
  const late = new AbortController()
  const cancel = clock.after(startMs, () => late.abort())
  const within = AbortSignal.any([signal, late.signal])
  try {
    const opened = await ports.connect({ name, source, config }, ports.host, within)
    if (!opened.ok) return failed(late.signal.aborted ? { ...opened.failure, ...tooLate(startMs) } : opened.failure)
    const listed = await listAll(opened.value, within)
    if (listed.ok && !signal.aborted) return ok({ connection: opened.value, offer: listed.value })
    await opened.value.close()
    if (listed.ok) return failed({ kind: "aborted", message: "" })
    return failed(late.signal.aborted ? tooLate(startMs) : listed.failure)
  } finally {
    cancel()
    release()
  }
}

/** One restart at a time, not more often than once a minute, and not for ever. */
function openRestarts(clock: Clock): () => readonly number[] {
  let restartedAt = Number.NEGATIVE_INFINITY
  let restarts = 0
  return () => {
    if (restarts >= mostRestarts) return []
    const wait = Math.max(0, restartedAt + restartEveryMs - clock.now())
    restarts++
    restartedAt = clock.now() + wait
    return [wait]
  }
}

const heldStatus = (held: McpServer["held"]): McpStatus | undefined => (held === "untrusted" ? "needs_approval" : held)

export function heldWords(held: McpServer["held"]): string | undefined {
  if (held === "untrusted") return "This folder is not trusted, so that its .mcp.json starts nothing: codewright trust"
  return held === "needs_approval" ? "The project's .mcp.json wants to start it, and nobody has said yes." : undefined
}

/** Tools must be known; what else a server has may fail to be listed. */
async function listAll(connection: McpConnection, signal: AbortSignal): Promise<Result<McpOffer, McpFailure>> {
  const [tools, prompts, resources, templates] = await Promise.all([
    connection.list("tools", signal),
    connection.list("prompts", signal),
    connection.list("resources", signal),
    connection.list("templates", signal),
  ])
  if (!tools.ok) return tools
  // Each list holds what it was asked for.
  return ok({
    tools: tools.value,
    prompts: prompts.ok ? prompts.value : [],
    resources: resources.ok ? resources.value : [],
    templates: templates.ok ? templates.value : [],
  } as McpOffer)
}

const tooLate = (ms: number): McpFailure => ({
  kind: "timeout",
  message: `It did not answer within ${ms / 1000} s. MCP_TIMEOUT gives it more milliseconds.`,
})
