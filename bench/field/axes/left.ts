/** What is left behind: files of a short session, and processes when the agent is told to end while a command runs. */

import { type Axis, least, type Sample, sum } from "../axis.ts"
import { countEffects, effectsIn, nextEffect } from "../effects.ts"
import { filesBelow } from "../place.ts"
import { runPeer } from "../run-peer.ts"

export const left: Axis = {
  id: "left",
  how: "Files in home and the folder for temporary files after one session of three commands in a new home. Processes that still exist half a second after its end, after a normal end and after SIGTERM while a command runs (`sleep 600`, with a child in the background).",
  rounds: 1,
  async sample({ peer, installed, fresh }): Promise<readonly Sample[]> {
    const place = fresh()
    const other = fresh()
    try {
      const say = nextEffect(peer)
      const argv = (situation: Parameters<typeof peer.work>[1]): readonly string[] => peer.work("go on", situation)
      const run = await runPeer({ peer, installed, place, argv, script: (request) => say(request) })
      const files = [...filesBelow(place.home), ...filesBelow(place.temporary)]
      const waits = nextEffect(peer, { two: "; (sleep 600 &) ; tail -f /dev/null" })
      const stopped = await runPeer({
        peer,
        installed,
        place: other,
        argv,
        script: (request) => waits(request),
        patienceMs: 60_000,
        async beside(contact) {
          const until = performance.now() + 40_000
          while (!effectsIn(other.work).includes("two") && performance.now() < until) await Bun.sleep(20)
          await Bun.sleep(200)
          contact.kill("SIGTERM")
        },
      })
      return [
        {
          files: files.length,
          bytes: files.reduce((total, { bytes }) => total + bytes, 0),
          afterEnd: run.left,
          afterStop: stopped.left,
          lost: countEffects(place.work).lost,
          exit: run.exit,
        },
      ]
    } finally {
      place.remove()
      other.remove()
    }
  },
  rows: [
    {
      what: "files left by a short session",
      cell: (samples) => `${least(samples, "files")}, ${(least(samples, "bytes") / 1e6).toFixed(1)} MB`,
    },
    { what: "processes left after SIGTERM", cell: (samples) => `${sum(samples, "afterStop")}` },
  ],
}
