/** Maps ids to places, in about twenty bytes each: ids are stored as numbers in a hash table. */

export interface EntryPlaces {
  readonly get: (uuid: string) => number | undefined
  /** Ids get their places in order; one that has a place already keeps it. Returns its place. */
  readonly add: (uuid: string) => number
}

export function openPlaces(): EntryPlaces {
  /** By place. */
  let keys = new Float64Array(64)
  /** Place + 1 in the slot of its key, or in the next free one; 0 is free. At most half are taken. */
  let slots = new Int32Array(128)
  let count = 0

  function slotOf(key: number): number {
    const mask = slots.length - 1
    for (let slot = key & mask; ; slot = (slot + 1) & mask) {
      const taken = slots[slot] ?? 0
      if (taken === 0 || keys[taken - 1] === key) return slot
    }
  }

  function grow(): void {
    const before = keys
    keys = new Float64Array(before.length * 2)
    keys.set(before)
    slots = new Int32Array(keys.length * 2)
    for (let place = 0; place < count; place++) {
      const slot = slotOf(keys[place] ?? 0)
      if (slots[slot] === 0) slots[slot] = place + 1
    }
  }

  return {
    get(uuid) {
      const taken = slots[slotOf(keyOf(uuid))] ?? 0
      return taken === 0 ? undefined : taken - 1
    },
    add(uuid) {
      if (count === keys.length) grow()
      const key = keyOf(uuid)
      const slot = slotOf(key)
      keys[count] = key
      count++
      return (slots[slot] ||= count) - 1
    },
  }
}

/** Two ids of one session will not collide. */
const keyOf = (uuid: string): number => Number(Bun.hash(uuid) & 0x1fffffffffffffn)
