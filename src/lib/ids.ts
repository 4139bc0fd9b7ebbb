/** The only source of identifiers and random numbers, so that a run can be repeated. */

export interface Ids {
  readonly uuid: () => string
  /** A number in [0, 1). */
  readonly random: () => number
}

export const systemIds: Ids = {
  uuid: () => crypto.randomUUID(),
  random: () => Math.random(),
}

/** Repeats the same ids for the same seed, for tests and replay. */
export function seededIds(seed: number): Ids {
  let state = seed >>> 0
  const random = (): number => {
    // mulberry32: small, fast, and good enough to vary tests.
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("")
  return { random, uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}` }
}
