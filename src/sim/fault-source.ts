/** Where faults come from: a queue, and a seeded random choice for the rest. */

import { seededIds } from "#lib/ids.ts"
import { commonFaults, faultFacts, type Fault, type FaultName } from "./faults.ts"
import { callsIn, type Reply } from "./reply.ts"

export interface FaultRate {
  /** The share of requests that fail, 0 to 1. */
  readonly rate: number
  readonly seed?: number
  /** What to choose from; the common ones by default. */
  readonly names?: readonly FaultName[]
}

export interface FaultSource {
  readonly add: (faults: readonly Fault[]) => void
  readonly set: (faults: readonly Fault[]) => void
  readonly setRate: (rate: FaultRate) => void
  /** Removes the fault from the queue. */
  readonly next: (reply: Reply) => Fault | undefined
  readonly pending: () => readonly Fault[]
}

export function openFaultSource(start: FaultRate): FaultSource {
  let queue: { fault: Fault; left: number }[] = []
  let chance = openChance(start)

  const add = (faults: readonly Fault[]): void => {
    queue.push(...faults.map((fault) => ({ fault, left: fault.times ?? 1 })))
  }
  return {
    add,
    set(faults) {
      queue = []
      add(faults)
    },
    setRate(rate) {
      chance = openChance(rate)
    },
    next(reply) {
      const next = queue.find(({ fault }) => fits(fault.name, reply))
      if (next === undefined) return chance(reply)
      next.left -= 1
      if (next.left === 0) queue = queue.filter((waiting) => waiting !== next)
      return next.fault
    },
    pending: () => queue.map(({ fault, left }) => ({ ...fault, times: left })),
  }
}

function openChance({ rate, seed = 1, names = commonFaults }: FaultRate): (reply: Reply) => Fault | undefined {
  const { random } = seededIds(seed)
  return (reply) => {
    if (rate === 0 || random() >= rate) return undefined
    const possible = names.filter((name) => fits(name, reply))
    const name = possible[Math.floor(random() * possible.length)]
    return name && { name }
  }
}

const fits = (name: FaultName, reply: Reply): boolean => faultFacts[name].needsCall !== true || callsIn(reply) > 0
