/** How long does a decision take, over every case of the corpora, and how long until `permissions explain` gives the first? */

import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { openCaseJudge } from "../src/faces/cli/permissions/permission-cases.ts"
import { program } from "./kit/agent.ts"
import { median, percentile } from "./kit/figures.ts"
import { answer, rowOf } from "./kit/row.ts"
import { readersConfined } from "#kits/permissions/walls.ts"

const corpus = resolve(import.meta.dir, "../test/corpus")
const cwd = resolve(import.meta.dir, "..")
const rules = {
  allow: ["Bash(npm run:*)", "Edit(src/**)"],
  ask: ["Bash(git push:*)"],
  deny: ["Read(.env)", "Bash(curl:*)"],
}

const shell = readdirSync(join(corpus, "shell"))
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => linesIn(`shell/${name}`))
  .map((line) => ({ tool: "Bash", input: { command: (JSON.parse(line) as { command: string }).command }, rules }))
const given = [...linesIn("paths.jsonl"), ...linesIn("rules.jsonl"), ...linesIn("commands.jsonl")].map(
  (line) => JSON.parse(line) as object,
)
const cases = [...shell, ...given].map((each) => JSON.stringify({ mode: "default", ...each, cwd }))

const { judgeLine } = await openCaseJudge({
  home: "/nonexistent/home",
  state: "/nonexistent/state",
  cwd,
  path: () => process.env.PATH,
  walls: readersConfined,
})
// The first round is what a long-lived process has behind it.
for (const line of cases) judgeLine(line)
const times = [1, 2, 3].flatMap(() =>
  cases.map((line) => {
    const start = performance.now()
    judgeLine(line)
    return performance.now() - start
  }),
)
const first = Array.from({ length: 15 }, () => {
  const start = performance.now()
  Bun.spawnSync([program, "permissions", "explain", "--json"], {
    stdin: new Blob([`${cases[0] ?? ""}\n`]),
    stdout: "ignore",
    stderr: "ignore",
  })
  return performance.now() - start
})

const note = `${cases.length} cases`
const perSecond = (times.length / times.reduce((sum, time) => sum + time, 0)) * 1000
answer(
  rowOf({ what: "a permission decision, median", ours: median(times), unit: "ms", toReach: 1, note }),
  rowOf({ what: "a permission decision, 99th percentile", ours: percentile(times, 99), unit: "ms", toReach: 10, note }),
  rowOf({ what: "permissions explain, cases a second", ours: perSecond, unit: "", note }),
  rowOf({ what: "permissions explain, one case with the start", ours: median(first), unit: "ms", toReach: 60 }),
)

function linesIn(name: string): readonly string[] {
  return readFileSync(join(corpus, name), "utf8").trimEnd().split("\n")
}
