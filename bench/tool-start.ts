/** How soon does a tool start once its call is complete, while the answer goes on for another while? */

import { watch } from "node:fs"
import { runAgent } from "./kit/agent.ts"
import { callsThenTalks, runs, says } from "./kit/answers.ts"
import { median, shown } from "./kit/figures.ts"
import type { Piece } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const sessions = 5
const talkMs = 1500
const pieces = 30
/** What a model takes to write a short command, once it has begun. */
const writingMs = 100
/** How long it lets itself be waited for, far less than models do. */
const thinkingMs = 150

const place = makePlace()
const seenAt = new Map<string, number>()
const watcher = watch(place.work, (_event, name) => {
  if (name !== null && !seenAt.has(name)) seenAt.set(name, performance.now())
})
const floor: number[] = []
for (let i = 0; i < 30; i++) floor.push(await bareStart(`bare-${i}`))
const [, ...later] = await delays("later", { calls: 8 })
const firstWritten: number[] = []
const firstInOne: number[] = []
const firstAtOnce: number[] = []
for (let i = 0; i < sessions; i++) {
  firstWritten.push(...(await delays(`written-${i}`, { calls: 1, writtenMs: writingMs })))
  firstInOne.push(...(await delays(`in-one-${i}`, { calls: 1, thoughtMs: thinkingMs })))
  firstAtOnce.push(...(await delays(`at-once-${i}`, { calls: 1 })))
}
watcher.close()
place.remove()

const bare = { name: "bare spawn of bash", value: median(floor) }
answer(
  rowOf({
    what: "tool starts while the stream goes on",
    ours: median(later),
    unit: "ms",
    floor: bare,
    toReach: 5,
  }),
  rowOf({
    what: `first command of a session, written in ${writingMs} ms`,
    ours: median(firstWritten),
    unit: "ms",
    floor: bare,
    toReach: 8,
    note: `${shown(median(firstInOne), "ms")} if its call comes in one piece, ${shown(median(firstAtOnce), "ms")} if it does at once`,
  }),
)

/** How long each call of a session waited. The person has a shell, whose profile acting commands get. */
async function delays(
  name: string,
  {
    calls,
    thoughtMs = 0,
    writtenMs = 0,
  }: { readonly calls: number; readonly thoughtMs?: number; readonly writtenMs?: number },
) {
  const sentAt: number[] = []
  const slowAnswer = (round: number): readonly Piece[] => {
    // The shell itself makes the file, so that nothing is started but it.
    const { begun, call, talk, end } = callsThenTalks(round, runs(`: > ${name}-${round}`), pieces)
    const pause = calls === 1 ? 0 : talkMs / pieces
    const slowTalk = talk.flatMap((piece): Piece[] => [piece, { pauseMs: pause }])
    return [
      ...pauseOf(thoughtMs),
      begun,
      ...pauseOf(writtenMs),
      call,
      () => (sentAt[round] = performance.now()),
      ...slowTalk,
      end,
    ]
  }
  await runAgent({
    place,
    answers: [...Array.from({ length: calls }, (_, round) => slowAnswer(round)), [says("Done.")]],
    flags: ["--allowed-tools", "Bash"],
    env: { SHELL: "/bin/bash" },
  })
  return sentAt.map((sent, round) => (seenAt.get(`${name}-${round}`) ?? Number.POSITIVE_INFINITY) - sent)
}

function pauseOf(ms: number): readonly Piece[] {
  return ms === 0 ? [] : [{ pauseMs: ms }]
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
