/** Connects to a server: one attempt with a time limit, and the pauses between attempts. */

import type { McpConnection, McpFailure, McpHost, McpOffer } from "#ground/mcp/connection.ts"
import type { McpServer, McpServerConfig } from "#ground/mcp/server-config.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ConnectMcp } from "./ports.ts"
import type { ReachFailure } from "./server-state.ts"

export interface ReachPorts {
  readonly connect: ConnectMcp
  readonly clock: Clock
  readonly startMs: number
  /** Waits for a slot: not all programs start at once. The result releases it. */
  readonly turn: (kind: McpServerConfig["kind"], signal: AbortSignal) => Promise<() => void>
}

/** Pauses before reconnecting to a lost remote server. */
const pausesMs: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000]
/** A program that keeps exiting is restarted at most this often. */
const restartEveryMs = 60_000
const mostRestarts = 5

export async function tryToReach(
  { name, source }: McpServer,
  config: McpServerConfig,
  ports: ReachPorts & { readonly host: McpHost },
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

/** The pauses before each new attempt. Programs: one restart at a time, at most once a minute, and not forever. */
export function openPauses(clock: Clock): (kind: McpServerConfig["kind"]) => readonly number[] {
  let restartedAt = Number.NEGATIVE_INFINITY
  let restarts = 0
  return (kind) => {
    if (kind === "sdk") return []
    if (kind !== "stdio") return pausesMs
    if (restarts >= mostRestarts) return []
    const wait = Math.max(0, restartedAt + restartEveryMs - clock.now())
    restarts++
    restartedAt = clock.now() + wait
    return [wait]
  }
}

/** Tools are required; listing anything else may fail. */
async function listAll(connection: McpConnection, signal: AbortSignal): Promise<Result<McpOffer, McpFailure>> {
  const [tools, prompts, resources, templates, skills] = await Promise.all([
    connection.list("tools", signal),
    connection.list("prompts", signal),
    connection.list("resources", signal),
    connection.list("templates", signal),
    connection.list("skills", signal),
  ])
  if (!tools.ok) return tools
  return ok({
    tools: tools.value,
    prompts: prompts.ok ? prompts.value : [],
    resources: resources.ok ? resources.value : [],
    templates: templates.ok ? templates.value : [],
    skills: skills.ok ? skills.value : [],
  } as McpOffer)
}

const tooLate = (ms: number): McpFailure => ({
  kind: "timeout",
  message: `It did not answer within ${ms / 1000} s. MCP_TIMEOUT gives it more milliseconds.`,
})
