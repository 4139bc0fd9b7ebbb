/** Is anything still running after a session whose commands left things running? */

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { runAgent } from "./kit/agent.ts"
import { calls, runs, says } from "./kit/answers.ts"
import { shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer } from "./kit/row.ts"

const what = "processes left behind"
const patienceMs = 5000

const commands = [
  "true",
  "sleep 300 & true",
  "nohup sleep 301 >/dev/null 2>&1 & true",
  "setsid sleep 302 >/dev/null 2>&1 < /dev/null & true",
  "(setsid sh -c 'trap \"\" TERM; sleep 303; sleep 304' >/dev/null 2>&1 &) ; true",
]

const place = makePlace()
/** Everything that was ever seen below the program: some of it leaves its group, its session and its parent. */
const seen = new Set<string>()
await runAgent({
  place,
  answers: [...commands.map((command, i) => [calls(i, runs(command))]), [says("Done.")]],
  flags: ["--allowed-tools", "Bash"],
  onRequest(_index, pid) {
    const found = [...below(pid), ...marked(place.home)].filter((one) => one !== pid)
    for (const name of found.flatMap(nameOf)) seen.add(name)
  },
})
const exitedAt = performance.now()
while (left().length > 0 && performance.now() - exitedAt < patienceMs) await Bun.sleep(20)
const goneMs = performance.now() - exitedAt
const count = left().length
for (const pid of left()) process.kill(pid, "SIGKILL")
place.remove()

answer(
  pids().length === 0
    ? { what, ours: "not measured here", floor: "-", ratio: "-", toReach: "0", reached: "-" }
    : {
        what,
        ours: `${count} of ${seen.size} seen${count === 0 ? `, all gone ${shown(goneMs, "ms")} after the exit` : ""}`,
        floor: "0",
        ratio: "-",
        toReach: "0",
        reached: count === 0 ? "yes" : "no",
      },
)

function left(): number[] {
  const known = pids().filter((pid) => nameOf(pid).some((name) => seen.has(name)))
  return [...new Set([...known, ...marked(place.home)])]
}

function below(pid: number): number[] {
  const children = pids().filter((one) => statOf(one)?.[1] === `${pid}`)
  return [...children, ...children.flatMap(below)]
}

/** Those that have our home in their environment. */
function marked(home: string): number[] {
  return pids().filter((pid) => read(`/proc/${pid}/environ`).includes(`HOME=${home}\0`))
}

/** Numbers are given again, so a process is known by its number and its start. One that ended and waits to be asked about holds nothing. */
function nameOf(pid: number): readonly string[] {
  const stat = statOf(pid)
  return stat === undefined || stat[0] === "Z" ? [] : [`${pid} since ${stat[19]}`]
}

/** What the kernel says of a process, from its state on. */
function statOf(pid: number): readonly string[] | undefined {
  const text = read(`/proc/${pid}/stat`)
  return text === "" ? undefined : text.slice(text.lastIndexOf(")") + 2).split(" ")
}

/** Everything that runs; nothing where there is no /proc to look into. */
function pids(): number[] {
  return existsSync("/proc/self/stat") ? readdirSync("/proc").map(Number).filter(Number.isInteger) : []
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
