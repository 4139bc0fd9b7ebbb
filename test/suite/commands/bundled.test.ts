/** What comes with the program: /commit in a real repository, and the others as they are listed. */

import { afterEach, expect, test } from "bun:test"
import { play } from "#sim/demo/play.ts"
import type { Reply } from "#sim/reply.ts"
import type { Scenario, ScenarioBlock } from "#sim/scenario.ts"
import { bundledCommands } from "#kits/commands/builtin/all.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

const open: TestSession[] = []
afterEach(async () => {
  for (const session of open.splice(0).toReversed()) await session[Symbol.asyncDispose]()
})

const trailer = "Co-Authored-By: Codewright <noreply@codewright.invalid>"

async function start(options: TestSessionOptions): Promise<TestSession> {
  const session = await openTestSession({
    allow: [],
    mode: "default",
    extensions: { claudeFolder: "/nonexistent", bundled: true, trailer },
    ...options,
    place: { trusted: true, ...options.place },
  })
  open.push(session)
  return session
}

function git(t: TestSession, ...args: readonly string[]): string {
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
  const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...author, ...args], { cwd: t.root })
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString()
}

function repository(t: TestSession): void {
  git(t, "init", "-q", "-b", "main")
  git(t, "config", "user.name", "Ada")
  git(t, "config", "user.email", "ada@example.com")
  git(t, "add", "-A")
  git(t, "commit", "-q", "-m", "feat: begin")
}

const demo: Scenario = (request) => ({
  content: play(request).content.flatMap((block: Reply["content"][number]): readonly ScenarioBlock[] => {
    if (block.type === "text") return [block.text]
    return block.type === "tool_use" ? [{ tool: block.name, input: block.input }] : []
  }),
})

test("the demo answers /commit: it sees status, difference and log, and nobody has to allow anything", async () => {
  const t = await start({ script: demo, files: { "a.txt": "one\n", ".env": "KEY=1\n" } })
  repository(t)
  await Bun.write(t.path("a.txt"), "two\n")
  await Bun.write(t.path(".env"), "KEY=2\n")
  expect(await t.prompt("/commit")).toEqual({ reason: "completed" })
  expect(t.results().map(({ isError }) => isError)).toEqual([false, false])
  expect(git(t, "log", "-n1", "--format=%B").trim()).toBe(`chore: update a.txt\n\n${trailer}`)
  expect(git(t, "status", "--short").trim()).toBe("M .env")
  const prompt = t.entries().find((entry) => entry.kind === "prompt")
  const text = JSON.stringify(prompt)
  for (const words of ["## main", " M a.txt", "-one", "+two", "feat: begin"]) expect(text).toContain(words)
})

test("with nothing to commit it says so, and outside of a repository it is not stuck", async () => {
  const t = await start({ script: demo, files: { "a.txt": "one\n" } })
  await t.prompt("/commit")
  expect(t.results()).toEqual([])
  expect(JSON.stringify(t.entries().findLast(({ kind }) => kind === "reply"))).toContain("There is nothing to commit.")
})

test("/commit allows git add, status and commit, and nothing else, and only in its turn", async () => {
  const t = await start({
    script: [
      calls(bash("git add a.txt")),
      calls(bash("git push")),
      says("No."),
      calls(bash("git add b.txt")),
      says("No."),
    ],
    files: { "a.txt": "1", "b.txt": "2" },
  })
  repository(t)
  await t.prompt("/commit")
  await t.prompt("add the other one")
  expect(t.results().map(({ isError }) => isError)).toEqual([false, true, true])
})

test("without a trailer the words say that there is none", () => {
  const text = (given: string | undefined) => bundledCommands({ trailer: given })[0]?.body ?? ""
  expect(text(trailer)).toContain(trailer)
  expect(text(undefined)).not.toContain("Co-Authored-By")
})

test("every one of them is whole: a description, no problems, and a text within the budget of a skill", () => {
  const all = bundledCommands({ trailer })
  expect(all.map(({ name }) => name)).toEqual([
    "commit",
    "init",
    "review",
    "security-review",
    "pr-comments",
    "debugging",
    "writing-a-skill",
    "web-app-testing",
    "pdf",
    "spreadsheets",
    "slides",
    "pictures",
  ])
  for (const { description, problems, body } of all) {
    expect(description.length).toBeGreaterThan(20)
    expect(problems).toEqual([])
    expect(body.length).toBeLessThan(20_000)
  }
  expect(all.filter(({ isForModel }) => !isForModel).map(({ name }) => name)).toEqual([
    "security-review",
    "pr-comments",
  ])
})

test("skills for documents say what the machine has, without a question", async () => {
  for (const skill of ["pdf", "spreadsheets", "slides", "pictures"]) {
    const t = await start({ script: [calls(use("Skill", { skill })), says("ok")] })
    await t.prompt("go")
    const text = String(t.results()[0]?.content)
    expect(text).toContain("On this machine there are")
    expect(text).not.toContain("[Not run")
    expect(text).toMatch(/<command-output>\s*\S/)
  }
})
