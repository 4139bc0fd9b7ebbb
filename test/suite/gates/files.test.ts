/** The files gate: what a call created is shown in full, kept or removed as the user says, before anything else acts. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Answer, Question, QuestionAsk } from "#agent/words/question.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, write } from "../../kit/script.ts"
import { cast, task } from "../subagents/cast.ts"

const base: Omit<TestSessionOptions, "script"> = {
  gates: { files: true },
  mode: "bypassPermissions",
  bypassAvailable: true,
  files: { "old.txt": "old\n", ".gitignore": "build/\n" },
}

/** Answers each review with the next of these. */
function reviews(...answers: readonly (Answer | undefined)[]) {
  const left = [...answers]
  const seen: (QuestionAsk & { kind: "permission" })[] = []
  const answer = ({ ask }: Question): Answer | undefined => {
    if (ask.kind === "permission") seen.push(ask)
    return left.shift()
  }
  return { seen, answers: answer }
}
const yes: Answer = { kind: "allow" }
const no: Answer = { kind: "deny", words: "Not like this.", interrupt: false }
const contents = (t: TestSession): readonly string[] => t.results().map(({ content }) => String(content))
const linesOf = (ask: QuestionAsk & { kind: "permission" }): readonly string[] => {
  const { display } = ask
  const files = display?.kind === "diff" ? [display] : display?.kind === "diffs" ? display.files : []
  return files.map(
    ({ path, hunks }) => `${path.replace(/^.*\/project\//, "")}: ${hunks.flatMap(({ lines }) => lines).join("|")}`,
  )
}

test("a new file is shown whole and kept; an edit of an old one is not asked about", async () => {
  const { seen, answers } = reviews(yes)
  await using t = await openTestSession({
    ...base,
    answers,
    script: [
      calls(write("new.txt", "one\ntwo\n")),
      calls(read("old.txt")),
      calls(edit("old.txt", "old", "new")),
      says("Done."),
    ],
  })
  await t.prompt("go")
  expect(seen.map(({ question, tool }) => [tool, question])).toEqual([["Write", "Keep the new file new.txt?"]])
  expect(seen.flatMap(linesOf)).toEqual(["new.txt: +one|+two"])
  expect(t.read("new.txt")).toBe("one\ntwo\n")
  expect(t.results().every(({ isError }) => !isError)).toBe(true)
})

test("rejected with words: it is removed, and the model is told", async () => {
  const { answers } = reviews(no, yes)
  await using t = await openTestSession({
    ...base,
    answers,
    script: [calls(write("new.txt", "one\n")), calls(write("other.txt", "two\n")), says("Done.")],
  })
  await t.prompt("go")
  expect(existsSync(t.path("new.txt"))).toBe(false)
  expect(t.read("other.txt")).toBe("two\n")
  expect(contents(t)[0]).toContain("new.txt was removed. They say: Not like this.")
  expect((await t.ask({ type: "completed" })).map(({ state }) => state)).toEqual(["denied", "allowed"])
})

test("rejected and kept, if the answer says so", async () => {
  const { answers } = reviews({ ...no, keep: true })
  await using t = await openTestSession({ ...base, answers, script: [calls(write("new.txt", "one\n")), says("Done.")] })
  await t.prompt("go")
  expect(t.read("new.txt")).toBe("one\n")
  expect(contents(t)[0]).toContain("still there")
})

test("what a command created, however it did, and nothing that is ignored", async () => {
  const { seen, answers } = reviews(no)
  await using t = await openTestSession({
    ...base,
    answers,
    script: [
      calls(
        bash(
          "mkdir -p sub build; for n in a b; do echo $n > sub/$n.txt; done; echo x > build/out; echo more >> old.txt",
        ),
      ),
      says("Done."),
    ],
  })
  await t.prompt("go")
  expect(seen.flatMap(linesOf)).toEqual(["sub/a.txt: +a", "sub/b.txt: +b"])
  expect([existsSync(t.path("sub/a.txt")), existsSync(t.path("build/out"))]).toEqual([false, true])
  expect(t.read("old.txt")).toBe("old\nmore\n")
})

test("a file with more lines than are shown says so, and is asked about although creating it was allowed", async () => {
  const { seen, answers } = reviews(yes, yes)
  const long = Array.from({ length: 4200 }, (_, i) => `${i}\n`).join("")
  await using t = await openTestSession({
    ...base,
    mode: "default",
    allow: [],
    answers,
    script: [calls(write("long.txt", long)), says("Done.")],
  })
  await t.prompt("go")
  const [, review] = seen
  expect(review?.question).toBe("Keep the new file long.txt?")
  expect(review?.display).toMatchObject({ kind: "diff", unshown: 200 })
  expect(review?.risks).toEqual([expect.stringMatching(/^200 lines of long\.txt are not shown \(\d+ bytes, \w{12}\)$/)])
})

test("what was allowed with all its content is not shown twice; what was allowed unseen is", async () => {
  const { seen, answers } = reviews({ ...yes, updatedInput: { file_path: "new.txt", content: "one\n" } }, yes, yes)
  await using t = await openTestSession({
    ...base,
    mode: "default",
    allow: [],
    answers,
    script: [calls(write("new.txt", "one\n")), calls(bash("echo two > second.txt")), says("Done.")],
  })
  await t.prompt("go")
  expect(seen.map(({ question }) => question)).toEqual([
    "Create new.txt?",
    "Run this command?",
    "Keep the new file second.txt?",
  ])
})

