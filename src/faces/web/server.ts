/** The server of a fleet: the records over HTTP, for owners of tokens. */

import { optional } from "#lib/optional.ts"
import type { Server } from "bun"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { FleetBudgets } from "#fleet/budgets.ts"
import type { QueuedOp, SessionQuotas } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { Machine } from "#fleet/workspaces.ts"
import { tokenDigest } from "#fleet/database/tokens.ts"
import type { AhpHost, AhpParts } from "./ahp/shared.ts"
import { type AnsweringParts, answerRequest } from "./answer-request.ts"
import type { ClientAddress } from "./client-address.ts"
import { openChanges } from "./changes.ts"
import { openFailedEntries } from "./failed-entries.ts"
import { openFollowers } from "./events.ts"
import { openLinkDecisions } from "./link-decisions.ts"
import { openLimit, type RequestPace } from "./limits.ts"
import { type Measured, openMetrics } from "./metrics.ts"
import type { OpenIdSignIn } from "./openid.ts"
import type { PageFiles } from "./page-files.ts"
import { refusal } from "./refusal.ts"
import { refusalResponse } from "./responses.ts"
import { type PushSide, type ServerContext, usualVisibility, type Visibility } from "./route.ts"
import { openRunRoute } from "./run-route.ts"
import { type SocketData, socketHandler } from "./sockets.ts"
import { openStreamSlots } from "./stream-slots.ts"
import { openSignIn } from "./sign-in.ts"
import { openReadiness } from "./readiness.ts"
import { openFairQueue } from "./fair-queue.ts"
import { openVisitors, type ServerOwner } from "./visitors.ts"
import { codeOf } from "#lib/error-code.ts"
import { version } from "#lib/version.ts"

/** A client that sends nothing for so long is gone. */
const idleSeconds = 30

export interface WebServer {
  readonly url: string
  /** An address that signs in whoever opens it first. */
  readonly signInLink: () => string
  /** What `/metrics` says, for whoever sends it elsewhere. */
  readonly measure: () => Promise<readonly Measured[]>
  readonly close: () => Promise<void>
}

export interface WebServerParts {
  readonly store: FleetStore
  readonly host: string
  readonly port: number
  /** Further addresses of this machine under which it listens, and names under which it may be reached. */
  readonly addresses?: readonly string[]
  readonly names?: readonly string[]
  /** Of whoever started the server. */
  readonly own: ServerOwner
  /** The files of the page: anybody may have them, there is nothing secret in them. */
  readonly page?: PageFiles
  /** Who sees and changes sessions of others: everybody sees them, unless said otherwise. */
  readonly visibility?: Visibility
  readonly sharedFolders?: "tell" | "refuse" | undefined
  /** Where those who are not admins may begin sessions; anywhere when absent. */
  readonly workspaces?: readonly string[]
  /** The machine the server runs on; folders are not looked at when absent. */
  readonly machine?: Machine
  /** Whether those who are not admins may act in sessions that are not confined; no when absent. */
  readonly operatorsMayLeave?: boolean
  /** Where a request comes from; the address of the connection when absent. */
  readonly clientAddress?: ClientAddress
  readonly budgets?: FleetBudgets
  readonly quotas?: SessionQuotas | undefined
  /** Absent where devices are told nothing. */
  readonly push?: PushSide | undefined
  /** What else tells somebody of what waits for them. */
  readonly channelsOf?: (who: string) => readonly string[]
  readonly openId?: OpenIdSignIn | undefined
  readonly limits?: Partial<WebLimits>
  readonly newId: () => string
  readonly newSecret: () => string
  readonly clock: Clock
  /** Makes the server a host of the Agent Host Protocol. */
  readonly openAhp?: ((parts: AhpParts) => AhpHost) | undefined
  /** A mistake of ours, for whoever runs the server. */
  readonly report?: (text: string) => void
}

export interface WebLimits {
  /** Of one user. */
  readonly requests: RequestPace
  /** Without a valid token, from one address. */
  readonly strangers: RequestPace
  readonly streams: number
  readonly streamsOfOne: number
  /** How long a client may take to send a body. */
  readonly bodyMs: number
  /** How long a client waits for a worker to carry out what it asks for. */
  readonly patienceMs: number
}

const usualLimits: WebLimits = {
  requests: { burst: 5000, perSecond: 500 },
  strangers: { burst: 300, perSecond: 5 },
  streams: 2000,
  streamsOfOne: 1000,
  bodyMs: 30_000,
  patienceMs: 20_000,
}

