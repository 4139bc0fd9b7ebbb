/** What do Glob and Grep add to ripgrep on a tree of fifty thousand files? Each beside ripgrep with the arguments that the tool gives it: where the newest come first, told to sort, and bare. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rgPath } from "@vscode/ripgrep"
import { gaps, runAgent } from "./kit/agent.ts"
import { calls, says, type Use } from "./kit/answers.ts"
import { median } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, type Row, rowOf } from "./kit/row.ts"

const folders = 500
const filesEach = 100
const rounds = 4
const timesEach = 3
/** How many times what ripgrep takes. */
const toReach = 1.3

const place = makePlace()
makeTree(place.work)

interface Question {
  readonly what: string
  readonly use: Use
  /** What the tool gives ripgrep, the folder apart. */
  readonly argv: readonly string[]
  /** Whether the tool also asks how old each file is, to give the newest first. Ripgrep does so only when told to sort. */
  readonly isByAge: boolean
}

const content = ["--null", "--with-filename", "--crlf"]
const lines = [
  "--line-number",
  "--no-heading",
  "--max-columns=500",
  "--max-columns-preview",
  "--before-context=0",
  "--after-context=0",
]
const questions: readonly Question[] = [
  {
    what: "Glob, a quarter of 50,000 files",
    use: { name: "Glob", input: { pattern: "**/*.ts" } },
    argv: ["--files", "--null", "--type-add=wanted:*.ts", "--type=wanted"],
    isByAge: true,
  },
  {
    what: "Glob, all of 50,000 files",
    use: { name: "Glob", input: { pattern: "**/*" } },
    argv: ["--files", "--null"],
    isByAge: true,
  },
  {
    what: "Grep for files, 1,000 of 50,000",
    use: { name: "Grep", input: { pattern: "needle" } },
    argv: [...content, "--files-with-matches", "-e", "needle"],
    isByAge: true,
  },
  {
    what: "Grep for lines, 1,000 in 50,000 files",
    use: { name: "Grep", input: { pattern: "needle", output_mode: "content" } },
    argv: [...content, ...lines, "-e", "needle"],
    isByAge: false,
  },
]

const ours = questions.map((): number[] => [])
const floor = questions.map((): number[] => [])
const sorted = questions.map((): number[] => [])
for (let round = 0; round < rounds; round++) {
  const uses = Array.from({ length: timesEach }, () => questions.map(({ use }) => use)).flat()
  const run = await runAgent({ place, answers: [...uses.map((use, i) => [calls(i, use)]), [says("Done.")]] })
  gaps(run).forEach((gap, step) => ours[step % questions.length]?.push(gap))
  for (let i = 0; i < timesEach; i++)
    for (const [at, { argv, isByAge }] of questions.entries()) {
      floor[at]?.push(bare(argv))
      if (isByAge) sorted[at]?.push(bare(["--sortr=modified", ...argv]))
    }
}
place.remove()

answer(
  ...questions.flatMap(({ what, isByAge }, at) => {
    const beside = (name: string, times: readonly number[]): Row =>
      rowOf({
        what: `${what}, beside ${name}`,
        ours: median(ours[at] ?? []),
        unit: "ms",
        floor: { name, value: median(times) },
        toReach: median(times) * toReach,
      })
    const plain = beside("bare ripgrep", floor[at] ?? [])
    // The first gives the same answer; the second does less, since it need not look at any file's age.
    return isByAge ? [beside("ripgrep that sorts by age", sorted[at] ?? []), plain] : [plain]
  }),
)

function bare(argv: readonly string[]): number {
  const always = ["--no-config", "--color=never", "--no-messages", "--no-require-git"]
  const start = performance.now()
  const { exitCode } = Bun.spawnSync([rgPath, ...always, ...argv, "--", place.work], {
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
  })
  if (exitCode !== 0) throw new Error(`ripgrep ended with ${exitCode}`)
  return performance.now() - start
}

/** The same tree each time: short files of four kinds, every fiftieth with a needle in it. */
function makeTree(root: string): void {
  const kinds = ["ts", "js", "md", "json"]
  for (let folder = 0; folder < folders; folder++) {
    const path = join(root, `area-${folder % 10}`, `part-${folder}`)
    mkdirSync(path, { recursive: true })
    for (let i = 0; i < filesEach; i++) {
      const file = folder * filesEach + i
      const text = Array.from({ length: 20 }, (_, line) =>
        file % 50 === 0 && line === 7 ? `the needle ${file}\n` : `line ${line} of file ${file}, short as lines are\n`,
      )
      writeFileSync(join(path, `file-${i}.${kinds[i % kinds.length]}`), text.join(""))
    }
  }
}
