/** The state of the repository was told once, at the beginning: after a commit or a checkout the model still had the old one. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { execFileSync } from "node:child_process"
import type { Entry } from "#agent/words/entry.ts"
import { openTestSession, type TestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

setDefaultTimeout(100_000)

const states = (t: TestSession): readonly string[] =>
  t
    .entries()
    .filter((entry): entry is Entry & { readonly kind: "attachment" } => entry.kind === "attachment")
    .flatMap(({ name, text }) => (name === "git_status" ? [text] : []))

const git = (t: TestSession, ...argv: readonly string[]): void =>
  void execFileSync("git", ["-C", t.root, "-c", "user.name=a", "-c", "user.email=a@b.c", ...argv], { stdio: "ignore" })

test("after a commit, by whomever, and after a checkout the state is told again, and only then", async () => {
  await using first = await openTestSession({
    files: { "a.txt": "a\n" },
    script: [
      says("Hello."),
      calls(bash("git add . && git -c user.name=a -c user.email=a@b.c commit -qm 'Add the letter'")),
      calls(bash("sleep 0.5")),
      says("Committed."),
      ...Array.from({ length: 6 }, () => says("Fine.")),
    ],
  })
  git(first, "init", "-b", "main")
  await using t = await first.reopen({ place: { trusted: true } })
  await t.prompt("hello")
  const [begun = ""] = states(t)
  expect(begun).toContain("?? a.txt")
  await t.prompt("commit it")
  expect(
    states(t)
      .slice(1)
      .map((text) => [text.includes("(clean)"), text.includes("Add the letter")]),
  ).toEqual([[true, true]])
  await t.prompt("go on")
  expect(states(t)).toHaveLength(2)
  git(t, "checkout", "-q", "-b", "other")
  await t.prompt("look")
  while (states(t).length < 3) await t.prompt("and now?")
  expect(states(t)[2]).toContain("Branch: other")
})
