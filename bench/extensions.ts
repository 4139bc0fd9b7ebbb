/** What do 500 skills, 300 commands, 40 plugins and 30 servers cost a session that uses none of them? */

import { type AgentRun, runAgent, startMs } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { median, shown } from "./kit/figures.ts"
import { fillPlugins, fillServers, fillSkills, many } from "./kit/many-extensions.ts"
import { type BenchPlace, makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

interface Candidate {
  readonly what: string
  readonly place: BenchPlace
  readonly runs: AgentRun[]
}

const rounds = 30
const none = candidate("", [])
const ownFiles = `${many.skills} skills and ${many.commands} commands`
const filled = [
  candidate(ownFiles, [fillSkills]),
  candidate(`${many.plugins} plugins`, [fillPlugins]),
  candidate(`${ownFiles}, ${many.plugins} plugins and ${many.servers} servers that are turned off`, [
    fillSkills,
    fillPlugins,
    fillServers,
  ]),
]
// Nothing is kept of files that were just written, and the first runs make what the others find.
const settlingMs = 2_500
const firstRuns = 3
await Bun.sleep(settlingMs)
for (let i = 0; i < firstRuns + rounds; i++)
  for (const { place, runs } of [none, ...filled]) {
    const run = await runAgent({ answers: [[says("Done.")]], place })
    if (i >= firstRuns) runs.push(run)
  }
for (const { place } of [none, ...filled]) place.remove()

answer(
  ...filled.flatMap((one) => [
    row("processor time of a short run", one, ({ cpuMs }) => cpuMs),
    row("start to first request", one, startMs),
  ]),
)

function candidate(what: string, fill: readonly ((place: BenchPlace) => void)[]): Candidate {
  const place = makePlace()
  for (const one of fill) one(place)
  return { what, place, runs: [] }
}

function row(
  what: string,
  { what: beside, runs }: Candidate,
  figure: (run: AgentRun) => number,
): ReturnType<typeof rowOf> {
  const [without, withThem] = [none.runs.map(figure), runs.map(figure)]
  return rowOf({
    what: `${what}, with ${beside}`,
    // Of each round by itself: the machine is not the same from round to round.
    ours: median(withThem.map((ms, i) => ms - (without[i] ?? Number.NaN))),
    unit: "ms",
    toReach: 20,
    note: `${shown(median(withThem), "ms")} with them, ${shown(median(without), "ms")} without`,
  })
}
