/** A stream that breaks off while it carries a call: is the effect there once? */

import type { Fault } from "../../../src/sim/faults.ts"
import { type Axis, type Sample, sum } from "../axis.ts"
import { countEffects, nextEffect } from "../effects.ts"
import { runPeer } from "../run-peer.ts"

const cuts: readonly Fault[] = [
  { name: "reset_mid_event", afterEvents: 1 },
  { name: "reset_mid_event", afterEvents: 4 },
  { name: "reset_mid_event", afterEvents: 6 },
  { name: "reset_after_tool_call" },
  { name: "closed_at_byte" },
  { name: "truncated_event" },
]

export const cut: Axis = {
  id: "cut",
  how: "The answer with the second of three calls breaks off once: in the middle of an event (early, in the text, in the call), right after the call, closed halfway without an end, and with half an event at the end.",
  rounds: cuts.length,
  async sample({ peer, installed, fresh, round }): Promise<readonly Sample[]> {
    const place = fresh()
    const say = nextEffect(peer)
    let used = false
    try {
      const run = await runPeer({
        peer,
        installed,
        place,
        argv: (situation) => peer.work("go on", situation),
        script(request, index) {
          const fault = index === 1 && !used ? cuts[round] : undefined
          used ||= fault !== undefined
          return say(request, fault)
        },
      })
      const counted = countEffects(place.work)
      const right = run.exit === 0 && counted.repeated === 0 && counted.lost === 0
      return [{ cut: cuts[round]?.name ?? "", exit: run.exit, right: right ? 1 : 0, ...counted }]
    } finally {
      place.remove()
    }
  },
  rows: [
    { what: "cut streams: task done, once", cell: (samples) => `${sum(samples, "right")} of ${samples.length}` },
    { what: "cut streams: effects repeated", cell: (samples) => `${sum(samples, "repeated")}` },
  ],
}