export type ListenFailure = { readonly kind: "cannot_listen"; readonly code: string }

export function openWebServer(parts: WebServerParts): Result<WebServer, ListenFailure> {
  let port = 0
  const visitors = openVisitors({ ...parts, port: () => port })
  const limits = { ...usualLimits, ...parts.limits }
  const signIn = openSignIn({
    ...parts,
    visitors,
    owner: parts.own.name,
    linked: parts.own.id ?? tokenDigest(parts.own.secret),
    bodyMs: limits.bodyMs,
    port: () => port,
  })
  const changes = openChanges(parts)
  const context = contextOf(parts, limits.patienceMs)
  const requests = openLimit(limits.requests, parts.clock)
  const ahp = parts.openAhp?.({ ...parts, context, run: openRunRoute({ ...parts, context, requests }), version })
  const close = (): void => {
    changes.close()
    ahp?.close()
  }
  const slots = openStreamSlots(limits)
  const metrics = openMetrics({ ...parts, slots })
  const listening = listen(parts, {
    ...parts,
    visitors,
    signIn,
    linkDecisions: openLinkDecisions({ ...parts, context, visitors, bodyMs: limits.bodyMs }),
    bodyMs: limits.bodyMs,
    followers: openFollowers(parts),
    changes,
    slots,
    metrics,
    queue: openFairQueue(),
    context,
    requests,
    ahp,
    strangers: openLimit(limits.strangers, parts.clock),
    failures: openFailedEntries(parts),
    ready: openReadiness(parts),
    clientAddress: parts.clientAddress ?? ((connection) => connection),
  })
  if (!listening.ok) {
    close()
    return listening
  }
  const server = listening.value
  port = server.port ?? 0
  const url = `http://${shownHost(parts.host)}:${port}`
  const { measure } = metrics
  return ok({ url, signInLink: () => `${url}${signIn.link()}`, measure, close: () => (close(), server.stop(true)) })
}

function listen(
  { host, port, report }: WebServerParts,
  inside: AnsweringParts,
): Result<Server<SocketData>, ListenFailure> {
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      idleTimeout: idleSeconds,
      // Whoever reads a body stops where it is too large, and says so as the document promises; what nobody reads is not taken in.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, self) => answerRequest(request, self, inside),
      websocket: socketHandler,
      error(error) {
        report?.(error.stack ?? String(error))
        return refusalResponse(refusal("unavailable", "Something went wrong here. Try again."))
      },
    })
    return ok(server)
  } catch (error) {
    return failed({ kind: "cannot_listen", code: codeOf(error) || String(error) })
  }
}

/** Nobody can open an address that means all of them. */
function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}

function contextOf(parts: WebServerParts, patienceMs: number): ServerContext {
  const { store, clock, newId, newSecret, own, visibility = usualVisibility, budgets = {}, quotas = {} } = parts
  return {
    newId,
    visibility,
    sharedFolders: parts.sharedFolders,
    ...optional("workspaces", parts.workspaces),
    ...optional("machine", parts.machine),
    budgets,
    quotas,
    operatorsMayLeave: parts.operatorsMayLeave === true,
    teamOf: store.teams.of,
    push: parts.push,
    channelsOf: parts.channelsOf ?? (() => []),
    owner: own.name,
    now: clock.now,
    newSeed: newSecret,
    secretFrom: (seed) =>
      new Bun.CryptoHasher("sha256", own.secret).update(JSON.stringify(["token", seed])).digest("hex"),
    answered: (op) => untilAnswered(op, store, clock, patienceMs),
  }
}

async function untilAnswered(op: QueuedOp, store: FleetStore, clock: Clock, patienceMs: number): Promise<QueuedOp> {
  const ending = new AbortController()
  const stop = clock.after(patienceMs, () => ending.abort())
  let wake = (): void => undefined
  const unwatch = store.watch(op.sessionId, () => wake())
  try {
    for (let now = op; ;) {
      if (now.answer || ending.signal.aborted) return now
      const news = new AbortController()
      wake = () => news.abort()
      now = (await store.ops.get(op.sessionId, op.id)) ?? now
      if (!now.answer) await clock.sleep(patienceMs, AbortSignal.any([news.signal, ending.signal]))
    }
  } finally {
    stop()
    unwatch()
  }
}
