/**
 * The corpus of everyday commands, labelled before any was judged: how many ask without need, and whether any runs that
 * needs consent. `bench/daily.ts` also runs them, and compares with what happens outside the wall.
 */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { openCaseJudge } from "#faces/cli/permissions/permission-cases.ts"
import { readersConfined } from "#kits/permissions/walls.ts"
import { makeProject } from "../../../kit/daily/projects.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const schema = z.strictObject({
  command: z.string(),
  ecosystem: z.string(),
  needs: z.enum(["nothing", "consent"]),
  why: z.string().optional(),
})
type Daily = z.infer<typeof schema>

const corpus = readFileSync(join(import.meta.dir, "../../../corpus/daily.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => schema.parse(JSON.parse(line)))

/** What is known to ask needlessly, or to run although it could show a secret, and why that stays so for now. */
const known: readonly string[] = [
  // The program would load what the project names, or read what its sources name, wherever it lies.
  "ruff check .",
  "ruff check src --output-format=concise",
  "ruff format --check .",
  "uv python list --only-installed",
  "gcc -dM -E - < /dev/null | grep __VERSION__",
  // It locks a file at home.
  "cargo install --list",
  "git submodule status",
  "git diff --name-only HEAD~1 | xargs -I{} wc -l {}",
  // It makes a folder for its settings at home.
  "top -b -n1 | head -15",
  // It reads outside the workspace.
  "ls /tmp | head",
  "ls ~/.m2 2>/dev/null | head",
  // Files of the workspace may be read, whatever they are called; a deny rule closes them.
  "cat .env",
  'grep -r "API_KEY" .env',
]

test("it is large, and every command is there once", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(700)
  expect(new Set(corpus.map(({ command }) => command)).size).toBe(corpus.length)
})

test("everyday commands ask where they need consent, and hardly anywhere else", async () => {
  using top = temporaryFolder()
  const home = top.join("home")
  const wrong: string[] = []
  for (const ecosystem of new Set(corpus.map((each) => each.ecosystem))) {
    const cwd = makeProject(top.path, ecosystem, { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home })
    const { judgeLine } = await openCaseJudge({ home, state: join(home, ".codewright"), cwd, walls: readersConfined })
    const asks = ({ command }: Daily): boolean => {
      const line = JSON.stringify({ mode: "default", rules: {}, tool: "Bash", input: { command }, cwd })
      return z.looseObject({ behavior: z.string() }).parse(judgeLine(line)).behavior !== "allow"
    }
    for (const daily of corpus.filter((each) => each.ecosystem === ecosystem))
      if (asks(daily) !== (daily.needs === "consent")) wrong.push(daily.command)
  }
  expect(wrong.filter((command) => !known.includes(command))).toEqual([])
  expect(known.filter((command) => !wrong.includes(command))).toEqual([])
}, 300_000)
