/** How soon does a tool start once its call is complete, while the answer goes on for another while? */

import { watch } from "node:fs"
import { runAgent } from "./kit/agent.ts"
import { callsThenTalks, runs, says } from "./kit/answers.ts"
import { median, shown } from "./kit/figures.ts"
import type { Piece } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const rounds = 8
const talkMs = 1500
const pieces = 30

const place = makePlace()
const sentAt: number[] = []
const seenAt = new Map<string, number>()
const watcher = watch(place.work, (_event, name) => {
  if (name !== null && !seenAt.has(name)) seenAt.set(name, performance.now())
})
const floor: number[] = []
for (let i = 0; i < 30; i++) floor.push(await bareStart(`bare-${i}`))
await runAgent({
  place,
  answers: [...Array.from({ length: rounds }, (_, round) => slowAnswer(round)), [says("Done.")]],
  flags: ["--allowed-tools", "Bash"],
})
watcher.close()
place.remove()

const delays = sentAt.map((sent, round) => (seenAt.get(`started-${round}`) ?? Number.POSITIVE_INFINITY) - sent)
answer(
  rowOf({
    what: "tool starts while the stream goes on",
    ours: median(delays.slice(1)),
    unit: "ms",
    floor: { name: "bare spawn of bash", value: median(floor) },
    toReach: 5,
    note: `first of a session ${shown(delays[0] ?? Number.NaN, "ms")}`,
  }),
)

/** The call and then a talk of a second and a half; the shell itself makes the file, so that nothing is started but it. */
function slowAnswer(round: number): readonly Piece[] {
  const { call, talk, end } = callsThenTalks(round, runs(`: > started-${round}`), pieces)
  const slowTalk = talk.flatMap((piece): Piece[] => [piece, { pauseMs: talkMs / pieces }])
  return [call, () => (sentAt[round] = performance.now()), ...slowTalk, end]
}

async function bareStart(name: string): Promise<number> {
  const start = performance.now()
  const child = Bun.spawn(["/bin/bash", "--noprofile", "--norc", "-c", `: > ${name}`], {
    cwd: place.work,
    stdio: ["ignore", "ignore", "ignore"],
  })
  await child.exited
  while (!seenAt.has(name)) await Bun.sleep(1)
  return (seenAt.get(name) ?? Number.NaN) - start
}
