/** How long does a claim take while 16 workers in 4 processes want tasks, how many tasks a second get through, beside a bare file lock, and what does a member hold? */

import { join } from "node:path"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { openTeamStore } from "../src/ground/team/store.ts"
import { systemClock } from "../src/lib/clock.ts"
import { writeBareTasks } from "./kit/claimers.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"
import { teamMemory } from "./kit/team-memory.ts"

const tasks = 1000
const rounds = 3

interface Round {
  /** Of each claim, in milliseconds. */
  readonly claims: readonly number[]
  readonly perSecond: number
}

const ours: Round[] = []
const floor: Round[] = []
for (let i = 0; i < rounds; i++) {
  const place = makePlace()
  await makeTeam(join(place.state, "team.db"))
  writeBareTasks(join(place.state, "tasks.json"), tasks)
  ours.push(await run("team", join(place.state, "team.db")))
  floor.push(await run("lock", join(place.state, "tasks.json")))
  place.remove()
}

const claims = (runs: readonly Round[]): readonly number[] => runs.flatMap((each) => each.claims)
const perSecond = (runs: readonly Round[]): number => median(runs.map((each) => each.perSecond))
for (const percent of [50, 99])
  answer(
    rowOf({
      what: `a claim, 16 workers in 4 processes, ${percent}th percentile`,
      ours: percentile(claims(ours), percent),
      unit: "ms",
      floor: { name: "a file lock and a rename", value: percentile(claims(floor), percent) },
    }),
  )
answer(
  rowOf({
    what: "a task, claimed and finished by one of them",
    ours: 1000 / perSecond(ours),
    unit: "ms",
    floor: { name: "a file lock and a rename", value: 1000 / perSecond(floor) },
    note: `${shown(perSecond(ours), "")} tasks a second beside ${shown(perSecond(floor), "")}`,
  }),
)

const [one, many] = [1, 9]
const held = { one: [] as number[], many: [] as number[] }
for (let i = 0; i < rounds; i++) {
  held.one.push(await teamMemory(one))
  held.many.push(await teamMemory(many))
}
answer(
  rowOf({
    what: "memory of a member after the first, in the lead's process",
    ours: (median(held.many) - median(held.one)) / (many - one),
    unit: "MB",
    toReach: 6,
    note: `${shown(median(held.one), "MB")} with ${one}, ${shown(median(held.many), "MB")} with ${many}`,
  }),
)

const apart = 4
const own: number[] = []
for (let i = 0; i < rounds; i++) own.push((await teamMemory(apart, "process")) / apart)
answer(
  rowOf({
    what: "memory of a member in a process of its own",
    ours: median(own),
    unit: "MB",
    note: `of ${apart} at once, with its share of what they have in common`,
  }),
)

async function makeTeam(path: string): Promise<void> {
  const store = await openTeamStore({ path, about: { name: "crew", lead: "lead" }, clock: systemClock })
  for (let i = 1; i <= tasks; i++) await store.board.create({ subject: `task ${i}`, description: "" })
  await store.close()
}

async function run(kind: "team" | "lock", path: string): Promise<Round> {
  const processes = [0, 1, 2, 3].map((at) =>
    Bun.spawn(
      [
        process.execPath,
        join(import.meta.dir, "kit/claimers.ts"),
        kind,
        path,
        [0, 1, 2, 3].map((n) => `w${at * 4 + n}`).join(","),
      ],
      { stdio: ["pipe", "pipe", "inherit"] },
    ),
  )
  const heard = processes.map(({ stdout }) =>
    createInterface({ input: Readable.fromWeb(stdout) })[Symbol.asyncIterator](),
  )
  await Promise.all(heard.map((lines) => lines.next()))
  const start = performance.now()
  for (const { stdin } of processes) {
    void stdin.write("go\n")
    void stdin.end()
  }
  const said = await Promise.all(heard.map((lines) => lines.next()))
  const seconds = (performance.now() - start) / 1000
  return { claims: said.flatMap(({ value }) => JSON.parse(String(value)) as number[]), perSecond: tasks / seconds }
}
