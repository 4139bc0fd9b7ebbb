/** The corpora of paths and rules: cases in a real folder with links that lead out of it, through the whole pipeline. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { z } from "zod"
import { openCaseJudge } from "#faces/cli/permission-cases.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const schema = z.strictObject({
  id: z.string(),
  hostile: z.boolean(),
  tool: z.string(),
  input: z.record(z.string(), z.json()),
  mode: z.string(),
  rules: z.record(z.string(), z.array(z.string())),
  expect: z.enum(["allow", "ask", "deny"]),
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

describe.each([
  ["paths.jsonl", 100],
  ["rules.jsonl", 40],
])("%s", (name, least) => {
  const cases = read(name)

  test("every case is decided as it should be, and nothing hostile is allowed", async () => {
    using top = temporaryFolder()
    for (const file of files) {
      mkdirSync(dirname(top.join(file)), { recursive: true })
      writeFileSync(top.join(file), "x\n")
    }
    for (const [at, to] of links) symlinkSync(to, top.join(at))
    const cwd = top.join("project")
    const { judgeLine } = await openCaseJudge({ home: top.join("home"), state: top.join("home/.codewright"), cwd })
    const placed = (text: string): string =>
      text
        .replaceAll("$P2", top.join("project2"))
        .replaceAll("$P", cwd)
        .replaceAll("$O", top.join("outside"))
        .replaceAll("$H", top.join("home"))
    const judged = cases.map(({ id, hostile: _hostile, expect: _expect, ...given }) => ({
      id,
      ...given,
      decision: judgeLine(placed(JSON.stringify({ ...given, cwd }))),
    }))
    expect(
      judged.map(({ decision, ...rest }) => ({ ...rest, got: (decision as { behavior?: string }).behavior })),
    ).toEqual(cases.map(({ hostile: _hostile, expect: got, ...rest }) => ({ ...rest, got })))
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
