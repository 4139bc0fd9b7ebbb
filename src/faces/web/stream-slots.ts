/** How many streams may be open, for each user and in all. When all slots are taken, one of whoever has the most is given to others. */

export interface StreamSlot {
  /** The client is gone, or the slot was given to somebody else. */
  readonly signal: AbortSignal
  readonly leave: () => void
}

export interface StreamSlots {
  /** `signal`: the client is gone. Undefined if there is no slot. */
  readonly acquire: (user: string, signal: AbortSignal) => StreamSlot | undefined
  readonly open: () => number
}

export function openStreamSlots({
  streams,
  streamsOfOne,
}: {
  readonly streams: number
  readonly streamsOfOne: number
}): StreamSlots {
  const taken = new Map<string, Set<AbortController>>()
  let open = 0

  function leave(user: string, slot: AbortController): void {
    const own = taken.get(user)
    if (!own?.delete(slot)) return
    open--
    if (own.size === 0) taken.delete(user)
  }

  /** Whoever has fewer is let in, so nobody can keep all others out. */
  function makeRoom(count: number): boolean {
    const [user, most] = [...taken].reduce((a, b) => (b[1].size > a[1].size ? b : a), ["", new Set<AbortController>()])
    const [oldest] = most
    if (!oldest || most.size <= count + 1) return false
    leave(user, oldest)
    oldest.abort()
    return true
  }

  return {
    open: () => open,
    acquire(user, signal) {
      const count = taken.get(user)?.size ?? 0
      if (count >= streamsOfOne || (open >= streams && !makeRoom(count))) return undefined
      const slot = new AbortController()
      taken.set(user, (taken.get(user) ?? new Set()).add(slot))
      open++
      return { signal: AbortSignal.any([signal, slot.signal]), leave: () => leave(user, slot) }
    },
  }
}
