/** What do 500 skills and 300 commands cost a session that uses none of them? */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type AgentRun, runAgent, startMs } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { median, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const skills = 500
const commands = 300

const [none, many] = [makePlace(), makePlace()]
fill(join(many.home, ".claude"))
const plain: AgentRun[] = []
const filled: AgentRun[] = []
for (let i = 0; i < 20; i++) {
  plain.push(await runAgent({ answers: [[says("Done.")]], place: none }))
  filled.push(await runAgent({ answers: [[says("Done.")]], place: many }))
}
none.remove()
many.remove()

answer(
  row("processor time of a short run", ({ cpuMs }) => cpuMs),
  row("start to first request", startMs),
)

function row(what: string, figure: (run: AgentRun) => number): ReturnType<typeof rowOf> {
  const [without, withThem] = [median(plain.map(figure)), median(filled.map(figure))]
  return rowOf({
    what: `${what}, with ${skills} skills and ${commands} commands`,
    ours: withThem - without,
    unit: "ms",
    toReach: 20,
    note: `${shown(withThem, "ms")} with them, ${shown(without, "ms")} without`,
  })
}

function fill(folder: string): void {
  const head = (what: string, i: number): string =>
    `---\nname: ${what}-${i}\ndescription: Does what number ${i} of this ${what} list is about, whenever somebody asks for it in words like these\n---\n${"A line of its text, long enough to be one of many.\n".repeat(20)}`
  for (let i = 0; i < skills; i++) {
    mkdirSync(join(folder, "skills", `skill-${i}`), { recursive: true })
    writeFileSync(join(folder, "skills", `skill-${i}`, "SKILL.md"), head("skill", i))
  }
  mkdirSync(join(folder, "commands"), { recursive: true })
  for (let i = 0; i < commands; i++) writeFileSync(join(folder, "commands", `command-${i}.md`), head("command", i))
}