test("what an agent was allowed to create with all its content is not shown twice either", async () => {
  const { seen, answers } = reviews(yes, yes, yes, yes)
  await using t = await openTestSession({
    ...base,
    mode: "default",
    allow: [],
    answers,
    script: cast({
      main: [calls(task("alpha")), says("Done.")],
      alpha: [calls(write("new.txt", "one\n")), calls(bash("echo two > second.txt")), says("alpha did it")],
    }),
  })
  await t.prompt("go")
  expect(seen.map(({ question }) => question)).toEqual([
    "Create new.txt?",
    "Run this command?",
    "Keep the new file second.txt?",
  ])
  expect([t.read("new.txt"), t.read("second.txt")]).toEqual(["one\n", "two\n"])
})

test("nobody can be asked: the file is removed and the model told", async () => {
  await using t = await openTestSession({ ...base, script: [calls(write("new.txt", "one\n")), says("Done.")] })
  await t.prompt("go")
  expect(existsSync(t.path("new.txt"))).toBe(false)
  expect(contents(t)[0]).toContain("nobody can do that now")
  expect(t.results()[0]?.denied).toBeDefined()
})

test("an agent's files are reviewed too", async () => {
  const { seen, answers } = reviews(no)
  await using t = await openTestSession({
    ...base,
    answers,
    script: cast({
      main: [calls(task("alpha")), says("Done.")],
      alpha: [calls(write("new.txt", "x\n")), says("alpha tried")],
    }),
  })
  await t.prompt("go")
  expect(seen).toHaveLength(1)
  expect(existsSync(t.path("new.txt"))).toBe(false)
})

for (const [name, answer, isThere] of [
  ["allowed", yes, true],
  ["rejected", no, false],
] as const)
  test(`closed during the review, ${name} later: the call is not run again, and the question is the same`, async () => {
    await using t = await openTestSession({
      ...base,
      answers: () => undefined,
      script: [calls(bash("echo once >> count.txt")), says("Done.")],
    })
    t.say("go")
    const before = await t.until(({ type }) => type === "question_open")
    expect((await t.ask({ type: "stage" })).stage).toBe("awaiting_tool_approval")
    await using again = await t.reopen({ gates: {}, answers: () => answer })
    await again.settled()
    const asked = again.entries().flatMap((entry) => (entry.kind === "question" ? [entry.question.id] : []))
    expect(asked).toEqual([before.type === "question_open" ? before.question.id : ""])
    expect(existsSync(again.path("count.txt"))).toBe(isThere)
    if (isThere) expect(again.read("count.txt")).toBe("once\n")
    expect(again.results()).toHaveLength(1)
    expect((await again.ask({ type: "stage" })).stage).toBe("completed")
  })

test("a file that was changed while the question was open is asked about anew, and never removed unseen", async () => {
  await using t = await openTestSession({
    ...base,
    answers: () => undefined,
    script: [calls(write("new.txt", "one\n")), says("Done.")],
  })
  t.say("go")
  await t.until(({ type }) => type === "question_open")
  await t.session.close()
  writeFileSync(t.path("new.txt"), "mine\n")
  const { seen, answers } = reviews(no)
  await using again = await t.reopen({ answers })
  await again.settled()
  expect(seen.flatMap(linesOf)).toEqual(["new.txt: +mine"])
  expect(existsSync(again.path("new.txt"))).toBe(false)
})

test("every cut of the log between the call and its result ends in a review or says that it is unknown", async () => {
  await using t = await openTestSession({
    ...base,
    answers: () => yes,
    script: [calls(write("new.txt", "one\n")), ...Array.from({ length: 40 }, () => says("Done."))],
  })
  await t.prompt("go")
  await t.session.close()
  const lines = readFileSync(t.logPath, "utf8").split("\n")
  const made = lines.findIndex((line) => line.includes('"subtype":"made"'))
  const result = lines.findIndex((line) => line.includes('"tool_result"'))
  expect(result - made).toBeGreaterThan(1)
  for (let cut = made + 1; cut <= result; cut++) {
    writeFileSync(t.logPath, `${lines.slice(0, cut).join("\n")}\n`)
    writeFileSync(t.path("new.txt"), "one\n")
    await using again = await t.reopen({ answers: () => yes })
    await again.settled()
    expect([cut, String(again.results()[0]?.content)]).toEqual([cut, expect.stringContaining("Created")])
    expect(again.entries().filter(({ kind }) => kind === "intent")).toHaveLength(1)
    await again.session.close()
  }
})

test("a review that was interrupted comes before the next call that acts", async () => {
  const { seen, answers } = reviews(undefined, no, yes)
  await using t = await openTestSession({
    ...base,
    answers,
    script: [
      calls(write("new.txt", "one\n")),
      calls(bash("echo x > second.txt")),
      calls(bash("echo x > third.txt")),
      says("Done."),
    ],
  })
  t.say("go")
  await t.until(({ type }) => type === "question_open")
  await t.session.submit({ type: "interrupt" })
  await t.settled()
  expect(existsSync(t.path("new.txt"))).toBe(true)
  await t.prompt("go on")
  expect(seen.map(({ question }) => question)).toEqual([
    "Keep the new file new.txt?",
    "Keep the new file new.txt?",
    "Keep the new file third.txt?",
  ])
  expect([existsSync(t.path("new.txt")), existsSync(t.path("second.txt")), existsSync(t.path("third.txt"))]).toEqual([
    false,
    false,
    true,
  ])
})
