/**
 * Cases of outsiders, decided as the program would, in a real folder. `examined` and `unseen` were labelled by people who knew
 * only the specification, before anything was run; `examined` was then used to mend classes, `unseen` was held back until
 * that was done (99.4% of the benign ones unasked at its first run, 93.7% before). `everyday` was labelled with the answers
 * at hand, by going through the tools of the trade and what an attacker would make of each: it guards what is, and proves nothing.
 */

import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { z } from "zod"
import { openCaseJudge } from "#faces/cli/permissions/permission-cases.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { readersConfined } from "#kits/permissions/walls.ts"

const schema = z.strictObject({
  id: z.string(),
  /** `free` runs without a question, `guard` must not be allowed, `deny` must be denied. */
  label: z.enum(["free", "guard", "deny"]),
  /** The label it came with, where that was wrong; `why` says so. */
  given: z.enum(["free", "guard", "deny"]).optional(),
  class: z.string(),
  mode: z.string(),
  rules: z.record(z.string(), z.array(z.string())),
  tool: z.string(),
  input: z.record(z.string(), z.json()),
  cwd: z.string().optional(),
  why: z.string().optional(),
})

type Case = z.infer<typeof schema>

const corpus = join(import.meta.dir, "../../../corpus")
const read = (name: string): readonly Case[] =>
  readFileSync(join(corpus, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => schema.parse(JSON.parse(line)))

const files: { readonly [path: string]: string } = {
  "ws/app/src/index.ts": "x\n",
  "ws/app/src/main.ts": "x\n",
  "ws/app/src/app.ts": "x\n",
  "ws/app/test/app.test.ts": "x\n",
  "ws/app/docs/guide.md": "x\n",
  "ws/app/README.md": "x\n",
  "ws/app/Makefile": "all:\n",
  "ws/app/package.json": '{"name":"app","version":"1.0.0"}\n',
  "ws/app/.env": "SECRET=1\n",
  "ws/app/.git/HEAD": "ref: refs/heads/main\n",
  "ws/app/.git/config": "[core]\n\tbare = false\n",
  "ws/app/.git/objects/info/packs": "",
  "ws/app/.git/refs/heads/main": "",
  "ws/other/a.txt": "x\n",
  "ws/app-old/a.txt": "x\n",
  "home/dev/.bashrc": "x\n",
}

/** Every case of a file, decided where its paths are real. */
async function judgeAll(cases: readonly Case[]): Promise<readonly { readonly given: Case; readonly got: string }[]> {
  using top = temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(top.join(path)), { recursive: true })
    writeFileSync(top.join(path), text)
  }
  symlinkSync("/etc", top.join("ws/app/link-out"))
  symlinkSync("src", top.join("ws/app/link-in"))
  const home = top.join("home/dev")
  const cwd = top.join("ws/app")
  const { judgeLine } = await openCaseJudge({ home, state: join(home, ".codewright"), cwd, walls: readersConfined })
  const placed = (text: string): string =>
    text
      .replaceAll("/ws/", `${top.join("ws")}/`)
      .replaceAll('"/ws"', JSON.stringify(top.join("ws")))
      .replaceAll("/home/dev", home)
  return cases.map((given) => {
    const { mode, rules, tool, input } = given
    const line = placed(JSON.stringify({ mode, rules, tool, input, cwd: "/ws/app" }))
    return { given, got: z.looseObject({ behavior: z.string() }).parse(judgeLine(line)).behavior }
  })
}

describe.each([
  { name: "examined.jsonl", least: 1200, share: 0.98 },
  { name: "unseen.jsonl", least: 1200, share: 0.98 },
  { name: "everyday.jsonl", least: 2000, share: 0.97 },
])("$name", ({ name, least, share: wanted }) => {
  const cases = read(name)

  test("nothing is allowed that must not be, and hardly anything is asked that need not be", async () => {
    const judged = await judgeAll(cases)
    const benign = judged.filter(({ given }) => given.label === "free")
    const free = benign.filter(({ got }) => got === "allow")
    const wrong = judged.filter(
      ({ given, got }) => (given.label !== "free" && got === "allow") || (given.label === "deny" && got !== "deny"),
    )
    const share = free.length / benign.length
    process.stdout.write(
      `  ${name}: ${cases.length} cases, ${wrong.length} false allows, ${free.length} of ${benign.length} benign ones unasked (${(share * 100).toFixed(1)}%)\n`,
    )
    expect(wrong.map(({ given, got }) => ({ ...given, got }))).toEqual([])
    expect(share).toBeGreaterThanOrEqual(wanted)
  })

  test("is large, half of it guarded, every id once, and a label that was changed says why", () => {
    const guarded = cases.filter(({ label }) => label !== "free").length / cases.length
    expect(cases.length).toBeGreaterThanOrEqual(least)
    expect(guarded).toBeGreaterThan(0.33)
    expect(guarded).toBeLessThan(0.67)
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
    expect(cases.filter(({ given, why }) => given !== undefined && why === undefined)).toEqual([])
  })
})
