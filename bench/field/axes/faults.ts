/** What a provider does wrong now and then: does the run end right? */

import type { Fault } from "../../../src/sim/faults.ts"
import { type Axis, type Sample, sum } from "../axis.ts"
import { countEffects, nextEffect } from "../effects.ts"
import { runPeer } from "../run-peer.ts"

interface Case {
  readonly fault: Fault
  /** Whether the task can still be done, or the run must end with an error. */
  readonly right: "done" | "error"
}

const passing = (fault: Fault): Case => ({ fault, right: "done" })

const cases: readonly Case[] = [
  passing({ name: "rate_limit", retryAfterSeconds: 1 }),
  passing({ name: "rate_limit_no_header" }),
  passing({ name: "overloaded" }),
  passing({ name: "overloaded", times: 3 }),
  passing({ name: "server_error" }),
  passing({ name: "bad_gateway" }),
  passing({ name: "reset_before_headers" }),
  passing({ name: "error_event" }),
  passing({ name: "malformed_json" }),
  passing({ name: "unknown_event" }),
  passing({ name: "wrong_content_type" }),
  { fault: { name: "unauthorized", times: 1000 }, right: "error" },
]

export const faults: Axis = {
  id: "faults",
  how: "The second request of a task of three meets 429 (with and without a time), 529 (once, three times), 500, 502, a reset, an error event, a malformed event, an unknown event, a page of HTML; and 401 for good. Right: the task is done, each effect once, and the exit code is 0; for 401, an exit code other than 0 within two minutes. Wrong: an effect twice, or 0 for a task that is not done.",
  rounds: cases.length,
  async sample({ peer, installed, fresh, round }): Promise<readonly Sample[]> {
    const { fault, right } = cases[round] ?? passing({ name: "server_error" })
    const place = fresh()
    const say = nextEffect(peer)
    let left = fault.times ?? 1
    try {
      const run = await runPeer({
        peer,
        installed,
        place,
        argv: (situation) => peer.work("go on", situation),
        script(request, index) {
          const strikes = index >= 1 && left > 0
          if (strikes) left--
          return say(request, strikes ? { ...fault, times: 1 } : undefined)
        },
      })
      const counted = countEffects(place.work)
      const done = run.exit === 0 && counted.repeated === 0 && counted.lost === 0
      const ended = typeof run.exit === "number" && run.exit !== 0 && counted.repeated === 0
      const wrong = counted.repeated > 0 || (run.exit === 0 && counted.lost > 0)
      return [
        {
          fault: `${fault.name}${fault.times === undefined ? "" : ` x${fault.times}`}`,
          exit: run.exit,
          requests: run.at.length,
          right: (right === "done" ? done : ended) ? 1 : 0,
          wrong: wrong ? 1 : 0,
          ...counted,
        },
      ]
    } finally {
      place.remove()
    }
  },
  rows: [
    {
      what: "faults: ended right (wrong)",
      cell: (samples) => `${sum(samples, "right")} of ${samples.length} (${sum(samples, "wrong")})`,
    },
  ],
}
