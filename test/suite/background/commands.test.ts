/** Background sessions from the shell: started, listed, answered, followed, stopped and removed by the real program. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { linesIn, openBackgroundWorld } from "../../kit/background-world.ts"

setDefaultTimeout(300_000)

/** One command that must be allowed, then an answer; `long task` runs a command that does not end by itself. */
const model: ScenarioFunction = ({ body }) => {
  const text = JSON.stringify(body.messages)
  if (text.includes('"type":"tool_use"') || text.includes("just think")) return { content: "All done." }
  const command = text.includes("long task") ? "sleep 600" : "echo once >> effects.txt"
  return { content: [{ tool: "Bash", input: { command, description: "Work" } }] }
}

test("a session waits without a process, continues when it is answered, and is done", async () => {
  await using world = await openBackgroundWorld(model)
  const id = await world.start("the task", "--name", "mine")
  await world.until(id, "waiting")
  await world.ended()
  const folder = join(world.place.state, "background")
  // The key of the shell is not kept.
  expect(readdirSync(folder).filter((name) => name.endsWith(".env"))).toEqual([])
  expect(readFileSync(join(folder, `${id}.json`), "utf8")).not.toContain("ANTHROPIC_API_KEY")

  const listed = JSON.parse((await world.run("agents", "--json")).stdout)
  expect(listed).toMatchObject({
    sessions: [
      {
        id,
        title: "mine",
        state: "waiting",
        background: true,
        folder: world.place.work,
        pending: [{ sessionId: id, kind: "tool", state: "open", action: { tool: "Bash" } }],
      },
    ],
  })
  expect(world.host()).toBeUndefined()

  const answered = await world.run("sessions", "answer", id, "--allow")
  expect(answered).toMatchObject({ code: 0, stderr: "" })
  const followed = await world.run("logs", "mine", "--follow")
  expect(followed.stdout).toContain("All done.")
  expect(linesIn(world.place, "effects.txt")).toEqual(["once"])
  await world.ended()

  expect((await world.run("agents")).stdout).toContain("1 done")
  expect(await world.run("stop", "mine")).toMatchObject({
    code: 1,
    stderr: `error: ${id.slice(0, 8)} does not work right now: it is done.\n`,
  })
  expect((await world.run("rm", id.slice(0, 6))).stdout).toBe(`Removed ${id.slice(0, 8)}  mine\n`)
  expect(JSON.parse((await world.run("agents", "--json")).stdout)).toEqual({ sessions: [] })
  expect((await world.run("logs", id)).stdout).toContain("All done.")
})

test("one that works is stopped with its command, and continues when it is resumed", async () => {
  await using world = await openBackgroundWorld(model)
  const id = await world.start("long task", "--allowed-tools", "Bash(sleep:*)")
  while (!world.entries(id).some(({ kind }) => kind === "intent")) await Bun.sleep(20)
  expect(await world.run("rm", id)).toMatchObject({ code: 1 })
  expect(await world.run("stop", id)).toMatchObject({ code: 0, stderr: "" })
  await world.until(id, "stopped")
  await world.ended()
  expect(JSON.parse((await world.run("agents", "--json")).stdout)).toMatchObject({
    sessions: [{ id, state: "stopped" }],
  })
  // Nothing starts it again but the user.
  expect(world.host()).toBeUndefined()
  expect(await world.run("--bg", "--resume", id)).toMatchObject({ code: 0 })
  await world.until(id, "done")
  await world.ended()
})

test("what keeps a session from starting is said at once", async () => {
  await using world = await openBackgroundWorld(model)
  const refused = await world.run("--bg", "--permission-mode", "nonsense", "task")
  expect(refused).toMatchObject({ code: 1, stdout: "" })
  expect(await world.run("attach", "nothing")).toMatchObject({
    code: 1,
    stderr: "error: No session has the id or name 'nothing'. List them with: codewright agents\n",
  })
  expect(JSON.parse((await world.run("agents", "--json")).stdout)).toEqual({ sessions: [] })
})

test("in a repository it works in a worktree of its own, which goes with it unless it has changes", async () => {
  await using world = await openBackgroundWorld(model)
  const git = (...argv: readonly string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd: world.place.work }).stdout
  git("init", "-q", "-b", "main")
  git("commit", "-q", "--allow-empty", "-m", "first")
  const begin = async (...flags: readonly string[]) =>
    JSON.parse((await world.run("--bg", "--json", "--trust", "--allowed-tools=Bash", ...flags)).stdout)
  const changing = await begin("the task")
  expect(changing).toMatchObject({ type: "started", branch: "codewright/the-task" })
  await world.until(changing.id, "done")
  await world.ended()
  expect(readFileSync(join(changing.folder, "effects.txt"), "utf8")).toBe("once\n")
  expect((await world.run("rm", changing.id)).stdout).toContain(
    "Its worktree the-task has changes and is kept. Merge it: codewright worktree merge the-task",
  )
  const planned = await begin("--permission-mode", "plan", "just think")
  expect(planned).toMatchObject({ folder: world.place.work, branch: "main" })
  await world.until(planned.id, "done")
  await world.ended()
  const idle = await begin("just think")
  await world.until(idle.id, "done")
  await world.ended()
  await world.run("rm", idle.id)
  expect(git("worktree", "list").toString()).not.toContain("just-think")
})
