/** Agents from the command line: files, `--agents`, `--agent`, and what programs are told of their work. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bodyOf, toolsIn } from "../../kit/sent.ts"

setDefaultTimeout(300_000)

const task = (subagent_type: string, prompt = "look") => ({
  content: [{ tool: "Task", input: { description: "a look", prompt, subagent_type } }],
})
const file = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: For ${name}.\n${more}---\nYou are ${name}.\n`

/** A line of the stream, as far as it is looked at. */
interface Line {
  readonly type: string
  readonly subtype?: string
  readonly parent_tool_use_id?: string | null
  readonly tool_use_result?: object
  readonly message?: { readonly content: readonly Block[] }
}
interface Block {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly tool_use_id?: string
}
const blockOf = ({ message }: Line): Block | undefined => message?.content[0]

test.concurrent("files of the user count, those of a project only where it is trusted", async () => {
  using place = openPlace()
  place.write(join(place.state, "agents/mine.md"), file("mine"))
  place.write(join(place.work, ".codewright/agents/theirs.md"), file("theirs"))
  place.write(join(place.work, ".claude/agents/broken.md"), "---\ndescription: x\n---\nno name")
  const init = (stdout: string) => (linesOf(stdout)[0] as { agents: string[] }).agents
  const stream = ["-p", "hello", "--output-format", "stream-json", "--verbose"]
  const untrusted = await runCodewright({ place, argv: stream, scenario: ["ok"] })
  expect(init(untrusted.stdout)).toContain("mine")
  expect(init(untrusted.stdout)).not.toContain("theirs")
  expect(untrusted.stderr).toContain("agents: this folder is not trusted.")
  const trusted = await runCodewright({ place, argv: [...stream, "--trust"], scenario: ["ok"] })
  expect(init(trusted.stdout)).toContain("theirs")
  expect(trusted.stderr).toContain("broken.md: this agent is left out: it needs a name")
})

test.concurrent("--agents brings agents for the run, and the model is told of them", async () => {
  const agents = JSON.stringify({
    scout: { description: "Scouts.", prompt: "You scout.", tools: ["Read"], model: "haiku" },
  })
  const run = await runCodewright({
    argv: ["-p", "go", "--agents", agents],
    scenario: [task("scout"), "Found.", "Done."],
  })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
  const [main, scout] = run.requests.map(bodyOf)
  expect(JSON.stringify(main?.tools)).toContain("- scout: Scouts. (Tools: Read)")
  expect(scout?.model).toBe("claude-haiku-5-5")
  expect(JSON.stringify(scout?.system)).toContain("You scout.")
  expect(toolsIn(run.requests[1])).toEqual(["Read"])
})

test.concurrent("--agents takes the name of a file", async () => {
  using place = openPlace({ "team/agents.json": '{"scout": {"description": "Scouts.", "prompt": "You scout."}}' })
  const run = await runCodewright({ place, argv: ["-p", "go", "--agents", "team/agents.json"], scenario: ["Done."] })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(JSON.stringify(bodyOf(run.requests[0]).tools)).toContain("- scout: Scouts.")
})

test.concurrent("--agents that cannot be used is said, and nothing runs", async () => {
  for (const [value, why] of [
    ["{", "--agents cannot be used: it is not JSON."],
    ["nowhere.json", "--agents cannot be used: nowhere.json is neither JSON nor a file."],
    ["[]", "--agents cannot be used: it must be an object of agents by name."],
    ['{"a": {}}', "--agents a: this agent is left out: it needs a description"],
  ] as const) {
    const run = await runCodewright({ argv: ["-p", "go", "--agents", value], scenario: ["never"] })
    expect(run.code).not.toBe(0)
    expect(run.stderr).toContain(why)
    expect(run.requests).toEqual([])
  }
})

test.concurrent("--agent has the session play an agent: its words, its tools, its model", async () => {
  using place = openPlace()
  place.write(join(place.state, "agents/scribe.md"), file("scribe", "tools: Read, Grep\nmodel: sonnet\n"))
  const run = await runCodewright({ place, argv: ["-p", "go", "--agent", "scribe"], scenario: ["Written."] })
  expect(run).toMatchObject({ code: 0, stdout: "Written.\n" })
  const body = run.requests.map(bodyOf)[0]
  expect(body?.model).toBe("claude-sonnet-5-5")
  expect(JSON.stringify(body?.system)).toContain("You are scribe.")
  expect(JSON.stringify(body?.system)).not.toContain("You are Codewright")
  expect(toolsIn(run.requests[0])).toEqual(["Read", "Grep"])
  const none = await runCodewright({ place, argv: ["-p", "go", "--agent", "scribbe"], scenario: ["never"] })
  expect(none.stderr).toContain("No agent named scribbe. Did you mean scribe?")
  expect(none.requests).toEqual([])
})

test.concurrent("--agent with one that only reads changes nothing, also where everything is permitted", async () => {
  using place = openPlace()
  const write = { content: [{ tool: "Bash", input: { command: "touch made" } }] }
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--agent", "Explore", "--dangerously-skip-permissions"],
    env: { IS_SANDBOX: "1" },
    scenario: [write, "No."],
  })
  expect(run.code).toBe(0)
  expect(JSON.stringify(run.requests.at(-1))).toContain("You only read, and Bash would")
  expect(await Bun.file(join(place.work, "made")).exists()).toBe(false)
})

