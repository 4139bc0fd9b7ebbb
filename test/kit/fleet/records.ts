/** Records for tests of a fleet. */

import type { Lease, NewApproval, NewSession, NewWorker } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"

export const session = (id: string, more: Partial<NewSession> = {}): NewSession => ({
  id,
  title: `Session ${id}`,
  query: "Fix it",
  mode: "default",
  model: "sim",
  opening: { workspace: { path: "/w" }, confined: true },
  labels: [],
  ...more,
})

export const worker = (id: string, more: Partial<NewWorker> = {}): NewWorker => ({
  id,
  pid: 7,
  host: "here",
  slots: 4,
  labels: [],
  ...more,
})

export const approval = (id: string, command: string, more: Partial<NewApproval> = {}): NewApproval => ({
  id,
  kind: "tool",
  title: command,
  action: { tool: "Bash", input: { command } },
  explanation: "It may change files.",
  risks: ['removes "files"', "a,b"],
  digest: `digest of ${command}`,
  ...more,
})

export const longMs = 600_000

/** A session that a worker of its own holds. */
export async function held(store: FleetStore, id: string, by = "ann"): Promise<Lease> {
  await store.sessions.create(session(id, { labels: [id] }), by)
  return heldAgain(store, id)
}

/** The same session, when it waits for a worker. */
export async function heldAgain(store: FleetStore, id: string, name?: string, forMs: number = longMs): Promise<Lease> {
  const by = name ?? `worker of ${id}`
  for (;;) {
    // Whoever comes after a while sees to what dead workers have left.
    await store.leases.beat(worker(by, { labels: [id] }), [], 600)
    const lease = await store.leases.acquire(by, forMs)
    if (lease?.sessionId === id) return lease
    if (lease) throw new Error(`${lease.sessionId} was taken instead of ${id}`)
    // A row that somebody is reading for a decision is skipped; a worker looks again too.
    await Bun.sleep(5)
  }
}
