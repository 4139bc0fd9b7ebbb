/**
 * A worker that is killed at one exact moment after the decision it waited for: before or after the nth use of one function of the store. Run as
 * a program: the database, its label, the function, how often, and when. Without a function it prints what it uses.
 */

import type { Lease } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { openFleetHere } from "#faces/cli/fleet-here.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import { startWorkerHere } from "#faces/cli/worker-here.ts"
import { valueOf } from "../team/conformance.ts"

const [url = "", label = "", name = "", nth = "1", when = "before"] = process.argv.slice(2)
const { store } = valueOf(await openFleetHere(whereWeAre().state, url))
let isDecided = false
let uses = 0

const die = (): void => void process.kill(process.pid, "SIGKILL")

/** It begins when the session is taken for the decision. */
async function look(lease: unknown): Promise<void> {
  const { sessionId } = lease as Lease
  const all = await store.approvals.of(sessionId)
  isDecided ||= all.some(({ state }) => state === "allowed" || state === "denied")
}

async function used<T>(what: string, work: () => Promise<T>): Promise<T> {
  if (what === "leases.take") {
    const lease = await work()
    if (lease) await look(lease)
    if (isDecided && name === what) die()
    return lease
  }
  if (name === "" && isDecided && what !== "leases.beat") process.stdout.write(`${what}\n`)
  const isIt = isDecided && what === name && ++uses === Number(nth)
  if (isIt && when === "before") die()
  const result = await work()
  if (isIt) die()
  return result
}

type Functions = { readonly [name: string]: (...args: readonly unknown[]) => Promise<unknown> }

const watched = (room: string, functions: object): object =>
  Object.fromEntries(
    Object.entries(functions as Functions).map(([each, run]) => [
      each,
      (...args: readonly unknown[]) => used(`${room}.${each}`, () => run(...args)),
    ]),
  )

const rooms = ["sessions", "leases", "orders", "lines", "approvals"] as const
const crashing = {
  ...store,
  ...Object.fromEntries(rooms.map((room) => [room, watched(room, store[room])])),
} as FleetStore

await startWorkerHere({
  store: crashing,
  where: whereWeAre(),
  slots: 1,
  labels: [label],
  settings: {},
  report: (text) => void process.stderr.write(`${text}\n`),
  times: { leaseMs: 2_000, lookMs: 100 },
})
process.stdout.write(`${JSON.stringify({ type: "ready", worker: label, pid: process.pid })}\n`)
