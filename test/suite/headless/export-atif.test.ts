/** `codewright sessions export --atif`: a session as a trajectory that Harbor's models accept. */

import { expect, test } from "bun:test"
import { type Trajectory, trajectory } from "../../kit/atif.ts"
import { driven } from "../../kit/driven.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, read, says, use } from "../../kit/script.ts"

test("prompts, answers, thinking, calls with their results, and what they cost", async () => {
  using place = openPlace({ "a.txt": "one\n" })
  const script = [
    calls({ thinking: "Both at once." }, { text: "I look." }, read("a.txt"), bash("echo two; exit 3")),
    says("Done."),
    says("Again."),
  ]
  const id = await driven(place, script, [{ prompt: "look" }, { prompt: "and again" }])
  const run = await runCodewright({ place, argv: ["sessions", "export", id, "--atif"] })
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" })
  const { steps, agent, final_metrics: totals, ...head } = trajectory.parse(JSON.parse(run.stdout))
  expect(head).toEqual({ schema_version: "ATIF-v1.7", session_id: id, trajectory_id: id })
  expect({ name: agent.name, reads: agent.tool_definitions?.some(({ type }) => type === "function") }).toEqual({
    name: "codewright",
    reads: true,
  })
  const talk = steps.filter(({ source }) => source !== "system")
  expect(talk.map(({ source, message }) => [source, message])).toEqual([
    ["user", "look"],
    ["agent", "I look."],
    ["agent", "Done."],
    ["user", "and again"],
    ["agent", "Again."],
  ])
  const looked = talk[1]
  expect(looked?.reasoning_content).toBe("Both at once.")
  expect(looked?.tool_calls?.map(({ function_name }) => function_name)).toEqual(["Read", "Bash"])
  expect(looked?.observation?.results.map(({ content, extra }) => [content?.includes("two"), extra?.is_error])).toEqual(
    [
      [false, false],
      [true, true],
    ],
  )
  expect(totals?.total_steps).toBe(steps.length)
  const spoken = talk.reduce((sum, { metrics }) => sum + (metrics?.completion_tokens ?? 0), 0)
  expect({ output: totals?.total_completion_tokens, some: spoken > 0 }).toEqual({ output: spoken, some: true })
})

test("agents are embedded, agents of agents too, and the results of their calls refer to them", async () => {
  using place = openPlace()
  const agents = {
    boss: { description: "Leads", prompt: "Lead.", tools: ["Task", "Read"] },
    hand: { description: "Works", prompt: "Work.", tools: ["Read"] },
  }
  const task = (subagent_type: string, prompt: string) =>
    use("Task", { subagent_type, description: prompt, prompt, run_in_background: false })
  const script = [
    calls(task("boss", "Have it done"), bash("echo beside")),
    calls(task("hand", "Do it")),
    says("Did it."),
    says("Had it done."),
    says("All done."),
  ]
  const argv = ["--permission-mode", "acceptEdits", "--agents", JSON.stringify(agents)]
  const id = await driven(place, script, [{ prompt: "go" }], argv)
  const run = await runCodewright({ place, argv: ["sessions", "export", id, "--atif"] })
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" })
  const main = trajectory.parse(JSON.parse(run.stdout))
  const shape = ({ steps, subagent_trajectories: below = [], extra }: Trajectory): unknown => ({
    ...(extra && { type: extra["agent_type"] }),
    said: steps.flatMap(({ source, message }) => (source === "agent" && message !== "" ? [message] : [])),
    refers: steps.flatMap(({ observation }) =>
      (observation?.results ?? []).map(({ subagent_trajectory_ref: refs = [] }) =>
        refs.map((ref) => below.findIndex(({ trajectory_id }) => trajectory_id === ref.trajectory_id)),
      ),
    ),
    below: below.map(shape),
  })
  expect(shape(main)).toEqual({
    said: ["All done."],
    refers: [[0], []],
    below: [
      {
        type: "boss",
        said: ["Had it done."],
        refers: [[0]],
        below: [{ type: "hand", said: ["Did it."], refers: [], below: [] }],
      },
    ],
  })
})

test("two formats at once are a mistake", async () => {
  using place = openPlace()
  const run = await runCodewright({ place, argv: ["sessions", "export", "x", "--atif", "--format", "md"] })
  expect({ code: run.code, stderr: run.stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("atif and md are two formats. Give one."),
  })
})
