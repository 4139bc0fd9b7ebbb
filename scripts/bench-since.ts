/**
 * `npm run bench:since -- <commit> [--rounds n] [question ...]`: asks each question of bench/ that both have of that
 * commit and of this checkout, in turns, and prints what became slower or faster.
 */

import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { Row } from "../bench/kit/row.ts"

const root = resolve(import.meta.dir, "..")
const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { rounds: { type: "string", default: "3" } },
  allowPositionals: true,
})
const [commit, ...wanted] = positionals
if (commit === undefined) throw new Error("Name the commit to compare with: npm run bench:since -- <commit>.")

/** Compared with an equal within this. */
const equal = 1.1
/** It compares two programs itself. */
const selfContained = ["start-since"]

const folder = mkdtempSync(join(tmpdir(), "codewright-since-"))
const before = join(folder, "tree")
run(["git", "worktree", "add", "--quiet", "--detach", before, commit])
try {
  symlinkSync(join(root, "node_modules"), join(before, "node_modules"))
  for (const tree of [before, root]) run([process.execPath, join(tree, "scripts/build.ts")])
  for (const question of await questions()) compare(question)
} finally {
  run(["git", "worktree", "remove", "--force", before])
  rmSync(folder, { recursive: true, force: true })
}

async function questions(): Promise<readonly string[]> {
  const all = await Array.fromAsync(new Bun.Glob("*.ts").scan({ cwd: join(root, "bench") }))
  return all
    .map((file) => file.slice(0, -".ts".length))
    .filter((name) => existsSync(join(before, "bench", `${name}.ts`)) && !selfContained.includes(name))
    .filter((name, _, names) => wanted.length === 0 || wanted.some((word) => isMeant(word, name, names)))
    .toSorted()
}

/** The whole name of a question means that one; anything else, all that contain it. */
function isMeant(word: string, name: string, names: readonly string[]): boolean {
  return names.includes(word) ? name === word : name.includes(word)
}

function compare(question: string): void {
  const [then, now] = [new Map<string, number[]>(), new Map<string, number[]>()]
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [tree, figures] of round % 2 === 0
      ? ([
          [before, then],
          [root, now],
        ] as const)
      : ([
          [root, now],
          [before, then],
        ] as const))
      for (const { what, ours } of rowsOf(tree, question)) {
        const figure = Number.parseFloat(ours.replaceAll(",", ""))
        if (!Number.isNaN(figure)) figures.set(what, [...(figures.get(what) ?? []), figure])
      }
  for (const [what, figures] of now) {
    const earlier = then.get(what)
    if (!earlier) continue
    // The best: whatever else the machine does only adds.
    const ratio = Math.min(...figures) / Math.min(...earlier)
    const verdict = ratio > equal ? "slower" : ratio < 1 / equal ? "faster" : "equal"
    console.log(`${verdict}\t${ratio.toFixed(2)}\t${question}: ${what}\t${earlier.join(" ")} -> ${figures.join(" ")}`)
  }
}

function rowsOf(tree: string, question: string): readonly Row[] {
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, `bench/${question}.ts`, "--rows"], {
    cwd: tree,
    stdio: ["ignore", "pipe", "ignore"],
  })
  if (exitCode !== 0) console.log(`failed\t-\t${question}\tin ${tree === root ? "this checkout" : commit}`)
  const lines = stdout.toString().split("\n")
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Row)
}

function run(argv: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...argv], { cwd: root, stdout: "ignore", stderr: "pipe" })
  if (exitCode !== 0) throw new Error(stderr.toString())
}
