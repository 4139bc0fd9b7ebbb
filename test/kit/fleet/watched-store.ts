/** A store of a fleet with somebody at every function of it, who may let it be used, lose its answer, or end the process. */

import type { FleetRecords, FleetStore } from "#fleet/store.ts"

/** `what` is the function, as in `leases.acquire`. */
export type Used = <T>(what: string, args: readonly unknown[], work: () => Promise<T>) => Promise<T>

export const watchedStore = (store: FleetStore, used: Used): FleetStore => ({
  ...store,
  ...watchedRecords(store, used),
  once: (request, work) =>
    used("once", [request], () => store.once(request, (records) => work(watchedRecords(records, used)))),
})

const rooms = ["sessions", "leases", "ops", "lines", "approvals", "deliveries", "decisionLinks"] as const

/** Every function that is watched, by its name. */
export type StoreUse =
  | { [Room in (typeof rooms)[number]]: `${Room}.${Extract<keyof FleetRecords[Room], string>}` }[(typeof rooms)[number]]
  | "once"

type Functions = { readonly [name: string]: (...args: readonly unknown[]) => Promise<unknown> }

function watchedRecords(records: FleetRecords, used: Used): FleetRecords {
  const watched = rooms.map((room) => {
    const functions = Object.entries(records[room] as unknown as Functions).map(([name, run]) => [
      name,
      (...args: readonly unknown[]) => used(`${room}.${name}`, args, () => run(...args)),
    ])
    return [room, Object.fromEntries(functions)]
  })
  return { ...records, ...Object.fromEntries(watched) } as FleetRecords
}
