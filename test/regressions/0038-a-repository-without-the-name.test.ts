/** Accepted edits built a repository without the name `.git`, piece by piece, and the user's git ran what it named. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Question } from "#agent/words/question.ts"
import { hasRepositoryShape } from "#ground/workspace/git/repository-shape.ts"
import type { ScenarioBlock } from "#sim/scenario.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, edit, read, says, write } from "../kit/script.ts"
import { temporaryFolder } from "../kit/tmp.ts"
import { diskRealPath, edit as judgedEdit } from "../unit/kits/permissions/judge.ts"
import { runs } from "../kit/runs.ts"

/** How many of these calls were asked about, in a mode that accepts edits; the user says yes. */
async function asked(blocks: readonly ScenarioBlock[], files: Record<string, string> = {}): Promise<readonly number[]> {
  const questions: Question[] = []
  await using t = await openTestSession({
    script: [...blocks.map((block) => calls(block)), says("Done.")],
    mode: "acceptEdits",
    allow: [],
    files,
    answers: (question) => (questions.push(question), { kind: "allow" }),
  })
  await t.prompt("go")
  const ids = new Set(questions.flatMap(({ ask }) => (ask.kind === "permission" ? [ask.callId] : [])))
  return t.results().flatMap(({ callId }, i) => (ids.has(callId) ? [i] : []))
}

const head = "ref: refs/heads/main\n"
const evil = '[core]\n\tfsmonitor = "touch x; false"\n'
const made = { "docs/HEAD": head, "docs/objects/x": "", "docs/refs/x": "" }

const attacks: readonly (readonly [string, readonly ScenarioBlock[], readonly number[], Record<string, string>?])[] = [
  [
    "four writes",
    [write("docs/HEAD", head), write("docs/config", evil), write("docs/objects/x", ""), write("docs/refs/x", "")],
    [3],
  ],
  ["settings last", [write("docs/objects/x", ""), write("docs/refs/x", ""), write("docs/config", evil)], [2]],
  ["with the parts elsewhere", [write("docs/commondir", "../x"), write("docs/HEAD", head)], [1]],
  ["settings of one that is there", [write("docs/config", evil)], [0], made],
  [
    "its settings, edited",
    [read("docs/config"), edit("docs/config", "[a]", "[b]")],
    [1],
    { ...made, "docs/config": "[a]\n" },
  ],
  ["its hooks", [write("docs/hooks/post-commit", "x")], [0], made],
  ["its other parts", [write("docs/commondir", "../y"), write("docs/gitdir", "../y")], [0, 1], made],
  ["in other letters", [write("docs/Config", evil)], [0], made],
  ["one line", [bash("mkdir -p docs/objects docs/refs && echo x > docs/HEAD")], [0]],
  ["a line that completes it", [bash("mkdir -p docs/objects docs/refs"), bash("echo x > docs/HEAD")], [1]],
  ["a copied file", [bash("cp a.txt docs/config")], [0], { ...made, "a.txt": evil }],
  ["a moved file", [bash("mv a.txt docs/HEAD")], [0], { "docs/objects/x": "", "docs/refs/x": "", "a.txt": head }],
  ["a moved folder", [bash("mv objects docs/")], [0], { "docs/HEAD": head, "docs/refs/x": "", "objects/x": "" }],
  ["a copied repository", [bash("cp -r docs copy")], [0], { ...made, "docs/config": evil }],
  [
    "into a folder",
    [bash("cp -r parts/. docs")],
    [0],
    { "docs/HEAD": head, "parts/objects/x": "", "parts/refs/x": "" },
  ],
]

test.each(attacks.map((row) => [row[0], row] as const))("asks: %s", async (_name, [, blocks, expected, files]) => {
  expect(await asked(blocks, files)).toEqual(expected)
})

const twins: readonly (readonly [string, readonly ScenarioBlock[], Record<string, string>?])[] = [
  [
    "settings in ordinary folders",
    [write("docs/config", "a"), write("config", "a"), bash("echo x > src/config")],
    { "src/a": "" },
  ],
  [
    "code with such names",
    [
      write("src/objects/x.ts", ""),
      write("src/refs/y.ts", ""),
      write("src/hooks/useRefs.ts", ""),
      write("src/config.ts", ""),
    ],
  ],
  ["a file called HEAD", [write("docs/HEAD", "x"), write("docs/config", "x"), write("docs/refs.md", "x")]],
  [
    "settings in a folder of that name",
    [write("src/config/index.ts", ""), write("src/objects/head.ts", "")],
    { "src/refs/x": "" },
  ],
  [
    "objects of one that is there",
    [write("docs/objects/y", "x"), write("docs/refs/heads/y", "x"), write("docs/description", "x")],
    made,
  ],
  [
    "copies of ordinary folders",
    [bash("cp -r src lib"), bash("mv lib lib2")],
    { "src/objects/a": "", "src/config": "" },
  ],
]

test.each(twins.map((row) => [row[0], row] as const))("stays unasked: %s", async (_name, [, blocks, files]) => {
  expect(await asked(blocks, files)).toEqual([])
})

test("whatever the order, no folder becomes a repository by accepted writes alone", () => {
  const parts = ["HEAD", "objects/x", "refs/x", "config", "commondir", "hooks/pre-push", "gitdir", "readme"]
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...parts), { minLength: 1 }), (order) => {
      using folder = temporaryFolder()
      const written = order.filter((part) => {
        const path = folder.join("docs", part)
        const { behavior } = judgedEdit(path, {
          mode: "acceptEdits",
          workspace: { root: folder.path },
          cwd: folder.path,
          realPath: diskRealPath,
        })
        if (behavior !== "allow") return false
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, "x")
        return true
      })
      const names = new Set(written.map((part) => part.split("/")[0] ?? ""))
      expect(hasRepositoryShape(names)).toBe(false)
      expect(existsSync(join(folder.path, "docs/HEAD")) && names.has("objects") && names.has("refs")).toBe(false)
    }),
    { ...runs(25) },
  )
})
