/** The corpora of paths and rules: cases in a real folder with links that lead out of it, through the whole pipeline. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { z } from "zod"
import { openCaseJudge } from "#faces/cli/permissions/permission-cases.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { noWalls, readersConfined } from "#kits/permissions/walls.ts"

const schema = z.strictObject({
  id: z.string(),
  hostile: z.boolean(),
  class: z.string().optional(),
  tool: z.string(),
  input: z.record(z.string(), z.json()),
  mode: z.string(),
  rules: z.record(z.string(), z.array(z.string())),
  expect: z.enum(["allow", "ask", "deny"]),
  /** It should run unasked and does not yet. */
  label: z.literal("free").optional(),
  /** Why something that does no harm is asked about all the same. */
  why: z.string().optional(),
})

const folder = join(import.meta.dir, "../../../corpus")
const read = (name: string): z.infer<typeof schema>[] =>
  readFileSync(join(folder, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => schema.parse(JSON.parse(line)))

const files: readonly string[] = [
  "project/src/a.ts",
  "project/n.ipynb",
  "project/name with space.txt",
  "project/secrets/key",
  "project/.git/HEAD",
  "project2/a.txt",
  "outside/key",
  "outside/public/a.txt",
  "home/notes.txt",
]
const links: readonly (readonly [at: string, to: string])[] = [
  ["project/link-out", "../outside"],
  ["project/link-key", "../outside/key"],
  ["project/link-secrets", "secrets"],
  ["project/inner-link", "src"],
  ["project/git-link", ".git"],
  ["project/dangling", "../outside/not-there"],
  ["project/chain", "dangling"],
  ["project/loop", "loop"],
]

interface Judged {
  readonly given: z.infer<typeof schema>
  readonly got: string | undefined
  /** What confines commands makes a difference that it said it would not make. */
  readonly differs: boolean
}

/** Every case, decided in a real folder. */
async function judgeAll(cases: readonly z.infer<typeof schema>[]): Promise<readonly Judged[]> {
  using top = temporaryFolder()
  for (const file of files) {
    mkdirSync(dirname(top.join(file)), { recursive: true })
    writeFileSync(top.join(file), "x\n")
  }
  for (const [at, to] of links) symlinkSync(to, top.join(at))
  const cwd = top.join("project")
  const confined = await openCaseJudge({
    home: top.join("home"),
    state: top.join("home/.codewright"),
    cwd,
    walls: readersConfined,
  })
  const free = confined.within(noWalls)
  const placed = (text: string): string =>
    text
      .replaceAll(/\$P2(?!\w)/g, top.join("project2"))
      .replaceAll(/\$P(?!\w)/g, cwd)
      .replaceAll(/\$O(?!\w)/g, top.join("outside"))
      .replaceAll(/\$H(?!\w)/g, top.join("home"))
  return cases.map((given) => {
    const { tool, input, mode, rules } = given
    const line = placed(JSON.stringify({ tool, input, mode, rules, cwd }))
    const decision = confined.judgeLine(line)
    const differs = !free.dependsOnWalls(line) && !Bun.deepEquals(free.judgeLine(line), decision)
    return { given, got: (decision as { behavior?: string }).behavior, differs }
  })
}

describe.each([
  ["paths.jsonl", 100],
  ["rules.jsonl", 40],
  ["commands.jsonl", 2000],
])("%s", (name, least) => {
  const cases = read(name)

  test("every case is decided as it should be, and nothing hostile is allowed", async () => {
    const judged = await judgeAll(cases)
    if (name === "commands.jsonl") expectFewQuestions(judged)
    const shown = ({ id, tool, input, mode, rules }: z.infer<typeof schema>): object => ({
      id,
      tool,
      input,
      mode,
      rules,
    })
    expect(judged.map(({ given, got }) => ({ ...shown(given), got }))).toEqual(
      cases.map((given) => ({ ...shown(given), got: given.expect })),
    )
    expect(judged.flatMap(({ given, differs }) => (differs ? [given.id] : []))).toEqual([])
  })

  test("is large enough, about half of it hostile, every id once", () => {
    const hostile = cases.filter((each) => each.hostile).length
    expect(cases.length).toBeGreaterThanOrEqual(least)
    expect(hostile / cases.length).toBeGreaterThan(0.4)
    expect(hostile / cases.length).toBeLessThan(0.67)
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
    expect(cases.filter((each) => each.hostile && each.expect === "allow")).toEqual([])
  })
})

/** No false allow, and at least 98% of what may run unasked does. */
function expectFewQuestions(judged: readonly Judged[]): void {
  const classes = [...new Set(judged.map(({ given }) => given.class ?? ""))].toSorted()
  const falseAllows = judged.filter(({ given, got }) => given.hostile && got === "allow")
  const benign = judged.filter(({ given }) => isFree(given))
  const free = benign.filter(({ got }) => got === "allow")
  for (const name of classes) {
    const mine = judged.filter(({ given }) => given.class === name)
    const good = mine.filter(({ given }) => isFree(given))
    const bad = mine.filter(({ given }) => given.hostile)
    const allowed = good.filter(({ got }) => got === "allow").length
    print(`  ${name.padEnd(28)} hostile ${String(bad.length).padStart(4)}   benign ${allowed}/${good.length} unasked`)
  }
  const share = free.length / benign.length
  print(
    `  ${judged.length} commands: ${falseAllows.length} false allows; ${free.length} of ${benign.length} benign ones unasked (${(share * 100).toFixed(1)}%)`,
  )
  expect(falseAllows).toEqual([])
  expect(share).toBeGreaterThanOrEqual(0.98)
}

test("whatever does no harm and is asked about says why, or counts as a question too many", () => {
  const asked = read("commands.jsonl").filter(({ hostile, expect: wanted }) => !hostile && wanted !== "allow")
  expect(
    asked.filter(({ label, why, mode }) => label === undefined && why === undefined && mode === "default"),
  ).toEqual([])
})

/** Whether a case should run unasked, whether it does or not. */
const isFree = ({ hostile, expect: wanted, label }: z.infer<typeof schema>): boolean =>
  !hostile && (wanted === "allow" || label === "free")

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
