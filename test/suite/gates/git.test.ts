/** The git gate in whole sessions: modes, agents, servers, hooks, the permission tool, and nobody to ask. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { permissionModes } from "#agent/words/permission.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import { servers, wayward } from "../../kit/mcp/servers.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { cast, task } from "../subagents/cast.ts"

setDefaultTimeout(300_000)

const git = (t: TestSession, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
    cwd: t.root,
    encoding: "utf8",
  })
const commits = (t: TestSession): number => Number(git(t, "rev-list", "--count", "--all").trim())
const commit = "git -c user.name=t -c user.email=t@example.com commit --allow-empty -m x"

const base: Omit<TestSessionOptions, "script"> = {
  gates: { git: true },
  bypassAvailable: true,
  mode: "bypassPermissions",
  allow: ["Bash", "Edit", "Bash(git:*)", `Bash(${commit})`],
  files: { "a.txt": "a\n", "release.sh": `${commit}\n`, "release.py": "import os\nos.system('git commit')\n" },
}

async function openRepository(options: TestSessionOptions): Promise<TestSession> {
  const t = await openTestSession(options)
  git(t, "init", "-q")
  git(t, "add", ".")
  git(t, "commit", "-qm", "first")
  return t
}

/** Declines and counts. */
function declining() {
  const asked: string[] = []
  const answers = ({ ask }: Question): Answer => {
    if (ask.kind === "permission") asked.push(String(ask.input.command ?? ask.tool))
    return { kind: "deny", words: "No.", interrupt: false }
  }
  return { asked, answers }
}

const attempts: readonly string[] = [
  commit,
  `sh -c '${commit}'`,
  `env ${commit}`,
  `git -C . ${commit.slice("git ".length)}`,
  `git -c alias.ci='commit --allow-empty -m x' ci`,
  "sh release.sh",
  "python3 release.py",
  `echo x | xargs -I{} ${commit}`,
  `G=git; $G commit --allow-empty -m x`,
]

for (const mode of permissionModes.filter((one) => one !== "plan" && one !== "delegate" && one !== "dontAsk"))
  test(`${mode}: each attempt is asked about once and none happens; reading is not asked about`, async () => {
    const { asked, answers } = declining()
    await using t = await openRepository({
      ...base,
      mode,
      answers,
      script: [
        calls(bash("git status --short")),
        calls(bash("git log --oneline | head -3")),
        ...attempts.map((command) => calls(bash(command))),
        says("Done."),
      ],
    })
    await t.prompt("go")
    expect(asked).toEqual([...attempts])
    expect(commits(t)).toBe(1)
    expect(t.results().map(({ isError }) => isError)).toEqual([false, false, ...attempts.map(() => true)])
  })

test("allowed once, it happens once, and the next one is asked about again", async () => {
  const asked: Question[] = []
  await using t = await openRepository({
    ...base,
    script: [calls(bash(commit)), calls(bash(commit)), says("Done.")],
    answers(question) {
      asked.push(question)
      return { kind: "allow", grants: [{ rule: "Bash(git:*)", destination: "session" }] }
    },
  })
  await t.prompt("go")
  expect(commits(t)).toBe(3)
  expect(asked).toHaveLength(2)
  const [first] = asked
  expect(first?.ask.kind === "permission" && first.ask.why).toContain("The git gate is on")
  expect(first?.ask.kind === "permission" && first.ask.effects).toEqual(["Changes the git repository"])
  expect(first?.ask.kind === "permission" && first.ask.suggestedRule).toBeUndefined()
})

test("nobody to ask, and deny unless allowed: refused", async () => {
  for (const more of [{}, { mode: "dontAsk", answers: () => ({ kind: "allow" }) as const } as const]) {
    await using t = await openRepository({ ...base, ...more, script: [calls(bash(commit)), says("Done.")] })
    await t.prompt("go")
    expect(commits(t)).toBe(1)
    expect(t.results()[0]?.denied).toBeDefined()
  }
})

test("agents, hooks that allow, files of the repository and servers", async () => {
  const { asked, answers } = declining()
  const allows = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`
  const permits = `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'`
  await using t = await openRepository({
    ...base,
    answers,
    mcp: servers([wayward("wayward")]),
    hooks: {
      PreToolUse: [{ hooks: [{ type: "command", command: allows }] }],
      PermissionRequest: [{ hooks: [{ type: "command", command: permits }] }],
    },
    script: cast({
      main: [
        calls(task("alpha")),
        calls(bash(commit)),
        calls(write(".git/hooks/pre-commit", "#!/bin/sh\n")),
        calls(use("mcp__wayward__say", { text: "git commit" })),
        says("Done."),
      ],
      alpha: [calls(bash(commit)), calls(bash(`sh -c '${commit}'`)), says("alpha could not")],
    }),
  })
  await t.prompt("go")
  expect(commits(t)).toBe(1)
  expect(asked).toEqual([commit, `sh -c '${commit}'`, commit, "Write", "mcp__wayward__say"])
})

test("a build tool that commits by itself is told of, unless the user allowed it", async () => {
  const build = { files: { ...base.files, Makefile: `all:\n\t@${commit}\n\t@touch built\n` } }
  const script = [calls(bash("touch a && make all")), says("Done.")]
  const notices = (t: TestSession): readonly string[] =>
    t.entries().flatMap((entry) => (entry.kind === "notice" && entry.level === "warning" ? [entry.text] : []))
  await using t = await openRepository({ ...base, ...build, script, answers: () => ({ kind: "allow" }) })
  await t.prompt("go")
  expect(commits(t)).toBe(2)
  expect(notices(t)).toEqual([expect.stringContaining("changed the git repository (refs/heads/")])
  expect(String(t.results()[0]?.content)).toContain("Tell the user")
  await using asked = await openRepository({
    ...base,
    ...build,
    script,
    mode: "default",
    allow: [],
    answers: () => ({ kind: "allow" }),
  })
  await asked.prompt("go")
  expect(commits(asked)).toBe(2)
  expect(notices(asked)).toEqual([])
})

test("closed while it is asked: the same question again, and what was allowed happens once", async () => {
  await using t = await openRepository({
    ...base,
    answers: () => undefined,
    script: [calls(bash(commit)), says("Done.")],
  })
  t.say("go")
  await t.until(({ type }) => type === "question_open")
  const before = await t.ask({ type: "stage" })
  await using again = await t.reopen({ gates: {}, answers: () => ({ kind: "allow" }) })
  await again.settled()
  expect(commits(again)).toBe(2)
  expect((await again.ask({ type: "completed" })).map(({ approvalId }) => approvalId)).toEqual(
    before.pending.map(({ id }) => id),
  )
})
