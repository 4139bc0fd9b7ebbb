/** Whether the store has room for another snapshot. */

import type { SnapshotFailure } from "./failure.ts"
import type { Store } from "./store.ts"

export interface StoreRoomParts {
  readonly store: Pick<Store, "bytes">
  readonly cap: number
  /** Tries to make the store smaller when it is full. */
  readonly makeRoom: () => Promise<unknown>
}

/**
 * Returns a failure when there is none. `isDue`: measures the disk again, because other sessions add to the store
 * too.
 */
export function openStoreRoom({ store, cap, makeRoom }: StoreRoomParts) {
  let bytes: number | undefined
  return async (ask: { readonly isDue: boolean }): Promise<SnapshotFailure | undefined> => {
    if (bytes === undefined || ask.isDue) bytes = store.bytes()
    if (bytes <= cap) return undefined
    await makeRoom()
    bytes = store.bytes()
    return bytes <= cap ? undefined : { kind: "store_full", bytes, cap }
  }
}
