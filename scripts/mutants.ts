/**
 * `npm run mutants [ids or parts of paths]`: applies each mutant of the table to a scratch copy of the last commit, runs
 * the nearest tests and prints whether they noticed. Fails if one survives without a reason, or if the table is stale.
 */

import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { executor } from "./mutants/executor.ts"
import { fleet } from "./mutants/fleet.ts"
import { journal } from "./mutants/journal.ts"
import type { Mutant } from "./mutants/mutant.ts"
import { permissions } from "./mutants/permissions.ts"
import { sandbox } from "./mutants/sandbox.ts"
import { withCleanHome } from "./stages.mjs"

const root = resolve(import.meta.dir, "..")
const all: readonly Mutant[] = [...permissions, ...executor, ...journal, ...sandbox, ...fleet]
const wanted = process.argv.slice(2)
const chosen = all.filter(
  ({ id, file }) => wanted.length === 0 || wanted.some((each) => id === each || file.includes(each)),
)

/** A mutant that never ends is noticed too: whoever runs the tests waits. */
const mostMs = 5 * 60_000

function git(...args: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { cwd: root })
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`)
}

/** The text with the fault in it. Throws if the table no longer fits the source. */
function mutated({ id, file, from, to }: Mutant, source: string): string {
  const count = source.split(from).length - 1
  if (count !== 1) throw new Error(`${id}: "${from}" occurs ${count} times in src/${file}; it must occur once.`)
  const text = source.replace(from, () => to)
  new Bun.Transpiler({ loader: "ts" }).transformSync(text)
  return text
}

async function passes(folder: string, tests: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const files = tests.map((each) => `./test/${each.split("#")[0]}`)
  const only = tests.flatMap((each) => each.split("#").slice(1))
  const run = Bun.spawn(
    [
      process.execPath,
      "test",
      "--isolate",
      "--bail",
      "--timeout=60000",
      ...only.flatMap((name) => ["-t", name]),
      ...files,
    ],
    {
      cwd: folder,
      env,
      stdout: "ignore",
      stderr: "ignore",
    },
  )
  const timer = setTimeout(() => run.kill("SIGKILL"), mostMs)
  const code = await run.exited
  clearTimeout(timer)
  return code === 0
}

/** Every set of tests passes without a mutant, or "caught" means nothing. */
function openBaseline(env: NodeJS.ProcessEnv): (folder: string, tests: readonly string[]) => Promise<void> {
  const known = new Map<string, Promise<boolean>>()
  return async (folder, tests) => {
    const key = tests.join(" ")
    const answer = known.get(key) ?? passes(folder, tests, env)
    known.set(key, answer)
    if (!(await answer)) throw new Error(`Without any mutant, the tests fail: ${key}`)
  }
}

async function work(
  queue: Mutant[],
  folder: string,
  env: NodeJS.ProcessEnv,
  check: ReturnType<typeof openBaseline>,
): Promise<string[]> {
  const faults: string[] = []
  for (let next = queue.shift(); next; next = queue.shift()) {
    const path = join(folder, "src", next.file)
    const source = readFileSync(path, "utf8")
    await check(folder, next.tests)
    writeFileSync(path, mutated(next, source))
    const survived = await passes(folder, next.tests, env)
    writeFileSync(path, source)
    const { id, file, survives } = next
    const isFault = survived !== (survives !== undefined)
    const verdict = survived ? (isFault ? "SURVIVED" : "survives") : isFault ? "CAUGHT" : "caught"
    console.log(`${verdict.padEnd(9)} ${id.padEnd(5)} ${file}${survives === undefined ? "" : `: ${survives}`}`)
    if (isFault) faults.push(id)
  }
  return faults
}

const ids = all.map(({ id }) => id)
const twice = ids.filter((id, at) => ids.indexOf(id) !== at)
if (twice.length > 0) throw new Error(`Used twice: ${twice.join(", ")}`)
for (const each of all) mutated(each, readFileSync(join(root, "src", each.file), "utf8"))

const scratch = mkdtempSync(join(tmpdir(), "codewright-mutants-"))
const folders = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, (_, at) =>
  join(scratch, `${at}`),
)
const faults: string[] = []
try {
  for (const folder of folders) {
    git("worktree", "add", "--detach", folder, "HEAD")
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  }
  const queue = [...chosen]
  await withCleanHome(async (env: NodeJS.ProcessEnv) => {
    const check = openBaseline(env)
    faults.push(...(await Promise.all(folders.map((folder) => work(queue, folder, env, check)))).flat())
  })
} finally {
  for (const folder of folders) git("worktree", "remove", "--force", folder)
  rmSync(scratch, { recursive: true, force: true })
}
const argued = chosen.filter(({ survives }) => survives !== undefined).length
console.log(
  `${chosen.length} mutants, ${argued} argued${faults.length > 0 ? `; not as the table says: ${faults.join(", ")}` : ""}`,
)
process.exitCode = faults.length > 0 ? 1 : 0
