/** The lifecycle of one server: connected in the background, listed, watched, reconnected when lost, and closed. */

import type { McpConnection, McpFailure, McpHost, McpOffer } from "#ground/mcp/connection.ts"
import type { McpServer, McpServerConfig } from "#ground/mcp/server-config.ts"
import { onceFor } from "#lib/once-each.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { lostWords, reasonWords } from "./failure-words.ts"
import { openListener } from "./listen.ts"
import type { CallLog } from "./long-call.ts"
import type { McpServerState } from "./ports.ts"
import { openPauses, type ReachPorts, tryToReach } from "./reach.ts"
import { openRunningCalls, type RunningCalls } from "./running-calls.ts"
import {
  atFirst,
  closed,
  connected,
  connecting,
  disabled,
  failedToReach,
  lost,
  type ReachFailure,
  type ConnectionState,
  stateOf,
  unusable,
} from "./server-state.ts"
import { openStaleLists } from "./stale-lists.ts"

export interface LiveServer extends RunningCalls {
  readonly state: () => McpServerState
  readonly start: () => Promise<void>
  readonly stop: (status: "disabled" | "closed") => Promise<void>
  readonly connection: (signal: AbortSignal) => Promise<Result<McpConnection, McpFailure>>
  readonly rootsChanged: () => void
  /** Shows the user a sentence about a server that is not connected. */
  readonly showReason: (reason: string) => void
  /** Reads lists again that the server does not stand by any more. */
  readonly refreshStale: () => void
  /** Wants to know when one of these changes, also after the server was reached again. */
  readonly watchResources: (uris: readonly string[]) => void
}

export interface ServerPorts extends ReachPorts {
  readonly roots: () => readonly string[]
  readonly elicit: McpHost["elicit"]
  readonly onElicited: McpHost["onElicited"]
  readonly onUpdated: McpHost["onUpdated"]
  readonly calls: CallLog
  readonly onChange: () => void
  readonly warn: (text: string) => void
}

/** How long a call waits for a server that is connecting. */
const callPatienceMs = 15_000

export function openServer(server: McpServer, ports: ServerPorts): LiveServer {
  const { name, config } = server
  const { clock } = ports
  const pausesFor = openPauses(clock)
  let watched: readonly string[] = []
  let standing = atFirst(server)
  let life = new AbortController()
  let reaching: Promise<void> | undefined

  function become(next: ConnectionState): void {
    standing = next
    ports.onChange()
  }

  async function reach(at: McpServerConfig): Promise<Result<void, ReachFailure>> {
    const reached = await tryToReach(server, at, { ...ports, host: hostOf(life) }, life.signal)
    if (!reached.ok) return reached
    if (watched.length > 0) reached.value.connection.watchResources(watched)
    become(connected(reached.value.connection, reached.value.offer))
    return ok(undefined)
  }

  async function start(): Promise<void> {
    if (!config.ok) return become(unusable(standing, config.failure))
    life = new AbortController()
    const { signal } = life
    if (standing.status !== "connecting") become(connecting(standing))
    const reached = await reach(config.value)
    if (!reached.ok && !signal.aborted) giveUp(reached.failure)
  }

  function giveUp(failure: ReachFailure): void {
    become(failedToReach(name, failure))
    ports.warn(reasonWords(name, { ...failure, message: standing.reason ?? failure.message }))
  }

  async function reachAgain(at: McpServerConfig, why: string): Promise<void> {
    const { signal } = life
    const { live } = standing
    become(lost(standing, why))
    ports.warn(lostWords(name, why))
    await live?.close()
    let last: ReachFailure = { kind: "closed", message: why }
    for (const pause of pausesFor(at.kind)) {
      await clock.sleep(pause, signal)
      if (signal.aborted) return
      const reached = await reach(at)
      if (reached.ok || signal.aborted) return
      last = reached.failure
      if (last.kind === "needs_login") break
    }
    giveUp(last)
  }

  /** What the server may ask and tell; earlier connections are ignored. */
  function hostOf(its: AbortController): McpHost {
    const isCurrent = (): boolean => its === life && !its.signal.aborted
    const listener = openListener({ clock, signal: its.signal, refresh })
    return {
      roots: ports.roots,
      elicit: (ask, signal) =>
        isCurrent() ? ports.elicit(ask, AbortSignal.any([signal, its.signal])) : Promise.resolve({ action: "cancel" }),
      onElicited: (id) => isCurrent() && ports.onElicited(id),
      onChanged: (what) => isCurrent() && listener.changed(what),
      onUpdated: (uri) => isCurrent() && ports.onUpdated(uri),
      onClosed(why) {
        // While it is still being listed, the lister notices.
        if (isCurrent() && standing.live && config.ok) reaching = reachAgain(config.value, why)
      },
    }
  }

  async function refresh(what: keyof McpOffer, signal: AbortSignal): Promise<void> {
    const listed = await standing.live?.list(what, signal)
    if (!listed?.ok || signal.aborted) return
    become({ ...standing, offer: { ...standing.offer, [what]: listed.value } })
  }

  async function connection(signal: AbortSignal): Promise<Result<McpConnection, McpFailure>> {
    if (!standing.live && standing.status === "connecting") {
      const over = new AbortController()
      await Promise.race([reaching, clock.sleep(callPatienceMs, AbortSignal.any([signal, over.signal]))])
      over.abort()
    }
    if (signal.aborted) return failed({ kind: "aborted", message: "It was interrupted." })
    const { live, reason } = standing
    if (live) return ok(live)
    return failed({ kind: "closed", message: `${name} is not connected${reason ? `: ${reason}` : "."}` })
  }

  // Asked for many times between two changes.
  const stateNow = onceFor((now: ConnectionState) => stateOf(server, now))
  const refreshStale = openStaleLists(refresh)
  return {
    state: () => stateNow(standing),
    start: () => (reaching = start()),
    async stop(next) {
      life.abort()
      const { live } = standing
      if (next === "disabled") become(disabled(standing))
      else standing = closed(standing)
      await live?.close()
      await reaching
    },
    connection,
    ...openRunningCalls({ server: name, connection, asker: ports, clock, log: ports.calls }),
    rootsChanged: () => void standing.live?.rootsChanged(),
    showReason: (reason) => become({ ...standing, reason }),
    refreshStale: () => refreshStale(standing.live, life.signal),
    watchResources(uris) {
      watched = uris
      standing.live?.watchResources(uris)
    },
  }
}
