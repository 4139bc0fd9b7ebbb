/** `npm run bench`: asks every question in bench/, one after the other so that none disturbs another, and prints one table. */

import { statSync } from "node:fs"
import { availableParallelism, cpus, loadavg, totalmem } from "node:os"
import { resolve } from "node:path"
import { type Row, table } from "../bench/kit/row.ts"

const root = resolve(import.meta.dir, "..")
const wanted = process.argv.slice(2)

/** In the order of the table. */
const order = [
  "version",
  "start",
  "start-since",
  "initialize",
  "acp",
  "read-step",
  "shell-step",
  "sandbox",
  "growth",
  "cpu",
  "stream-event",
  "memory",
  "exit",
  "prompt",
  "prefix",
  "at-once",
  "tool-start",
  "hook",
  "subagent",
  "team",
  "serve",
  "worker",
  "fleet",
  "background",
  "mcp-start",
  "extensions",
  "late-tools",
  "left-behind",
  "terminal",
  "permissions",
  "daily",
  "snapshots",
  "trees",
  "resume",
  "past",
  "pager",
  "session-search",
  "keeping",
]

const questions = (await list("bench/*.ts"))
  .map((path) => path.slice("bench/".length, -".ts".length))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
  .sort((a, b) => place(a) - place(b))

if (questions.length === 0)
  console.error(`No question in bench/${wanted.length === 0 ? "" : ` is called ${wanted.join(" or ")}`}.`)
else if (await isStale()) build()
if (questions.length > 0 && process.exitCode === undefined) ask()

function ask(): void {
  const before = loadavg()[0] ?? 0
  const rows = questions.flatMap(rowsOf)
  const [{ model = "unknown processor" } = {}] = cpus()
  console.log(
    `\n${availableParallelism()} cores, ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}, ` +
      `Bun ${Bun.version}; load ${before.toFixed(2)} before\n`,
  )
  console.log(table(rows))
}

function rowsOf(name: string): Row[] {
  process.stderr.write(`${name} ... `)
  const start = performance.now()
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, `bench/${name}.ts`, "--rows"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  })
  process.stderr.write(`${((performance.now() - start) / 1000).toFixed(1)} s\n`)
  if (exitCode !== 0) {
    process.exitCode = 1
    return [{ what: name, ours: "failed", floor: "-", ratio: "-", toReach: "-", reached: "no" }]
  }
  return stdout
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row)
}

/** Whether the program is missing or older than what it is made of. */
async function isStale(): Promise<boolean> {
  const built = changed("dist/codewright")
  const sources = [...(await list("{src,sample}/**/*")), "scripts/build.ts", "package-lock.json"]
  return sources.some((path) => changed(path) > built)
}

function build(): void {
  const { exitCode } = Bun.spawnSync([process.execPath, "scripts/build.ts"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  })
  if (exitCode !== 0) process.exitCode = exitCode
}

function changed(path: string): number {
  return statSync(resolve(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function list(pattern: string): Promise<string[]> {
  return Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }))
}

function place(name: string): number {
  const at = order.indexOf(name)
  return at === -1 ? order.length : at
}
