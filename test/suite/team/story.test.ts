/** A team from beginning to end, as a script runs it: work is split, a member fails, its task is retaken, branches are merged, the tests pass. */

import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, setDefaultTimeout, test } from "bun:test"
import { expectGolden } from "../../kit/golden.ts"
import { openPlace, type Place, type Run, runCodewright } from "../../kit/run-codewright.ts"
import { processesIn } from "../../kit/team/processes.ts"
import { storyFiles, storyPrompt, storyRepository, teamStory } from "../../kit/team/story.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

interface Message {
  readonly type: string
  readonly subtype?: string
  readonly name?: string
  readonly result?: string
  readonly message?: {
    readonly content: string | readonly { readonly is_error?: boolean; readonly content?: unknown }[]
  }
  readonly total_cost_usd?: number
  readonly task?: { readonly id: string; readonly status: string; readonly owner?: string; readonly attempts: number }
}

const git = (place: Place, ...words: readonly string[]): string => {
  const ran = spawnSync("git", words, { cwd: place.work, encoding: "utf8" })
  expect([ran.status, ran.stderr]).toEqual([0, ""])
  return ran.stdout.trim()
}

function repository(): Place {
  const place = openPlace(storyFiles)
  for (const line of storyRepository) git(place, ...line.split(" "))
  return place
}

const argv = ["-p", storyPrompt, "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash,MergeBranch"]

const modes = ["in-process", "process"] as const

async function play(
  place: Place,
  budget: number,
  mode: string,
): Promise<Run & { readonly messages: readonly Message[] }> {
  const run = await runCodewright({
    place,
    env: { CODEWRIGHT_TRUST: "1" },
    argv: [...argv, "--max-budget-usd", `${budget}`, "--teammate-mode", mode],
    scenario: teamStory(),
  })
  const lines = run.stdout.split("\n").filter(Boolean)
  return { ...run, messages: lines.map((line) => JSON.parse(line) as Message) }
}

/** What the stream tells of the team, without what depends on who is faster: how each task ended, who came and who left. */
function toldOf(messages: readonly Message[]): string {
  const team = messages.filter(({ subtype }) =>
    /^team(_created|mate_joined|mate_left|_task_changed)/.test(subtype ?? ""),
  )
  const isLast = ({ task }: Message, at: number): boolean =>
    task === undefined || !team.slice(at + 1).some((later) => later.task?.id === task.id)
  return team
    .filter(isLast)
    .map((message) =>
      JSON.stringify(message, (key, value: unknown) => (key === "branch" ? undefined : (volatile[key] ?? value))),
    )
    .toSorted()
    .join("\n")
    .concat("\n")
}

const volatile: { readonly [key: string]: string } = {
  uuid: "<id>",
  session_id: "<session>",
  agent_id: "<agent>",
  owner: "<member>",
}

/** Of calls; whoever has done nothing has nothing to merge. */
const failuresIn = (messages: readonly Message[]): readonly string[] =>
  messages
    .flatMap(({ message }) => (Array.isArray(message?.content) ? message.content : []))
    .flatMap(({ is_error, content }) => (is_error === true ? [String(content)] : []))
    .filter((text) => !text.includes("has nothing that main does not have"))

const tasksIn = (messages: readonly Message[], id: string) =>
  messages.flatMap(({ task }, at) => (task?.id === id ? [{ ...task, at }] : []))

const membersIn = (messages: readonly Message[], subtype: string): readonly string[] =>
  messages.flatMap((message) => (message.subtype === subtype ? [message.name ?? ""] : []))

test.each(modes)("three members do a change together, though one of them fails (%s)", async (mode) => {
  using place = repository()
  const { code, stderr, messages } = await play(place, 5, mode)
  await until(() => processesIn(place).length === 0)
  expect([code, stderr]).toEqual([0, ""])
  expect(failuresIn(messages)).toEqual([])
  const result = messages.at(-1)
  expect(result).toMatchObject({
    type: "result",
    subtype: "success",
    result: "The branches are merged, and the tests pass.",
  })
  expect(result?.total_cost_usd).toBeLessThanOrEqual(5)

  await expectGolden(join(import.meta.dir, "goldens/story.jsonl"), toldOf(messages))
  expect(messages.filter(({ subtype }) => subtype === "team_created").length).toBe(1)
  expect(membersIn(messages, "teammate_joined").toSorted()).toEqual(["api", "client", "tests"])
  expect(membersIn(messages, "teammate_left")).toEqual(["client"])
  for (const id of ["1", "2", "3"])
    expect(tasksIn(messages, id).filter(({ status }) => status === "completed").length).toBe(1)
  const retaken = tasksIn(messages, "2").at(-1)
  expect(retaken).toMatchObject({ status: "completed", attempts: 1 })
  expect(retaken?.owner).not.toBe("client")
  const [first, second] = ["1", "2"].map((id) => tasksIn(messages, id).find(({ status }) => status === "completed")?.at)
  const third = tasksIn(messages, "3").find(({ status }) => status !== "pending")?.at ?? 0
  expect(third).toBeGreaterThan(Math.max(first ?? Infinity, second ?? Infinity))

  expect(Number(git(place, "rev-list", "--count", "--merges", "HEAD"))).toBeGreaterThan(0)
  expect(git(place, "status", "--porcelain")).toBe("")
  expect(spawnSync("sh", ["test.sh"], { cwd: place.work }).status).toBe(0)

  const shown = await runCodewright({ place, argv: ["team", "show", "login", "--json"] })
  const look = JSON.parse(shown.stdout) as {
    members: { name: string; state: string; pid: number }[]
    tasks: { status: string }[]
  }
  expect(look).toMatchObject({ name: "login", lead: "lead" })
  expect(new Set(look.members.map(({ pid }) => pid)).size).toBe(mode === "process" ? 4 : 1)
  expect(look.members.find(({ name }) => name === "client")?.state).toBe("gone")
  expect(look.tasks.map(({ status }) => status)).toEqual(["completed", "completed", "completed"])
})

test.each(modes)("the budget is one for the whole team, and is never exceeded (%s)", async (mode) => {
  using place = repository()
  const { code, messages } = await play(place, 0.1, mode)
  await until(() => processesIn(place).length === 0)
  const result = messages.at(-1)
  expect([code, result?.subtype]).toEqual([1, "error_max_budget_usd"])
  expect(result?.total_cost_usd).toBeLessThanOrEqual(0.1)
})
