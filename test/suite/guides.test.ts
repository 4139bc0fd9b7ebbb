/** The guides and the front page are true: what they name exists, what they configure is read, what they run works. */

import { expect, test } from "bun:test"
import { Glob } from "bun"
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { openSimulator } from "#sim/server.ts"
import { blockProblems, isRun } from "../kit/guides/check-block.ts"
import { type Block, type Guide, readGuide } from "../kit/guides/markdown.ts"
import { programNames } from "../kit/guides/program-names.ts"
import { environmentOf, openPlace, type Place, program } from "../kit/run-codewright.ts"

const root = resolve(import.meta.dir, "../..")
const guides: readonly Guide[] = ["README.md", ...new Glob("docs/guides/*.md").scanSync(root)]
  .toSorted()
  .map((path) => readGuide(path, readFileSync(join(root, path), "utf8")))
const made = guides.flatMap(({ blocks }) =>
  blocks.flatMap(({ mark, file }) => (mark === "command" ? (/([^/]+)\.md$/.exec(file ?? "")?.[1] ?? []) : [])),
)
const names = await programNames(made)

test("commands, flags, settings, variables, slash commands and files that guides name exist", () => {
  const problems = guides.flatMap(({ spans }) =>
    spans.flatMap(({ path, line, text }) => {
      const problem = names.spanProblem(text)
      return problem === undefined ? [] : [`${path}:${line}: ${problem}`]
    }),
  )
  expect(problems).toEqual([])
})

test("blocks say what they are, and are valid as that", async () => {
  const problems = await Promise.all(
    guides.flatMap(({ blocks }) =>
      blocks.map(async (block) =>
        (await blockProblems(block, names)).map((problem) => `${block.path}:${block.line}: ${problem}`),
      ),
    ),
  )
  expect(problems.flat()).toEqual([])
})

for (const { path, blocks } of guides.filter((guide) => guide.blocks.some(isRun)))
  test(`what ${path} runs works`, async () => {
    using place = openPlace()
    const opened = await openSimulator({ demoTiming: { ttftMs: 0, tokensPerSecond: 100_000 } })
    if (!opened.ok) throw new Error(opened.failure.message)
    try {
      prepare(place)
      for (const [at, block] of blocks.entries()) {
        if (block.file !== undefined) save(place, block, block.file)
        if (isRun(block)) await runBlock(place, opened.value.url, block, blocks[at + 1])
      }
    } finally {
      await opened.value.close()
    }
  })

/** The sample as a git repository, and the program on the path under its own name. */
function prepare(place: Place): void {
  cpSync(join(root, "sample"), place.work, { recursive: true })
  for (const words of ["init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm first"])
    Bun.spawnSync(["git", ...words.split(" ")], { cwd: place.work })
  mkdirSync(join(place.path, "bin"))
  symlinkSync(program, join(place.path, "bin", "codewright"))
  // What npm adds to the tests of the sample is most of what they cost.
  writeFileSync(join(place.path, "bin", "npm"), "#!/bin/sh\nexec node --test\n", { mode: 0o755 })
}

function save(place: Place, { text, language }: Block, file: string): void {
  const path = place.write(file.replace(/^~/, place.home), `${text}\n`)
  if (language === "sh") chmodSync(path, 0o755)
}

