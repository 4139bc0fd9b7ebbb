/**
 * `npm run mutants [ids or parts of paths]`: applies each mutant of the table to a scratch copy of the last commit, runs
 * the nearest tests and prints whether they noticed. Fails if one survives without a reason, or if the table is stale.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { everyMutant, mutated, testsOf } from "./mutants/all.ts"
import type { Mutant } from "./mutants/mutant.ts"

const root = resolve(import.meta.dir, "..")
const wanted = process.argv.slice(2)
const chosen = everyMutant.filter(
  ({ id, file }) => wanted.length === 0 || wanted.some((each) => id === each || file.includes(each)),
)

/** A mutant that never ends is noticed too: whoever runs the tests waits. */
const mostMs = 5 * 60_000

const scratch = mkdtempSync(join(tmpdir(), "codewright-mutants-"))
const folders = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, (_, nth) =>
  join(scratch, `${nth}`),
)
/** Nothing of this machine's owner counts. */
const env = { PATH: process.env.PATH ?? "", HOME: join(scratch, "home") }

function git(...args: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { cwd: root })
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`)
}

async function passes(folder: string, mutant: Mutant): Promise<boolean> {
  const files = testsOf(mutant).map((path) => `./${path}`)
  const only = mutant.tests.flatMap((each) => each.split("#").slice(1)).flatMap((name) => ["-t", name])
  const argv = [process.execPath, "test", "--isolate", "--bail", "--timeout=60000", ...only, ...files]
  const run = Bun.spawn(argv, { cwd: folder, env, stdout: "ignore", stderr: "ignore" })
  const timer = setTimeout(() => run.kill("SIGKILL"), mostMs)
  const code = await run.exited
  clearTimeout(timer)
  return code === 0
}

/** Without a mutant every test passes, or "caught" means nothing. Tried twice: load can fail a test. */
const unchanged = new Map<string, Promise<boolean>>()
function passesUnchanged(folder: string, mutant: Mutant): Promise<boolean> {
  const key = mutant.tests.join(" ")
  const answer = unchanged.get(key) ?? passes(folder, mutant).then((passed) => passed || passes(folder, mutant))
  unchanged.set(key, answer)
  return answer
}

/** Tries what is left of the queue; returns those that did not do what the table says. */
async function work(queue: Mutant[], folder: string): Promise<string[]> {
  const faults: string[] = []
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { id, file, survives } = next
    if (!(await passesUnchanged(folder, next))) {
      console.log(`UNUSABLE  ${id.padEnd(5)} ${file} Without any mutant, these tests fail: ${next.tests.join(" ")}`)
      faults.push(id)
      continue
    }
    const path = join(folder, "src", file)
    const source = readFileSync(path, "utf8")
    writeFileSync(path, mutated(next, source))
    const survived = await passes(folder, next)
    writeFileSync(path, source)
    const isFault = survived !== (survives !== undefined)
    const verdict = survived ? "survived" : "caught"
    console.log(`${(isFault ? verdict.toUpperCase() : verdict).padEnd(9)} ${id.padEnd(5)} ${file} ${survives ?? ""}`)
    if (isFault) faults.push(id)
  }
  return faults
}

if (chosen.length === 0) throw new Error(`No mutant has this id or path: ${wanted.join(" ")}`)
for (const each of chosen) mutated(each, readFileSync(join(root, "src", each.file), "utf8"))

const faults: string[] = []
try {
  mkdirSync(env.HOME)
  for (const folder of folders) {
    git("worktree", "add", "--detach", folder, "HEAD")
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  }
  const queue = [...chosen]
  faults.push(...(await Promise.all(folders.map((folder) => work(queue, folder)))).flat())
} finally {
  for (const folder of folders) git("worktree", "remove", "--force", folder)
  rmSync(scratch, { recursive: true, force: true })
}
const argued = chosen.filter(({ survives }) => survives !== undefined).length
const stale = faults.length > 0 ? `; not as the table says: ${faults.join(", ")}` : ""
console.log(`${chosen.length} mutants, ${argued} with a reason to survive${stale}`)
process.exitCode = faults.length > 0 ? 1 : 0
