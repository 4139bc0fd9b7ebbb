/**
 * A part was judged to only read because git's programs would be off and the sandbox would be there; then one part that
 * writes, or that a rule names, took both from the whole line.
 */

import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openTestSession, type TestSession, type TestSessionOptions } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"
import { shareOf } from "../kit/turns.ts"

const key = "-----BEGIN OPENSSH PRIVATE KEY-----"

/** A repository whose configuration names a program, links that lead to a key, and a project's own test command. */
async function openHostile(command: string, options: Partial<TestSessionOptions>): Promise<TestSession> {
  const t = await openTestSession({
    script: [calls(bash(command)), says("Understood.")],
    files: { "a.txt": "words\n", "d1/same": "1\n", "d2/same": "2\n", "run-tests": "#!/bin/sh\necho tested\n" },
    allow: [],
    ...options,
  })
  const git = (...args: readonly string[]): void => {
    const { exitCode, stderr } = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: t.root,
    })
    if (exitCode !== 0) throw new Error(stderr.toString())
  }
  git("init", "-q")
  git("add", "a.txt")
  git("commit", "-qm", "first")
  writeFileSync(t.path("a.txt"), "other words\n")
  const mark = t.path("../ran")
  git("config", "core.fsmonitor", `touch '${mark}'; false`)
  mkdirSync(t.path(".git/hooks"), { recursive: true })
  writeFileSync(t.path(".git/hooks/post-index-change"), `#!/bin/sh\ntouch '${mark}'\n`)
  for (const file of [".git/hooks/post-index-change", "run-tests"]) chmodSync(t.path(file), 0o755)
  mkdirSync(t.path("../elsewhere"), { recursive: true })
  writeFileSync(t.path("../elsewhere/x"), "named by a rule\n")
  writeFileSync(t.path("../elsewhere/key"), `${key}\n`)
  symlinkSync("../../elsewhere/key", t.path("d1/key"))
  writeFileSync(t.path("d2/key"), "no key\n")
  return t
}

const hasRun = (t: TestSession): boolean => existsSync(t.path("../ran"))
const outputs = (t: TestSession): string => JSON.stringify(t.results().map(({ content }) => content))

/** Without bubblewrap nothing can be confined. */
const machines: readonly (readonly [string, Partial<TestSessionOptions>])[] = [
  ["with a sandbox", {}],
  ["without one", { place: { bubblewrap: [] } }],
]

describe.each(machines.map((each, nth) => [...each, nth] as const))("%s", (_, machine, nth) => {
  const share = <T>(cases: readonly T[]): readonly T[] => shareOf(cases, nth, machines.length)

  const edits = { ...machine, mode: "acceptEdits" } as const
  const rule = { ...machine, mode: "default", allow: ["Bash(./run-tests:*)"] } as const

  test.each(
    share([
      ["git status > out.txt", edits],
      ["git status; touch zz", edits],
      ["git diff | tee out.txt", edits],
      ["git add a.txt && git status > out.txt", edits],
      ["git status && ./run-tests", rule],
      ["git diff --stat; ./run-tests", rule],
      ["if git diff --quiet; then echo same; else ./run-tests; fi", rule],
      ["for i in 1 2; do git status --short; done; ./run-tests", rule],
      ['echo "$(git status --short)" && ./run-tests', rule],
      ["f() { git status; }; f; ./run-tests", rule],
      ["find . -name a.txt -exec git diff {} + ; ./run-tests", rule],
      ["git ls-files | xargs git status --; ./run-tests", rule],
      ["git status; cat ../elsewhere/x", { ...machine, mode: "default", allow: ["Read(../elsewhere/**)"] } as const],
    ]),
  )("%s does not run what the repository names", async (command, options) => {
    await using t = await openHostile(command, options)
    await t.prompt("go")
    expect([hasRun(t), outputs(t)]).toEqual([false, expect.any(String)])
  })

  test.each(
    share([
      ["diff d1 d2 > out.txt; cat out.txt", edits],
      ["diff d1 d2; touch zz", edits],
      ["diff d1 d2; ./run-tests", rule],
      ["diff -r d1 d2 && ./run-tests", rule],
      ["diff d1 d2", { ...machine, mode: "default" } as const],
      ["diff d1 d2", { ...machine, mode: "plan" } as const],
    ]),
  )("%s shows nothing that a link leads to", async (command, options) => {
    await using t = await openHostile(command, { ...options, deny: ["Read(../elsewhere/key)"] })
    await t.prompt("go")
    expect(outputs(t)).not.toContain(key)
    await using undenied = await openHostile(command, options)
    await undenied.prompt("go")
    expect(outputs(undenied)).not.toContain(key)
  })
})

describe("what stays as it was", () => {
  test("lines of both kinds run unasked, each part with its result", async () => {
    const lines: readonly (readonly [string, Partial<TestSessionOptions>, RegExp])[] = [
      ["git status --short && ./run-tests", { mode: "default", allow: ["Bash(./run-tests:*)"] }, / M a\.txt.*tested/s],
      ["./run-tests 2>&1 | tail -1", { mode: "default", allow: ["Bash(./run-tests:*)"] }, /tested/],
      ["cd d1 && LC_ALL=C ls && ../run-tests", { mode: "default", allow: ["Bash(../run-tests:*)"] }, /same.*tested/s],
      ["git status --short > out.txt; cat out.txt", { mode: "acceptEdits" }, / M a\.txt/],
      [
        "mkdir -p new/deep && cp a.txt new/deep/ && mv new/deep/a.txt b.txt && cat b.txt",
        { mode: "acceptEdits" },
        /other/,
      ],
    ]
    for (const [command, options, expected] of lines) {
      await using t = await openHostile(command, options)
      await t.prompt("go")
      expect({ command, content: t.results()[0]?.content }).toEqual({
        command,
        content: expect.stringMatching(expected),
      })
      expect(t.results()[0]?.isError ?? false).toBe(false)
    }
  })

  test("a judged line can write what it names, and nothing beside it", async () => {
    // `red` counts as a reader in no table, so a file command stands for a mistake in one: the folder is not named.
    await using t = await openHostile("cp a.txt d1/copy.txt && cat a.txt > d2/out.txt", { mode: "acceptEdits" })
    await t.prompt("go")
    expect(t.results()[0]?.data?.["sandbox"]).toEqual({ by: "bubblewrap", as: "edits" })
    expect([existsSync(t.path("d1/copy.txt")), existsSync(join(t.root, "d2/out.txt"))]).toEqual([true, true])
  })
})