/** Runs the lines as a reader would; output that the guide shows must come, in its order. */
async function runBlock(place: Place, url: string, block: Block, next: Block | undefined): Promise<void> {
  const environment = environmentOf(place, url, { CODEWRIGHT_HOME: undefined })
  const child = Bun.spawn(["bash", "-eu", "-o", "pipefail", "-c", block.text], {
    cwd: place.work,
    env: { ...environment, PATH: `${join(place.path, "bin")}:${environment["PATH"] ?? ""}`, TERM: "dumb" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const output = `${stdout}\n${stderr}`
  expect({ block: `${block.path}:${block.line}`, code, output }).toEqual({
    block: `${block.path}:${block.line}`,
    code: 0,
    output,
  })
  if (next?.language !== "text" || next.mark !== "output") return
  const shown = next.text.split("…").map((part) => part.trim().split(/\s+/).join(" "))
  let rest = output.split(/\s+/).join(" ")
  for (const part of shown) {
    expect({ block: `${next.path}:${next.line}`, rest }).toEqual({
      block: `${next.path}:${next.line}`,
      rest: expect.stringContaining(part),
    })
    rest = rest.slice(rest.indexOf(part) + part.length)
  }
}

/** Rows between the two comments; the newest run of the comparison must have each of their cells, in the row of the same name. */
function inventedFigures(readme: string, results: string): readonly string[] {
  const cellsOf = (row: string): readonly string[] =>
    row
      .split("|")
      .map((cell) => cell.trim())
      .filter((cell) => cell !== "")
  const rowsIn = (text: string): readonly (readonly string[])[] =>
    text
      .split("\n")
      .filter((line) => line.startsWith("|") && !/^[|\s:-]+$/.test(line))
      .map(cellsOf)
  const place = /<!-- field -->(.*?)<!-- \/field -->/s.exec(readme)?.[1]
  if (place === undefined) return ["README has no place for the comparison"]
  const measured = rowsIn(results)
  return rowsIn(place).flatMap(([name = "", ...cells]) => {
    const same =
      measured.find((row) => row[0] === name) ?? measured.find((row) => cells.every((cell) => row.includes(cell)))
    return cells.filter((cell) => !same?.includes(cell)).map((cell) => `${name}: ${cell} was not measured`)
  })
}

test("figures on the front page are those of the newest comparison", () => {
  const results = [...new Glob("bench/field/results/*.md").scanSync(root)].toSorted().at(-1)
  const measured = results === undefined ? "" : readFileSync(join(root, results), "utf8")
  expect(inventedFigures(readFileSync(join(root, "README.md"), "utf8"), measured)).toEqual([])
  const row = (cell: string): string =>
    `<!-- field -->\n| | a | b |\n|---|---|---|\n| start | ${cell} | 9 ms |\n<!-- /field -->`
  const table = "| | a | b | c |\n| start | 5 ms | 7 ms | 9 ms |\n"
  expect(inventedFigures(row("5 ms"), table)).toEqual([])
  expect(inventedFigures(row("4 ms"), table)).toEqual(["start: 4 ms was not measured"])
  expect(inventedFigures("", table)).toHaveLength(1)
})

test("a guide cannot name what does not exist, nor leave a block unsaid", async () => {
  const wrong = readGuide(
    "a.md",
    [
      "`--no-such` `codewright sessions purge` `codewright --tolls Read` `codewright config get sandbox.enbled` `/nosuch`",
      "`CODEWRIGHT_NO_SUCH` `~/.codewright/nosuch.json` `sandbox.enbled` `enbledFlag` `codewright -p /nosuch`",
      "| Codex | here |",
      "| --- | --- |",
      "| `--theirs` | `--ours` |",
      "```sh",
      "CODEWRIGHT_NO_SUCH=1 codewright mcp list --no-such",
      "```",
      "```sh tomorrow",
      "```",
      "```json settings",
      '{ "sandbox": { "enbled": true } }',
      "```",
      "```json settings",
      '{ "permissions": { "allow": ["Bsh(ls)"] }, "hooks": { "PreTolUse": [] } }',
      "```",
      "```json mcp",
      '{ "mcpServers": { "a": {} } }',
      "```",
      "```md agent",
      "---",
      "permission-mode: nosuch",
      "---",
      "```",
      "```ts",
      'import { nothing } from "codewright"',
      "```",
      "```json",
      "{}",
      "```",
      "```python",
      "```",
    ].join("\n"),
  )
  const named = wrong.spans.filter(({ text }) => names.spanProblem(text) !== undefined)
  expect(named.map(({ text }) => text)).toEqual(wrong.spans.map(({ text }) => text))
  expect(wrong.spans.map(({ text }) => text)).not.toContain("--theirs")
  const problems = await Promise.all(wrong.blocks.map((block) => blockProblems(block, names)))
  expect(problems.map((found) => found.length > 0)).toEqual(wrong.blocks.map(() => true))
})