test.concurrent("programs see an agent's prompt, calls and results under the call that started it", async () => {
  using place = openPlace()
  place.write(join(place.work, "a.txt"), "blue\n")
  const read = { content: ["I read.", { tool: "Read", input: { file_path: "a.txt" } }] }
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--output-format", "stream-json", "--verbose"],
    scenario: [task("Explore"), read, "It is blue.", "Blue."],
  })
  const lines = linesOf(run.stdout) as unknown as readonly Line[]
  const call = lines.map(blockOf).find((block) => block?.name === "Task")?.id ?? ""
  const under = lines.filter((line) => line.parent_tool_use_id === call)
  expect(under.map((line) => [line.type, blockOf(line)?.type])).toEqual([
    ["user", "text"],
    ["assistant", "tool_use"],
    ["user", "tool_result"],
  ])
  const tasks = lines.filter(({ subtype }) => String(subtype).startsWith("task_"))
  expect(tasks).toMatchObject([
    { subtype: "task_started", tool_use_id: call, description: "a look", subagent_type: "Explore" },
    { subtype: "task_progress", tool_use_id: call, description: "a look" },
    { subtype: "task_updated", patch: { status: "completed" } },
    { subtype: "task_notification", tool_use_id: call, status: "completed", usage: { tool_uses: 1 } },
  ])
  const result = lines.find((line) => blockOf(line)?.tool_use_id === call)
  expect(result?.tool_use_result).toMatchObject({ status: "completed", agentType: "Explore", totalToolUseCount: 1 })
  expect(lines.at(-1)).toMatchObject({ type: "result", result: "Blue.", num_turns: 2 })
})

test.concurrent("the result says what each agent cost, where there was one", async () => {
  const json = async (scenario: Parameters<typeof runCodewright>[0]["scenario"]) =>
    JSON.parse(
      (await runCodewright({ argv: ["-p", "go", "--output-format", "json"], scenario: scenario ?? [] })).stdout,
    )
  const result = await json([task("Explore"), "Found.", "Done."])
  const [[main, own], [agent, its], ...more] = Object.entries<{ costUSD: number; tokens: number }>(
    result.agentUsage,
  ) as [[string, { costUSD: number; tokens: number }], [string, { costUSD: number; tokens: number }]]
  expect([main, agent.replace(/[0-9a-f]{8}/, "ID"), more]).toEqual(["main", "Explore ID", []])
  expect(Math.min(own.tokens, its.tokens)).toBeGreaterThan(0)
  expect(own.costUSD + its.costUSD).toBeCloseTo(result.total_cost_usd, 10)
  expect((await json(["Done."])).agentUsage).toBeUndefined()
})

test.concurrent("an agent that still works at the end is ended, and that is said", async () => {
  using place = openPlace()
  const later = { description: "long", prompt: "wait", subagent_type: "general-purpose", run_in_background: true }
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--allowed-tools", "Bash", "--output-format", "json", "--background-wait=0"],
    scenario: {
      replies: [
        { when: { system: "You carry out one task" }, content: [{ tool: "Bash", input: { command: "sleep 86399" } }] },
        { content: [{ tool: "Task", input: later }] },
        { content: "I do not wait.", timing: { ttftMs: 300 } },
      ],
    },
  })
  expect(run.code).toBe(0)
  expect(run.stderr).toMatch(/Stopping a background agent that is still running: [0-9a-f]{8}, long/)
  expect(JSON.parse(run.stdout)).toMatchObject({
    result: "I do not wait.",
    background_tasks: [
      {
        task_id: expect.stringMatching(/^[0-9a-f]{8}$/),
        task_type: "local_agent",
        description: "long",
        status: "stopped",
      },
    ],
  })
})

test.concurrent(
  "the initial prompt of an agent that a session plays comes before yours, and reads no files",
  async () => {
    using place = openPlace()
    place.write(join(place.work, "secret.txt"), "the secret\n")
    place.write(join(place.work, "mine.txt"), "my file\n")
    place.write(
      join(place.state, "agents/mine.md"),
      file("mine", "initialPrompt: Look around with care, @secret.txt too.\nmemory: user\n"),
    )
    const argv = ["-p", "And see @mine.txt", "--agent", "mine", "--trust"]
    const run = await runCodewright({ place, argv, scenario: ["ok"] })
    expect(run).toMatchObject({ code: 0, stdout: "ok\n" })
    expect(run.stderr).toContain("mine: memory has no effect in a session that plays this agent")
    const sent = JSON.stringify(run.requests.map(bodyOf)[0]?.messages)
    expect(sent).toContain("Look around with care, @secret.txt too.\\n\\nAnd see @mine.txt")
    expect(sent).toContain("my file")
    expect(sent).not.toContain("the secret")
    const again = await runCodewright({ place, argv: [...argv, "--continue"], scenario: ["ok"] })
    expect(JSON.stringify(again.requests.map(bodyOf)[0]?.messages).split("Look around with care")).toHaveLength(2)
  },
)
