/** The first request waited 100 ms for git's status: in a large repository, or on a busy machine, the model never learned it. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { openTestSession, type TestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

setDefaultTimeout(100_000)

const states = (t: TestSession): readonly string[] =>
  t
    .entries()
    .filter((entry): entry is Entry & { readonly kind: "attachment" } => entry.kind === "attachment")
    .flatMap(({ name, text }) => (name === "git_status" ? [text] : []))

const git = (t: TestSession, input: string, ...argv: readonly string[]): string =>
  execFileSync("git", ["-C", t.root, "-c", "user.name=a", "-c", "user.email=a@b.c", ...argv], {
    input,
    encoding: "utf8",
  }).trim()

test("a large repository: branch and commits at once, the status as soon as git has it, and once", async () => {
  await using first = await openTestSession({
    files: { "a.txt": "a\n" },
    script: [calls(bash("sleep 1")), calls(bash("sleep 1")), says("One."), says("Two.")],
  })
  git(first, "", "init", "-b", "main")
  git(first, "", "add", "-A")
  git(first, "", "commit", "-qm", "The first commit")
  // Entries of files that are not in the work tree make the list as large as that of ten thousand files.
  const blob = git(first, "", "rev-parse", "HEAD:a.txt")
  const long = "long-name-".repeat(20)
  const entries = Array.from({ length: 6_000 }, (_, i) => `100644 ${blob}\tgone/${long}${i}\n`)
  git(first, entries.join(""), "update-index", "--index-info")
  await using t = await first.reopen({ place: { trusted: true } })
  await t.prompt("hello")
  const [begun = "", status = "", ...others] = states(t)
  expect(begun).toContain("Branch: main\nMain branch: main\nStatus: not read yet")
  expect(begun).toContain("The first commit")
  expect(begun).not.toContain("gone/")
  expect(status).toContain("which was not known before")
  expect(status).toContain("AD gone/long-name")
  expect(others).toEqual([])
  await t.prompt("again")
  expect(states(t)).toHaveLength(2)
  expect(existsSync(t.path(".git/index.lock"))).toBe(false)
})
