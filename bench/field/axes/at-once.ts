/** Whether five commands that only wait are run at the same time. */

import { join } from "node:path"
import { type Axis, least } from "../axis.ts"
import { calls, says } from "../model.ts"
import { runPeer } from "../run-peer.ts"

const count = 5

export const atOnce: Axis = {
  id: "at-once",
  how: "One answer with five calls, each of which reads (with a command) a pipe that is silent for a second: time to the next request, the least of the rounds.",
  rounds: 2,
  async sample({ peer, installed, fresh }) {
    const place = fresh()
    const pipes = Array.from({ length: count }, (_, i) => join(place.work, `slow-${i}`))
    for (const pipe of pipes) Bun.spawnSync(["mkfifo", pipe])
    // Each waits for its reader, then keeps the pipe open for a second.
    const writers = pipes.map((pipe) => Bun.spawn(["sh", "-c", 'sleep 1 > "$0"', pipe], { cwd: "/" }))
    try {
      const run = await runPeer({
        peer,
        installed,
        place,
        argv: (situation) => peer.work("go on", situation),
        script: (_, index) =>
          index === 0
            ? calls(...pipes.map((pipe) => peer.shell(`cat ${pipe.slice(place.work.length + 1)}`)))
            : says("Done."),
      })
      const [first = Number.NaN, second = Number.NaN] = run.at
      return [{ seconds: (second - first) / 1000, exit: run.exit }]
    } finally {
      for (const writer of writers) writer.kill("SIGKILL")
      place.remove()
    }
  },
  rows: [
    { what: "five commands of 1 s in one answer", cell: (samples) => `${least(samples, "seconds").toFixed(1)} s` },
  ],
}
