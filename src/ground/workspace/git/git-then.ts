/** Takes a copy of a repository back to the commit and branch it was on at a moment, according to its reflog. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

interface Move {
  readonly line: string
  readonly from: string
  readonly at: number
  readonly left: string | undefined
}

/** Whether anything had to change. The files of the work tree stay; what was staged then is unknown, so nothing is. */
export function repositoryThen(folder: string, at: number): boolean {
  const git = join(folder, ".git")
  const record = join(git, "logs", "HEAD")
  const moves = movesIn(record)
  const later = moves.filter((move) => move.at > at)
  const [first] = later
  // Nothing is known of the time before the first move of all.
  if (!first || /^0+$/.test(first.from)) return false
  const branch = later.find(({ left }) => left !== undefined)?.left ?? branchIn(git)
  if (branch === undefined || !/^[\w./-]+$/.test(branch) || branch.includes("..")) return false
  const ref = join(git, "refs", "heads", branch)
  mkdirSync(dirname(ref), { recursive: true })
  writeFileSync(ref, `${first.from}\n`)
  writeFileSync(join(git, "HEAD"), `ref: refs/heads/${branch}\n`)
  for (const file of [record, join(git, "logs", "refs", "heads", branch)])
    if (existsSync(file)) {
      const before = movesIn(file).filter((move) => move.at <= at)
      writeFileSync(file, before.map(({ line }) => `${line}\n`).join(""))
    }
  // The copy's settings say what git may run; none of that is wanted here.
  const quiet = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]
  const program = Bun.which("git")
  if (program !== null)
    Bun.spawnSync([program, ...quiet, `--git-dir=${git}`, "read-tree", first.from], {
      cwd: folder,
      stdio: ["ignore", "ignore", "ignore"],
    })
  return true
}

function movesIn(file: string): readonly Move[] {
  if (!existsSync(file)) return []
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line): readonly Move[] => {
      const found = /^([0-9a-f]{40,}) [0-9a-f]{40,} .*> (\d+) [+-]\d{4}(?:\t(.*))?$/.exec(line)
      if (!found) return []
      const [, from = "", seconds, words = ""] = found
      const left = /^checkout: moving from (\S+) to /.exec(words)?.[1]
      return [{ line, from, at: Number(seconds) * 1000, left }]
    })
}

function branchIn(git: string): string | undefined {
  const head = join(git, "HEAD")
  return existsSync(head) ? /^ref: refs\/heads\/(.+)$/.exec(readFileSync(head, "utf8").trim())?.[1] : undefined
}
