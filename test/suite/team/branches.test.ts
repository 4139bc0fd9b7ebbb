/** Members on branches of their own: what they commit is merged by the lead, and conflicts come back to them as a task. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { TeamOverview } from "#agent/words/team.ts"
import { systemClock } from "#lib/clock.ts"
import { readTeamOverview } from "#team/overview.ts"
import { openTeamKit } from "#team/team-kit.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { type Cast, cast, resultsOf, task } from "../subagents/cast.ts"

setDefaultTimeout(300_000)

const create = use("TeamCreate", { name: "crew" })
const member = (name: string) => task(name, { team_name: "crew", name })
const add = (subject: string, owner: string) => use("TaskCreate", { subject, description: `How: ${subject}`, owner })
const done = (taskId: string) => use("TaskUpdate", { taskId, status: "completed" })
const merge = (teammate: string) => use("MergeBranch", { teammate })
const commit = (message: string) => bash(`git add -A && git commit -qm '${message}'`)

function git(root: string, ...argv: string[]): string {
  const env = { PATH: "/usr/bin:/bin", HOME: join(root, "..") }
  const ran = spawnSync("/usr/bin/git", argv, { cwd: root, env, encoding: "utf8" })
  if (ran.status !== 0) throw new Error(ran.stderr)
  return ran.stdout.trim()
}

async function repository(roles: Cast): Promise<TestSession> {
  const t = await openTestSession({
    files: { "a.txt": "one\n" },
    place: { trusted: true },
    team: openTeamKit,
    answers: () => undefined,
    script: cast(roles),
  })
  git(t.root, "init", "-q", "-b", "main")
  git(t.root, "config", "user.name", "Lead")
  git(t.root, "config", "user.email", "lead@example.com")
  git(t.root, "add", "-A")
  git(t.root, "commit", "-qm", "first")
  const again = await t.reopen()
  return {
    ...again,
    async [Symbol.asyncDispose]() {
      await again[Symbol.asyncDispose]()
      await t[Symbol.asyncDispose]()
    },
  }
}

const look = (t: TestSession): Promise<TeamOverview | undefined> =>
  readTeamOverview(t.path("../state"), "crew", systemClock)

/** Nobody has anything left to do. */
async function quiet(t: TestSession): Promise<TeamOverview> {
  for (;;) {
    const now = await look(t)
    if (
      now?.tasks.every(({ status }) => status === "completed") &&
      now.members.every(({ state }) => state !== "working")
    )
      return now
    await Bun.sleep(20)
  }
}

const told = says("Good.")

test("two members work apart; the lead merges both, and the conflict of the second comes back to its member", async () => {
  await using t = await repository({
    main: [
      calls(create),
      calls(add("the api", "ann"), add("the client", "bob")),
      calls(member("ann")),
      calls(member("bob")),
      says("They work."),
      ...Array.from({ length: 12 }, () => (request: { messages: readonly unknown[] }) => {
        const last = JSON.stringify(request.messages.at(-1))
        if (last.includes("merge ann")) return calls(merge("ann"))
        return last.includes("merge bob") ? calls(merge("bob")) : told
      }),
    ],
    ann: [
      says("Ready."),
      calls(bash("echo ann > a.txt"), write("api.ts", "api\n")),
      calls(commit("the api")),
      calls(done("1")),
      says("The api is committed."),
    ],
    bob: [
      says("Ready."),
      calls(bash("echo bob > a.txt"), write("client.ts", "client\n")),
      calls(commit("the client")),
      calls(done("2")),
      says("The client is committed."),
      calls(bash("git merge -q main || echo ann and bob > a.txt")),
      calls(commit("with the api")),
      calls(done("3")),
      says("Resolved."),
    ],
  })
  await t.prompt("build it")
  const { members } = await quiet(t)
  await t.settled()
  expect(new Set(members.map(({ branch }) => branch)).size).toBe(3)
  // Apart from each other, and from the lead.
  expect(t.read("a.txt")).toBe("one\n")

  await t.prompt("merge ann")
  expect(resultsOf(t, "MergeBranch").at(-1)).toMatch(
    /^Merged codewright\/\S+ into main: 1 commit, 2 files\.\na\.txt\napi\.ts$/,
  )
  await t.prompt("merge bob")
  expect(resultsOf(t, "MergeBranch").at(-1)).toMatch(
    /^Not merged: .* conflict\. Nothing was changed\. Conflicts in:\na\.txt\nTask #3/,
  )
  expect(existsSync(t.path("client.ts"))).toBe(false)

  await quiet(t)
  await t.settled()
  await t.prompt("merge bob")
  expect(resultsOf(t, "MergeBranch").at(-1)).toMatch(/^Merged codewright\/\S+ into main: /)
  expect(t.read("a.txt")).toBe("ann and bob\n")
  expect([t.read("api.ts"), t.read("client.ts")]).toEqual(["api\n", "client\n"])
  expect(git(t.root, "status", "--porcelain")).toBe("")
  expect(git(t.root, "log", "--first-parent", "--format=%s").split("\n")).toEqual([
    "Merge the work of bob",
    "Merge the work of ann",
    "first",
  ])
})
