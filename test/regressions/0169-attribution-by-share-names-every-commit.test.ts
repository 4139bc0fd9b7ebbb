/** With `attribution: "by-share"` every commit named the agent. It is named where it wrote something, with how much. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { appendFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openTestSession, type TestSession } from "../kit/open-test-session.ts"
import { calls, says, write } from "../kit/script.ts"

setDefaultTimeout(300_000)

const trailer = "Co-Authored-By: Agent <agent@example.com>"

function git(root: string, ...argv: string[]): void {
  const env = { PATH: "/usr/bin:/bin", HOME: join(root, "..") }
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
  const ran = spawnSync("git", [...who, ...argv], { cwd: root, env, encoding: "utf8" })
  if (ran.status !== 0) throw new Error(ran.stderr)
}

/** What /commit says about trailers, after the session wrote `a.txt` and somebody did something. */
async function toldAfter(act: (t: TestSession) => void): Promise<string> {
  await using first = await openTestSession({
    files: { "old.txt": "old\n" },
    place: { trusted: true },
    extensions: { claudeFolder: "/nonexistent", bundled: true, trailer, trailerBy: "share" },
    script: [calls(write("a.txt", "0123456789\n")), says("Written."), says("Committed.")],
  })
  git(first.root, "init", "-q")
  git(first.root, "add", "-A")
  git(first.root, "commit", "-qm", "first")
  // The session looks for the repository when it is opened.
  await using t = await first.reopen()
  await t.prompt("write it")
  act(t)
  await t.prompt("/commit")
  return /\n4\. (.*?)\n5\. /s.exec(JSON.stringify(t.requests().at(-1)).replaceAll("\\n", "\n"))?.[1] ?? ""
}

const asShare = (percent: string) =>
  `End the message with an empty line and these lines:\n${trailer}\nCodewright-Share: ${percent}`

test("all of it", async () => {
  expect(await toldAfter(() => {})).toBe(`End the message with an empty line and this line:\n${trailer}`)
})

test("a part of it, in a file of both and in files of one", async () => {
  expect(await toldAfter((t) => appendFileSync(t.path("a.txt"), "abcdefghij\n"))).toBe(asShare("50%"))
  expect(await toldAfter((t) => writeFileSync(t.path("mine.txt"), `${"x".repeat(30)}\n`))).toBe(asShare("25%"))
})

test("nothing of it: what is staged counts alone, and what was written and removed again does not", async () => {
  const none = "Add no trailer that names you or a tool."
  expect(
    await toldAfter((t) => {
      writeFileSync(t.path("old.txt"), "new\n")
      git(t.root, "add", "old.txt")
    }),
  ).toBe(none)
  expect(
    await toldAfter((t) => {
      rmSync(t.path("a.txt"))
      appendFileSync(t.path("old.txt"), "mine\n")
    }),
  ).toBe(none)
})
