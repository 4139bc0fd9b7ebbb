/** Background sessions in a few worktrees whose host and commands are killed all the time: all end, every effect happens once, every question is asked and answered once. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { textOf } from "#agent/words/message.ts"
import { seededIds } from "#lib/ids.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openBackgroundWorld } from "../../kit/background-world.ts"
import { isRunning } from "../../kit/is-running.ts"

setDefaultTimeout(1_200_000)

const sessions = Number(process.env["CODEWRIGHT_BACKGROUND_SESSIONS"] ?? 6)
const kills = Number(process.env["CODEWRIGHT_BACKGROUND_KILLS"] ?? 4)
/** Sessions work, and kills go on, for so long, if that is more. */
const killMs = Number(process.env["CODEWRIGHT_BACKGROUND_KILL_MS"] ?? 0)
const worktrees = Math.min(5, Math.ceil(sessions / 3))

/** Two commands that must each be allowed, or more until the kills are over, then an answer; by what the conversation has already. */
const model =
  (until: number): ScenarioFunction =>
  ({ body }) => {
    const text = JSON.stringify(body.messages)
    const task = /task (\d+)/.exec(text)?.[1] ?? "?"
    const step = [...text.matchAll(/"type":"tool_use"/g)].length + 1
    if (step > 2 && Date.now() >= until) return { content: "Done." }
    return {
      content: [
        { tool: "Bash", input: { command: `sleep 0.1; echo '${task} ${step}' >> effects.txt`, description: "Note" } },
      ],
    }
  }

test(`${sessions} sessions in ${worktrees} worktrees end, whatever is killed`, async () => {
  const until = Date.now() + killMs
  await using world = await openBackgroundWorld(model(until))
  const { place } = world
  const git = (...argv: readonly string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd: place.work }).stdout.toString()
  git("init", "-q", "-b", "main")
  git("commit", "-q", "--allow-empty", "-m", "first")
  const folders = new Set<string>()
  const ids: string[] = []
  for (let task = 1; task <= sessions; task++) {
    const flags = ["--bg", "--json", "--trust", "--worktree", `tree-${task % worktrees}`]
    const started = JSON.parse((await world.run(...flags, "--", `task ${task}`)).stdout)
    folders.add(started.folder)
    ids.push(started.id)
  }
  expect(folders.size).toBe(worktrees)
  const { random } = seededIds(7)
  const hosts = new Set<number>()
  const commands = new Set<number>()
  let killed = 0
  const isOver = (id: string): boolean => ["done", "failed", "stopped"].includes(world.progress(id).state)
  while (!ids.every(isOver)) {
    const pid = world.host()
    if (pid !== undefined) hosts.add(pid)
    const mayKill = killed < kills || Date.now() < until
    if (pid === undefined) await world.run("agents")
    else if (mayKill && random() < 0.2) {
      killed++
      // A command of a session, or the host with all of them.
      const [command] = random() < 0.3 ? childrenOf(pid) : []
      if (command !== undefined) commands.add(command)
      kill(command ?? pid)
    }
    for (const id of ids) await world.answer(id)
    await Bun.sleep(20 + random() * 60)
  }
  await world.ended()

  expect(ids.map((id) => world.progress(id).state)).toEqual(ids.map(() => "done"))
  expect(killed).toBeGreaterThan(0)
  const effects = [...folders].flatMap((folder) => linesOf(join(folder, "effects.txt")))
  expect(new Set(effects).size).toBe(effects.length)
  for (const [nth, id] of ids.entries()) {
    const entries = world.entries(id)
    const prompts = entries.flatMap((entry) => (entry.kind === "prompt" ? [textOf(entry.content)] : []))
    expect(prompts.filter((text) => text === `task ${nth + 1}`)).toHaveLength(1)
    const asked = entries.flatMap((entry) => (entry.kind === "question" ? [entry.question.id] : []))
    const answered = entries.flatMap((entry) => (entry.kind === "answer" ? [entry.questionId] : []))
    expect(new Set(asked).size).toBe(asked.length)
    expect(answered.toSorted()).toEqual(asked.toSorted())
    const results = entries.filter((entry) => entry.kind === "result")
    expect(results.length).toBeGreaterThanOrEqual(2)
    // Killed between its intent and its result, it is told as perhaps done, and not repeated.
    for (const [at, { isError }] of results.entries()) if (!isError) expect(effects).toContain(`${nth + 1} ${at + 1}`)
  }
  expect([...hosts, ...commands].filter(isRunning)).toEqual([])
  const kept = git("worktree", "list")
  for (const folder of folders) expect(kept).toContain(folder)
})

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended meanwhile.
  }
}

const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : []
