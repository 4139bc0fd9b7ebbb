/** Background work at the end of a run: waited for within a limit, told to the model, named in the result. */

import { describe, expect, test } from "bun:test"
import { openPlace, linesOf, runCodewright, type RunOptions } from "../../kit/run-codewright.ts"
import { resultIn } from "../../kit/sent.ts"

const json = ["--output-format=json"]
const inBackground = (command: string) => ({
  content: [{ tool: "Bash", input: { command, run_in_background: true } }],
})
const agent = { description: "a look", prompt: "look", subagent_type: "general-purpose", run_in_background: true }
const isAgent = { system: "You carry out one task" }

const run = (argv: readonly string[], scenario: NonNullable<RunOptions["scenario"]>, more: Partial<RunOptions> = {}) =>
  runCodewright({ argv: ["-p", "go", "--allowed-tools=Bash", ...argv], scenario, ...more })

describe("what ends in time", () => {
  test.concurrent("an agent: the model hears of it, and what it says then is the result", async () => {
    const ran = await run(json, {
      replies: [
        { when: isAgent, content: "Blue.", timing: { ttftMs: 700 } },
        { content: [{ tool: "Task", input: agent }] },
        { content: "I started it." },
        { content: "It says blue." },
      ],
    })
    expect(ran).toMatchObject({ code: 0, stderr: "" })
    expect(linesOf(ran.stdout)).toMatchObject([
      {
        type: "result",
        subtype: "success",
        result: "It says blue.",
        num_turns: 3,
        background_tasks: [{ task_type: "local_agent", description: "a look", status: "completed" }],
      },
    ])
    expect(JSON.stringify(ran.requests.at(-1)?.body)).toContain("is done. TaskOutput")
  })

  test.concurrent("a command: a stream has one result, which comes last", async () => {
    const ran = await run(
      ["--output-format=stream-json", "--verbose"],
      [inBackground("sleep 1; echo ready"), "Started.", "It is ready."],
    )
    expect(ran).toMatchObject({ code: 0, stderr: "" })
    const lines = linesOf(ran.stdout)
    expect(lines.filter(({ type }) => type === "result")).toEqual([lines.at(-1) ?? {}])
    expect(lines.at(-1)).toMatchObject({
      result: "It is ready.",
      background_tasks: [{ task_id: "bash_1", task_type: "local_bash", status: "completed" }],
    })
  })
})

describe("what does not end in time is ended and named", () => {
  test.concurrent("by the flag, the setting and the variable", async () => {
    const ways: readonly [readonly string[], RunOptions["env"]][] = [
      [["--background-wait", "0"], {}],
      [["--settings", '{"backgroundWaitSeconds": 0.01}'], {}],
    ]
    for (const [argv, env] of ways) {
      using place = openPlace()
      const ran = await run([...json, ...argv], [inBackground("sleep 86398"), "Started."], { place, env: env ?? {} })
      expect(ran).toMatchObject({
        code: 0,
        stderr: "Stopping a background command that is still running: bash_1, sleep 86398\n",
      })
      expect(linesOf(ran.stdout)).toMatchObject([
        {
          result: "Started.",
          background_tasks: [{ task_id: "bash_1", description: "sleep 86398", status: "stopped" }],
        },
      ])
    }
    const ran = await run(
      json,
      {
        replies: [
          { when: isAgent, content: [{ tool: "Bash", input: { command: "sleep 86397" } }] },
          { content: [{ tool: "Task", input: agent }] },
          { content: "I started it." },
        ],
      },
      { env: { CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: "10" } },
    )
    expect(ran.stderr).toMatch(/^Stopping a background agent that is still running: [0-9a-f]{8}, a look\n$/)
    expect(linesOf(ran.stdout)).toMatchObject([
      { result: "I started it.", background_tasks: [{ task_type: "local_agent", status: "stopped" }] },
    ])
  })

  test.concurrent("at once after a run that failed", async () => {
    const ran = await run([...json, "--max-turns=1"], [inBackground("sleep 86396")])
    expect(ran.code).toBe(1)
    expect(linesOf(ran.stdout)).toMatchObject([
      { subtype: "error_max_turns", background_tasks: [{ status: "stopped" }] },
    ])
  })

  test.concurrent("when the run is interrupted while it waits", async () => {
    const ran = await run(
      ["--output-format=stream-json", "--verbose", "--background-wait=1000"],
      [inBackground("sleep 86395"), "Started."],
      {
        during: async ({ shows, kill }) => {
          await shows('"text":"Started."')
          kill("SIGINT")
        },
      },
    )
    expect(ran.code).toBe(130)
    expect(linesOf(ran.stdout).at(-1)).toMatchObject({ type: "result", background_tasks: [{ status: "stopped" }] })
  })
})

test.concurrent("nothing is named where nothing outlived the turn", async () => {
  const ran = await run(json, [{ content: [{ tool: "Bash", input: { command: "echo hi" } }] }, "Done."])
  expect(resultIn(ran.requests[1])).toContain("hi")
  expect(linesOf(ran.stdout)[0]).not.toHaveProperty("background_tasks")
})

test.concurrent("a limit that is none is a mistake", async () => {
  const ran = await run(["--background-wait=soon"], [])
  expect(ran).toMatchObject({ code: 1, stdout: "", requests: [] })
  expect(ran.stderr).toBe("error: --background-wait takes a number from 0 to 1000000000, not 'soon'.\n")
})
