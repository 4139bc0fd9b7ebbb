/** What a destructive command would cost is counted and said in the question, in a session as it is. */

import { expect, test } from "bun:test"
import type { Question } from "#agent/words/question.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

const git = (cwd: string, ...argv: string[]): void => {
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: cwd,
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b",
  }
  const { exitCode, stderr } = Bun.spawnSync(["git", "-c", "init.defaultBranch=main", ...argv], { cwd, env })
  if (exitCode !== 0) throw new Error(stderr.toString())
}

async function asked(command: string, trusted: boolean): Promise<readonly string[]> {
  const risks: string[] = []
  const answers = ({ ask }: Question) => {
    if (ask.kind === "permission") risks.push(...(ask.risks ?? []))
    return { kind: "deny", interrupt: false } as const
  }
  await using t = await openTestSession({
    files: { "a.txt": "a\n", "b.txt": "b\n", "data/1": "1", "data/2": "2", "data/deep/3": "3" },
    script: [calls(bash(command)), says("Done.")],
    answers,
    allow: [],
    place: { trusted },
  })
  git(t.root, "init", "-q")
  git(t.root, "add", "a.txt", "b.txt")
  git(t.root, "commit", "-qm", "first")
  await Bun.write(t.path("a.txt"), "changed\n")
  await Bun.write(t.path("b.txt"), "changed too\n")
  await t.prompt("go")
  return risks
}

test("how many files a removal would take, and how many changes a reset would lose", async () => {
  expect((await asked("rm -rf data", true)).join("\n")).toContain("3 files")
  expect((await asked("git reset --hard", true)).join("\n")).toMatch(/\b2\b/)
})

test("without trust git is not asked, and the risk is said all the same", async () => {
  const risks = (await asked("git reset --hard", false)).join("\n")
  expect(risks).not.toBe("")
  expect(risks).not.toMatch(/\b2\b/)
})
