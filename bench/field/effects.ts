/** A task of three steps with effects that can be counted, for a model that knows only what the conversation tells it. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { SimRequest } from "../../src/sim/request.ts"
import type { ScenarioReply } from "../../src/sim/scenario.ts"
import type { Fault } from "../../src/sim/faults.ts"
import { calls, callsIn, says } from "./model.ts"
import type { Peer } from "./peer.ts"

export const effects = ["one", "two", "three"] as const
export type Effect = (typeof effects)[number]

const mark = (effect: Effect): string => `echo ${effect} >> effects.txt`

/**
 * Asks for the first effect that the conversation does not tell of, and ends when it tells of all. So an agent that forgets a call
 * sees it again, and one that tells of it does not.
 */
export function nextEffect(
  peer: Peer,
  more: { readonly [name in Effect]?: string } = {},
): (request: SimRequest, fault?: Fault) => ScenarioReply {
  return (request, fault) => {
    const told = callsIn(request)
    const next = effects.find((effect) => !told.some(({ input }) => input.includes(mark(effect))))
    if (next === undefined) return says("Done.")
    return { ...calls(peer.shell(`${mark(next)}${more[next] ?? ""}`)), ...(fault && { fault }) }
  }
}

export interface Counted {
  readonly repeated: number
  readonly lost: number
}

export function countEffects(work: string): Counted {
  const lines = effectsIn(work)
  const counts = effects.map((effect) => lines.filter((line) => line === effect).length)
  return {
    repeated: counts.reduce((total, count) => total + Math.max(0, count - 1), 0),
    lost: counts.filter((count) => count === 0).length,
  }
}

export function effectsIn(work: string): readonly string[] {
  try {
    return readFileSync(join(work, "effects.txt"), "utf8").split("\n").filter(Boolean)
  } catch {
    return []
  }
}
