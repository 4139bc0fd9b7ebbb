/** A team in tests: the calls that make it, and how it stands. */

import { spawnSync } from "node:child_process"
import { join } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import type { Member, TeamOverview } from "#agent/words/team.ts"
import type { JsonObject } from "#lib/json.ts"
import { systemClock } from "#lib/clock.ts"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioBlock, ScenarioReply } from "#sim/scenario.ts"
import { readTeamOverview } from "#team/overview.ts"
import { openTeamKit } from "#team/team-kit.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { task } from "../subagents/cast.ts"
import { until } from "../../kit/until.ts"

/** A session that can lead a team, with a user who is never asked. */
export const openTeamSession = (options: TestSessionOptions): Promise<TestSession> =>
  openTestSession({ team: openTeamKit, answers: () => undefined, ...options })

export const create: ScenarioBlock = use("TeamCreate", { name: "crew" })
export const member = (name: string, more: JsonObject = {}): ScenarioBlock =>
  task(name, { team_name: "crew", name, ...more })
export const add = (subject: string, more: JsonObject = {}): ScenarioBlock =>
  use("TaskCreate", { subject, description: `How: ${subject}`, ...more })
export const done = (taskId: string): ScenarioBlock => use("TaskUpdate", { taskId, status: "completed" })
export const send = (to: string, message: string, more: JsonObject = {}): ScenarioBlock =>
  use("SendMessage", { to, message, ...more })

/** The same in a git repository that the user trusts. */
export async function openRepositorySession(options: TestSessionOptions): Promise<TestSession> {
  const t = await openTeamSession({ place: { trusted: true }, ...options })
  for (const argv of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "first"],
  ])
    git(t.root, ...argv)
  git(t.root, "config", "user.name", "t")
  git(t.root, "config", "user.email", "t@example.com")
  // The session looks for the repository when it is opened.
  const again = await t.reopen()
  return {
    ...again,
    async [Symbol.asyncDispose]() {
      await again[Symbol.asyncDispose]()
      await t[Symbol.asyncDispose]()
    },
  }
}

function git(root: string, ...argv: readonly string[]): string {
  const env = { PATH: "/usr/bin:/bin", HOME: join(root, "..") }
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
  const ran = spawnSync("git", [...who, ...argv], { cwd: root, env, encoding: "utf8" })
  if (ran.status !== 0) throw new Error(ran.stderr)
  return ran.stdout.trim()
}

/**
 * Waits for a message that holds the text, then gives these replies. Messages arrive at a step: one may be there before
 * whoever waits for it has said so, and nothing wakes them afterwards.
 */
export const upon = (
  text: string,
  ...replies: readonly (ScenarioReply | ((request: SimRequest) => ScenarioReply))[]
): readonly ((request: SimRequest) => ScenarioReply)[] =>
  Array.from({ length: 20 }, () => (request: SimRequest): ScenarioReply => {
    const at = request.messages.findIndex(
      ({ role, content }) => role === "user" && JSON.stringify(content).includes(text),
    )
    if (at === -1) return says("Waiting.")
    const reply = replies[request.messages.slice(at).filter(({ role }) => role === "assistant").length]
    return (typeof reply === "function" ? reply(request) : reply) ?? says("Nothing left to say.")
  })

/** Says a word to what comes in, and ends the team when the user says so. */
export const heard = (request: SimRequest): ScenarioReply => {
  const last = JSON.stringify(request.messages.at(-1))
  return last.includes("end it now") ? calls(use("TeamDelete", {})) : says("Heard.")
}

export const look = async (t: TestSession): Promise<TeamOverview | undefined> =>
  readTeamOverview(t.path("../state"), "crew", systemClock)

/** The texts of attachments with that name. */
export const attached = (entries: readonly Entry[], name: string): readonly string[] =>
  entries.flatMap((entry) => (entry.kind === "attachment" && entry.name === name ? [entry.text] : []))

/** Nobody, or none of those named, has anything left to do; so many are there. */
export const allIdle = (t: TestSession, count: number, names?: readonly string[]): Promise<readonly Member[]> =>
  until(async () => {
    const members = (await look(t))?.members ?? []
    const counted = members.filter(({ name }) => names?.includes(name) ?? true)
    return members.length >= count && counted.every(({ state }) => state !== "working") && members
  })
