/** Killed without warning, then resumed: what is done twice, and what is never done. */

import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Axis, type Sample, sum } from "../axis.ts"
import { countEffects, type Effect, effectsIn, nextEffect } from "../effects.ts"
import type { FieldPlace } from "../place.ts"
import { type Contact, runPeer } from "../run-peer.ts"

/** When the kill comes; each effect has happened by then, so doing it again is always wrong. */
const points = ["effect", "effect", "effect", "running", "running", "request"] as const

export const kill: Axis = {
  id: "kill",
  how: "Three commands with one effect each; `kill -9` as soon as an effect is there (three times), while its command still runs (twice), or when the next request arrives (once); then the newest session is resumed as documented. The model asks again for whatever the conversation does not tell of.",
  rounds: points.length,
  async sample({ peer, installed, fresh, round }): Promise<readonly Sample[]> {
    const point = points[round] ?? "effect"
    const place = fresh()
    const never = join(place.work, "never")
    Bun.spawnSync(["mkfifo", never])
    try {
      const more = point === "running" ? { two: "; cat never" } : {}
      const say = nextEffect(peer, more)
      const first = await runPeer({
        peer,
        installed,
        place,
        argv: (situation) => peer.work("go on", situation),
        script: (request) => say(request),
        onRequest(index, contact) {
          if (point === "request" && index === 1) contact.kill("SIGKILL")
        },
        ...(point !== "request" && { beside: killAfter(place, point === "running" ? "two" : "one", point) }),
      })
      // What hung would hang again if it is repeated.
      rmSync(never)
      writeFileSync(never, "")
      const second = await runPeer({
        peer,
        installed,
        place,
        argv: (situation) => peer.resume("go on", situation),
        script: (request) => say(request),
      })
      const counted = countEffects(place.work)
      const resumed = second.exit === 0 && second.at.length > 0
      return [{ point, first: first.exit, exit: second.exit, resumed: resumed ? 1 : 0, ...counted }]
    } finally {
      place.remove()
    }
  },
  rows: [
    {
      what: "kill -9 and resume: effects repeated, lost",
      cell: (samples) => `${sum(samples, "repeated")}, ${sum(samples, "lost")} of ${samples.length * 3}`,
    },
    { what: "resumed to the end after the kill", cell: (samples) => `${sum(samples, "resumed")} of ${samples.length}` },
  ],
}

function killAfter(
  place: FieldPlace,
  effect: Effect,
  point: "effect" | "running",
): (contact: Contact) => Promise<void> {
  return async (contact) => {
    const until = performance.now() + 60_000
    while (!effectsIn(place.work).includes(effect) && performance.now() < until) await Bun.sleep(1)
    if (point === "running") await Bun.sleep(300)
    contact.kill("SIGKILL")
  }
}
