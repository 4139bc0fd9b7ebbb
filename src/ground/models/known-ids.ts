/** A set of ids in about thirty bytes each: they are stored as numbers in a hash table. Two ids will not collide. */

export interface KnownIds {
  readonly add: (id: string) => void
  readonly has: (id: string) => boolean
}

export function openKnownIds(): KnownIds {
  /** A key in its slot or in the next free one; 0 is free. At most half are taken. */
  let keys = new Float64Array(128)
  let count = 0

  function slotOf(key: number): number {
    const mask = keys.length - 1
    for (let slot = key & mask; ; slot = (slot + 1) & mask) if (keys[slot] === 0 || keys[slot] === key) return slot
  }

  function put(key: number): void {
    const slot = slotOf(key)
    if (keys[slot] === key) return
    keys[slot] = key
    count++
    if (count * 2 <= keys.length) return
    const before = keys
    keys = new Float64Array(before.length * 2)
    count = 0
    for (const known of before) if (known !== 0) put(known)
  }

  return {
    add: (id) => put(keyOf(id)),
    has: (id) => keys[slotOf(keyOf(id))] !== 0,
  }
}

const keyOf = (id: string): number => Number(Bun.hash(id) & 0x1fffffffffffffn) || 1
