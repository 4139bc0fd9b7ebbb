/** Files that become code later, in whole sessions: nothing is written unasked, a yes counts once, and undo brings them back. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import type { Answer, Question } from "#agent/words/question.ts"
import { act, promptId } from "../../kit/going-back.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"

const notebook = '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}'
const multiEdit = use("MultiEdit", { file_path: ".npmrc", edits: [{ old_string: "a=1", new_string: "a=2" }] })
const notebookEdit = use("NotebookEdit", {
  notebook_path: ".husky/n.ipynb",
  new_source: "x",
  edit_mode: "insert",
  cell_type: "code",
})

const files = { ".npmrc": "a=1\n", ".husky/n.ipynb": notebook, x: "echo\n", "template/.husky/pre-commit": "echo\n" }

const attempts = [
  write(".github/workflows/ci.yml", "on: push\n"),
  edit(".npmrc", "a=1", "a=2"),
  multiEdit,
  notebookEdit,
  bash("cp x .husky/pre-commit"),
  bash("mv x .git-hooks"),
  bash("echo x >> .npmrc"),
  bash("sed -i s/1/2/ .npmrc"),
  bash("ln -s x .envrc"),
  bash("mkdir -p .circleci"),
  bash("cp -r template app"),
]

const unchanged = (t: TestSession): readonly unknown[] => [
  t.read(".npmrc"),
  t.read(".husky/n.ipynb"),
  ...[".github", ".husky/pre-commit", ".git-hooks", ".envrc", ".circleci", "app"].map((name) =>
    existsSync(t.path(name)),
  ),
]
const asBefore = ["a=1\n", notebook, false, false, false, false, false, false]

for (const mode of ["acceptEdits", "bypassPermissions"] as const)
  test(`${mode}: each attempt is asked about with its reason, and a no leaves everything as it was`, async () => {
    const asked: string[] = []
    const answers = ({ ask }: Question): Answer => {
      if (ask.kind === "permission") {
        const { reason } = ask.decision
        asked.push(reason.kind === "tool_check" ? reason.check : reason.kind)
        expect(ask.destinations).toBeUndefined()
      }
      return { kind: "deny", words: "Not this one.", interrupt: false }
    }
    await using t = await openTestSession({
      script: [
        calls(read(".npmrc"), use("NotebookRead", { notebook_path: ".husky/n.ipynb" })),
        ...attempts.map((attempt) => calls(attempt)),
        says("Done."),
      ],
      mode,
      bypassAvailable: true,
      files,
      answers,
    })
    await t.prompt("go")
    expect(asked.map((check) => check.replaceAll(t.path(""), ""))).toEqual([
      ".github/workflows/ci.yml is protected: CI runs it, with the secrets of the project",
      ".npmrc is protected: it decides where packages come from and what npm runs",
      ".npmrc is protected: it decides where packages come from and what npm runs",
      ".husky/n.ipynb is protected: Git runs hooks from this folder",
      ".husky/pre-commit is protected: Git runs hooks from this folder",
      ".git-hooks is protected: Git runs hooks from this folder",
      ".npmrc is protected: it decides where packages come from and what npm runs",
      ".npmrc is protected: it decides where packages come from and what npm runs",
      ".envrc is protected: direnv runs it when a shell enters the folder",
      ".circleci is protected: CI runs it, with the secrets of the project",
      "app/.husky is protected: Git runs hooks from this folder",
    ])
    expect(unchanged(t)).toEqual(asBefore)
  })

test("where nobody can be asked, nothing is written", async () => {
  await using t = await openTestSession({
    script: [calls(read(".npmrc")), ...attempts.map((attempt) => calls(attempt)), says("Done.")],
    mode: "acceptEdits",
    files,
  })
  await t.prompt("go")
  expect(
    t
      .results()
      .slice(1)
      .every(({ isError }) => isError),
  ).toBe(true)
  expect(unchanged(t)).toEqual(asBefore)
})

test("a yes is for that very edit, and undo brings the file back without a question", async () => {
  let asked = 0
  const answers = (): Answer => {
    asked++
    return { kind: "allow" }
  }
  await using t = await openTestSession({
    script: [
      calls(read(".npmrc")),
      calls(edit(".npmrc", "a=1", "a=2")),
      calls(edit(".npmrc", "a=2", "a=3")),
      calls(bash("mkdir .circleci && cp x .circleci/config.yml")),
      says("Done."),
    ],
    mode: "acceptEdits",
    files,
    answers,
  })
  await t.prompt("go")
  expect([asked, t.read(".npmrc"), t.read(".circleci/config.yml")]).toEqual([3, "a=3\n", "echo\n"])
  await act(t, { type: "rewind", promptId: promptId(t, "go"), what: "files" })
  expect([asked, t.read(".npmrc"), existsSync(t.path(".circleci/config.yml"))]).toEqual([3, "a=1\n", false])
})
