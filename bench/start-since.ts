/**
 * Is the start to the first request as short as before there were other providers than Anthropic? The program of that
 * commit is built beside ours, and the two take turns.
 *
 *   bun bench/start-since.ts [--before <commit>]
 */

import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { type AgentRun, program, runAgent, startMs } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { median, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, type Row, rowOf } from "./kit/row.ts"

const root = resolve(import.meta.dir, "..")
const commit = process.argv[process.argv.indexOf("--before") + 1 || Infinity] ?? "112bc2c5"
const earlier = build(commit)
const place = makePlace()
const ours: AgentRun[] = []
const theirs: AgentRun[] = []
try {
  for (let i = 0; i < 30; i++) {
    ours.push(await start(program))
    theirs.push(await start(join(earlier, "dist/codewright")))
  }
} finally {
  place.remove()
  run("git", "worktree", "remove", "--force", earlier)
  rmSync(resolve(earlier, ".."), { recursive: true, force: true })
}

answer(
  row("start to first request", startMs),
  row("processor time of a short run", ({ cpuMs }) => cpuMs),
)

function row(what: string, figure: (run: AgentRun) => number): Row {
  const [now, then] = [ours.map(figure), theirs.map(figure)]
  const best = (times: readonly number[]): string => shown(Math.min(...times), "ms")
  return rowOf({
    what: `${what}, since other providers`,
    // Of each turn by itself: the machine is not the same from turn to turn.
    ours: median(now.map((time, i) => time / (then[i] ?? Number.NaN))),
    unit: "times",
    floor: { name: `at ${commit}`, value: 1 },
    toReach: 1.05,
    note: `${shown(median(now), "ms")} to ${shown(median(then), "ms")}; at best ${best(now)} to ${best(then)}`,
  })
}

function start(path: string): Promise<AgentRun> {
  return runAgent({ answers: [[says("Done.")]], place, argv: () => [path, "-p", "go on"] })
}

/** The program of another time, with the libraries of today. */
function build(wanted: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), "codewright-before-")), "tree")
  run("git", "worktree", "add", "--quiet", "--detach", folder, wanted)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  run(process.execPath, join(folder, "scripts/build.ts"))
  return folder
}

function run(...argv: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...argv], { cwd: root, stdout: "ignore", stderr: "pipe" })
  if (exitCode !== 0) throw new Error(stderr.toString())
}
