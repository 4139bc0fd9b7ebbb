/** Commands that run unasked because they read are confined to reading, and ask once when they need more. */

import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import type { Answer, Question } from "#agent/words/question.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

const decisions = (story: readonly string[]): readonly string[] =>
  story.filter((line) => /^(?:decision|grant)/.test(line))

const confined = { by: "bubblewrap", as: "reader" }

test("how a command was confined is in its result", async () => {
  await using t = await openTestSession({
    script: [calls(bash("cat a.txt")), calls(bash("touch b.txt")), says("Done.")],
    files: { "a.txt": "hello\n" },
    allow: ["Bash(touch:*)"],
    mode: "default",
  })
  await t.prompt("go")
  expect(t.results().map(({ data }) => data?.["sandbox"])).toEqual([
    confined,
    { by: "none", because: expect.any(String) },
  ])
})

/** A database with a log beside it: whoever reads it has to write a file there, and cannot behind the wall. */
async function openWithDatabase(
  commands: readonly string[],
  answers?: (question: Question) => Answer | undefined,
): Promise<TestSession> {
  const t = await openTestSession({
    script: [...commands.map((command) => calls(bash(command))), says("Done.")],
    mode: "default",
    allow: [],
    answers,
  })
  const database = new Database(t.path("data.db"), { create: true })
  database.run("pragma journal_mode = wal")
  database.run("create table versions (version)")
  database.run("insert into versions values ('1.2.3')")
  database.close()
  return t
}

const hasSqlite = Bun.which("sqlite3") !== null
const view = "sqlite3 data.db 'select version from versions'"

test.skipIf(!hasSqlite)(
  "one that needs more is asked about, with what it needs, and runs again without the wall (needs sqlite3)",
  async () => {
    const asked: Question[] = []
    await using t = await openWithDatabase([view, view], (question) => {
      asked.push(question)
      const { ask } = question
      const rule = ask.kind === "permission" ? (ask.suggestedRule ?? "") : ""
      return { kind: "allow", grants: [{ rule, destination: "session" }] }
    })
    await t.prompt("go")
    expect(asked.length).toBe(1)
    expect(asked[0]?.ask).toMatchObject({
      kind: "permission",
      title: `Bash ${view}`,
      suggestedRule: expect.stringContaining("sqlite3"),
      decision: { message: expect.stringContaining("the sandbox refused") },
    })
    expect(decisions(t.story())).toEqual([
      "decision allow Bash by read_only",
      "grant",
      "decision allow Bash by person",
      "decision allow Bash by rule",
    ])
    const outside = { by: "none", because: expect.any(String) }
    expect(t.results().map(({ content, data }) => ({ content, sandbox: data?.["sandbox"] }))).toEqual([
      { content: "1.2.3", sandbox: outside },
      { content: "1.2.3", sandbox: outside },
    ])
  },
)

test.skipIf(!hasSqlite)(
  "a no leaves the first result, with a note, and is not asked again (needs sqlite3)",
  async () => {
    let asked = 0
    await using t = await openWithDatabase([view, view], () => {
      asked++
      return { kind: "deny", interrupt: true }
    })
    await t.prompt("go")
    expect(asked).toBe(1)
    const [first, second] = t.results().map(({ content }) => String(content))
    expect(first).toStartWith("Exit code 1")
    expect(first).toMatch(/\[The command ran read-only, and the sandbox refused: .*writing .*data\.db.*\.\]/)
    expect(first).toEndWith("and declined.]")
    expect(second).toMatch(/refused: .*\.\]$/)
    expect(t.results()[0]?.display).toMatchObject({
      output: expect.stringMatching(/\(the sandbox refused .*data\.db.*\)$/),
    })
  },
)

test.skipIf(!hasSqlite)("where nobody can be asked the model is told (needs sqlite3)", async () => {
  await using t = await openWithDatabase([view])
  await t.prompt("go")
  expect(String(t.results()[0]?.content)).toEndWith("[Nobody could be asked whether it may run without that.]")
})

test("what fails for other reasons, or does without, is told nothing of the sandbox", async () => {
  await using t = await openTestSession({
    script: [
      ...["grep x a.txt", "ls -l missing .", "jq . a.txt", "npm ls"].map((line) => calls(bash(line))),
      says("Done."),
    ],
    files: { "a.txt": "{" },
    mode: "default",
    allow: [],
  })
  await t.prompt("go")
  expect(t.results().map(({ isError, data }) => [isError, data?.["sandbox"]])).toEqual([
    [true, confined],
    [true, confined],
    [true, confined],
    [false, confined],
  ])
  expect(JSON.stringify(t.results().map(({ content }) => content))).not.toContain("sandbox")
})

test("without a sandbox only basic readers run unasked", async () => {
  await using t = await openTestSession({
    script: [calls(bash("cat a.txt")), calls(bash("jq . a.json")), says("Done.")],
    files: { "a.txt": "hello\n", "a.json": "{}\n" },
    mode: "default",
    allow: [],
    place: { platform: "plan9" },
  })
  await t.prompt("go")
  expect(decisions(t.story())).toEqual(["decision allow Bash by read_only", "decision deny Bash by no_one_to_ask"])
  expect(t.results()[0]?.data?.["sandbox"]).toEqual({ by: "none", because: expect.any(String) })
})
