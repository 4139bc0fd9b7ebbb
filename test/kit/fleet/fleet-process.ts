/**
 * A server, a worker, or both in one process. It is killed, or an answer of the database is lost, at the one exact moment that a file named after
 * a session says. Run as a program with its options as JSON; prints a line when it is ready.
 */

import { readFileSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { systemIds } from "#lib/ids.ts"
import type { NewApproval } from "#fleet/records.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import { openWebhooks } from "#fleet/webhooks.ts"
import { openWebServer } from "#faces/web/server.ts"
import { openFleetHere } from "#faces/cli/fleet/fleet-here.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import { startWorkerHere } from "#faces/cli/fleet/worker-here.ts"
import { opened } from "../database/databases.ts"
import { valueOf } from "../team/conformance.ts"
import { directNetwork } from "../direct-network.ts"
import { type FaultPoint, hasty, type ProcessOptions, secretFor, users } from "./fault-points.ts"
import { type StoreUse, type Used, watchedStore } from "./watched-store.ts"

const hastyMs = 1_500

const options = JSON.parse(process.argv[2] ?? "{}") as ProcessOptions
setClock(options.clock ?? 0)
const counted = new Map<string, number>()

function pointOf(sessionId: string | undefined): FaultPoint | undefined {
  if (sessionId === undefined) return undefined
  try {
    return JSON.parse(readFileSync(join(options.faults, sessionId), "utf8")) as FaultPoint
  } catch {
    return undefined
  }
}

/** The file goes first, so that it happens once. */
function disarm(sessionId: string): void {
  unlinkSync(join(options.faults, sessionId))
}

function die(sessionId: string): void {
  disarm(sessionId)
  process.kill(process.pid, "SIGKILL")
}

const sessionIn = (value: unknown): string | undefined =>
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(JSON.stringify(value) ?? "")?.[0]

/** Functions that are not asked about a session tell of one. */
const tellsOfSession: ReadonlySet<string> = new Set<StoreUse>(["leases.acquire", "deliveries.due"])

const usedBy =
  (by: FaultPoint["by"]): Used =>
  async (what, args, work) => {
    if (tellsOfSession.has(what)) {
      const result = await work()
      const told = sessionIn(result)
      const late = pointOf(told)
      if (told !== undefined && late?.by === by && late.use === what) die(told)
      return result
    }
    const about = sessionIn(args)
    const point = pointOf(about)
    if (about === undefined || point?.by !== by || point.use !== what) return work()
    const key = `${by} ${about} ${what}`
    const nth = (counted.get(key) ?? 0) + 1
    counted.set(key, nth)
    if (nth !== point.nth) return work()
    if (point.when === "before") die(about)
    await work()
    if (point.when === "after") die(about)
    disarm(about)
    throw new DatabaseLost("The answer was lost.")
  }

/** There is one setting for all sessions of a worker, so that of single ones is set here. */
const inHaste = (asked: NewApproval): NewApproval =>
  JSON.stringify(asked.action).includes(hasty) ? { ...asked, expiresInMs: hastyMs } : asked

function setClock(off: NonNullable<ProcessOptions["clock"]>): void {
  const now = Date.now.bind(Date)
  const hourMs = 3_600_000
  const jump = (): number => ((Math.floor(performance.now() / 700) * 5) % 11) * hourMs - 5 * hourMs
  Date.now = () => now() + (off === "jumping" ? jump() : off)
}

const report = (text: string): void => void process.stderr.write(`${text}\n`)
const where = whereWeAre()
const store = await openStore()

async function openStore(): Promise<FleetStore> {
  const { database: url, silentMs } = options
  if (url === undefined || silentMs === undefined)
    return valueOf(await openFleetHere(where.state, url === undefined ? undefined : { url }, report)).store
  return valueOf(await openFleetStore(await opened({ kind: "server", url, silentMs })))
}

if (options.port !== undefined) {
  const serving = watchedStore(store, usedBy("server"))
  for (const name of users) await store.tokens.add({ name, role: "operator" }, secretFor(name), undefined, "root")
  valueOf(
    openWebServer({
      store: serving,
      host: "127.0.0.1",
      port: options.port,
      own: { name: "root", role: "admin", secret: secretFor("root") },
      visibility: "all",
      newId: systemIds.uuid,
      newSecret: systemIds.uuid,
      clock: systemClock,
      report,
    }),
  )
  if (options.hook !== undefined) await openHook(options.hook)

  async function openHook(url: string): Promise<void> {
    await openWebhooks({
      store: serving,
      clock: systemClock,
      report,
      mayDecide: async () => true,
      newSecret: systemIds.uuid,
      hooks: [
        {
          url,
          for: users[0],
          async send({ delivery, links }) {
            const body = JSON.stringify({ id: delivery.session.id, links })
            const send = async (): Promise<boolean> => (await fetch(url, { method: "POST", body })).ok
            return usedBy("server")("webhooks.send", [body], send).catch(() => false)
          },
        },
      ],
    })
  }
}
if (options.slots > 0) {
  const working = watchedStore(store, usedBy("worker"))
  const { leases } = working
  await startWorkerHere({
    store: {
      ...working,
      leases: { ...leases, park: (lease, news, asked) => leases.park(lease, news, asked?.map(inHaste)) },
    },
    where,
    slots: options.slots,
    labels: [],
    settings: {},
    report,
    network: directNetwork(),
    confinement:
      options.confines === true
        ? { operatorsMayLeave: false, secretFiles: [] }
        : { operatorsMayLeave: true, secretFiles: [], broken: "It is not tried here." },
    times: { leaseMs: 3_000, pollMs: 300 },
  })
}
process.stdout.write(`${JSON.stringify({ type: "ready", worker: "", pid: process.pid })}\n`)
