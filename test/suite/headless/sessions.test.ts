/** Sessions on disk: where they are kept, how one goes on, and what is refused. */

import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "#lib/json.ts"
import { normalised } from "../../kit/normalised.ts"
import { linesOf, openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { bodyOf, replyCost, talkIn } from "../../kit/sent.ts"

const id = "0a1b2c3d-1111-4222-8333-444455556666"
const json = ["--output-format", "json"]

const projectFolder = ({ work, state }: Place): string => join(state, "projects", work.replace(/[^A-Za-z0-9]/g, "-"))
const logOf = (place: Place, session = id): string => join(projectFolder(place), `${session}.jsonl`)
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test.concurrent("the log: its place, its name, its modes, the fields that clients read, and no key", async () => {
  using place = openPlace({ "a.txt": "one\n", ".git/HEAD": "ref: refs/heads/topic\n" })
  const run = await runCodewright({
    place,
    argv: ["-p", "look", "--session-id", id, ...json],
    env: { ANTHROPIC_API_KEY: "sk-very-secret", CLAUDE_CODE_ENTRYPOINT: "sdk-ts" },
    scenario: [{ content: ["I look.", { tool: "Read", input: { file_path: "a.txt" } }] }, "Seen."],
  })
  expect(run).toMatchObject({ code: 0, stderr: "" })
  expect(linesOf(run.stdout)).toMatchObject([{ session_id: id }])
  expect(readdirSync(projectFolder(place))).toEqual([`${id}.jsonl`])
  expect([logOf(place), projectFolder(place), join(place.state, "projects"), place.state].map(modeOf)).toEqual([
    "600",
    "700",
    "700",
    "700",
  ])

  const text = await Bun.file(logOf(place)).text()
  expect(text).not.toContain("sk-very-secret")
  expect(text).toEndWith("\n")
  const [header, ...lines] = linesOf(text)
  expect(header).toMatchObject({ type: "header", format: 1, sessionId: id })
  // Each line but the first has the one before as its parent.
  expect(lines.map(({ parentUuid }) => parentUuid)).toEqual([null, ...lines.slice(0, -1).map(({ uuid }) => uuid ?? "")])
  for (const line of lines)
    expect(line).toMatchObject({
      isSidechain: false,
      sessionId: id,
      cwd: place.work,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      gitBranch: "topic",
      userType: "external",
      entrypoint: "sdk-ts",
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })

  const conversation = lines.filter(({ type }) => type === "user" || type === "assistant")
  const reply = { type: "message", role: "assistant", model: "claude-opus-5-5", stop_reason: null, stop_sequence: null }
  expect(normalised(conversation, place.path)).toMatchObject([
    { type: "user", message: { role: "user", content: "look" }, promptId: expect.stringMatching(/^<id \d+>$/) },
    { type: "assistant", message: { ...reply, id: "<message 1>", content: [{ type: "text", text: "I look." }] } },
    {
      type: "assistant",
      message: {
        ...reply,
        stop_reason: "tool_use",
        id: "<message 1>",
        content: [{ type: "tool_use", id: "<call 1>", name: "Read" }],
      },
      requestId: expect.any(String),
    },
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "<call 1>", content: "1\tone" }] },
      toolUseResult: { type: "text", file: { filePath: "<place>/work/a.txt", numLines: 1 } },
    },
    {
      type: "assistant",
      message: {
        ...reply,
        stop_reason: "end_turn",
        id: "<message 2>",
        content: [{ type: "text", text: "Seen." }],
      },
      requestId: expect.any(String),
    },
  ])
})

describe("going on", () => {
  test.concurrent(
    "--continue and --resume append to the same log: the conversation, the cost and the folder go on",
    async () => {
      using place = openPlace({ "sub/a.txt": "one\n" })
      const first = await runCodewright({
        place,
        argv: ["-p", "first", "--session-id", id, "--allowed-tools", "Bash(cd:*)", "--model", "haiku", ...json],
        scenario: [{ content: [{ tool: "Bash", input: { command: "cd sub" } }] }, "One."],
      })
      const before = await Bun.file(logOf(place)).text()
      const second = await runCodewright({
        place,
        argv: ["-p", "second", "--continue", "--output-format=stream-json", "--verbose"],
        scenario: [{ content: [{ tool: "Read", input: { file_path: "a.txt" } }] }, "Two."],
      })
      const third = await runCodewright({ place, argv: ["-p", "third", "--resume", id, ...json], scenario: ["Three."] })
      expect([first.code, second.code, third.code]).toEqual([0, 0, 0])
      expect(readdirSync(projectFolder(place)).filter((name) => name.endsWith(".jsonl"))).toEqual([`${id}.jsonl`])
      expect(await Bun.file(logOf(place)).text()).toStartWith(before)

      expect(talkIn(second.requests[0])).toEqual([
        "user: first",
        'assistant: Bash {"command":"cd sub"}',
        expect.stringMatching(/^user: result /),
        "assistant: One.",
        "user: second",
      ])
      expect(talkIn(third.requests[0]).slice(-4)).toEqual([
        'assistant: Read {"file_path":"a.txt"}',
        "user: result 1\tone",
        "assistant: Two.",
        "user: third",
      ])
      // What was settled before goes out again as it was: the provider's cache holds.
      expect(JSON.stringify(bodyOf(third.requests[0]).system)).toBe(JSON.stringify(bodyOf(first.requests[0]).system))
      expect(linesOf(second.stdout)[0]).toMatchObject({ subtype: "init", cwd: join(place.work, "sub"), session_id: id })

      // The model of the session, not of the settings.
      expect([...second.requests, ...third.requests].map((request) => bodyOf(request).model)).toEqual(
        Array.from({ length: 3 }, () => "claude-haiku-5-5"),
      )

      const [firstResult] = linesOf(first.stdout)
      const [thirdResult] = linesOf(third.stdout)
      const all = [...first.requests, ...second.requests, ...third.requests]
      expect(firstResult?.total_cost_usd).toBeCloseTo(replyCost(first.requests), 12)
      expect(thirdResult?.total_cost_usd).toBeCloseTo(replyCost(all), 12)
      expect(thirdResult).toMatchObject({ num_turns: 1, session_id: id })
      const usage = isObject(thirdResult?.modelUsage) ? thirdResult.modelUsage["claude-haiku-5-5"] : undefined
      expect(isObject(usage) && usage.costUSD).toBeCloseTo(replyCost(all), 12)
    },
  )

  test.concurrent("what was spent before counts against the budget", async () => {
    using place = openPlace()
    const first = await runCodewright({ place, argv: ["-p", "first", ...json], scenario: ["One."] })
    const budget = Number(linesOf(first.stdout)[0]?.total_cost_usd) + 0.001
    const second = await runCodewright({
      place,
      argv: ["-p", "second", "-c", "--max-budget-usd", String(budget), ...json],
    })
    expect(second).toMatchObject({ code: 1, requests: [] })
    expect(linesOf(second.stdout)).toMatchObject([{ subtype: "error_max_budget_usd" }])
    expect(second.stderr).toContain("Spent so far: main $")
  })

  test.concurrent("a session of the simulator goes on with the model that is configured now", async () => {
    using place = openPlace()
    await runCodewright({ place, argv: ["-p", "first", "--model", "sim"] })
    const run = await runCodewright({ place, argv: ["-p", "second", "-c"], scenario: ["Real."] })
    expect(run).toMatchObject({ code: 0, stdout: "Real.\n", stderr: "" })
    expect(run.requests.map((request) => bodyOf(request).model)).toEqual(["claude-opus-5-5"])
  })

  test.concurrent("after a crash: the torn line is cut off, the open call is answered, and it is said", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const call = { content: [{ tool: "Read", input: { file_path: "a.txt" } }] }
    await runCodewright({ place, argv: ["-p", "first", "--session-id", id], scenario: [call, "One."] })
    const lines = (await Bun.file(logOf(place)).text()).split("\n")
    const cut = lines.findIndex((line) => line.includes('"tool_result"'))
    place.write(logOf(place), `${lines.slice(0, cut).join("\n")}\n${lines[cut]?.slice(0, 100)}`)
    const run = await runCodewright({ place, argv: ["-p", "again", "-c"], scenario: ["Two."] })
    expect(run).toMatchObject({ code: 0, stdout: "Two.\n" })
    expect(run.stderr).toBe("The last line of the session was torn and has been cut off (100 bytes).\n")
    expect(talkIn(run.requests[0])).toEqual([
      "user: first",
      'assistant: Read {"file_path":"a.txt"}',
      "user: result Not run: the program ended before this started. | again",
    ])
  })

  test.concurrent("what was still queued when a session ended is not sent unseen: it is named", async () => {
    using place = openPlace()
    await runCodewright({ place, argv: ["-p", "first", "--session-id", id], scenario: ["One."] })
    const last = linesOf(await Bun.file(logOf(place)).text()).at(-1)
    const { sum: _sum, ...stamp } = last ?? {}
    const queued = {
      ...stamp,
      uuid: crypto.randomUUID(),
      parentUuid: last?.uuid,
      subtype: "queued",
      codewright: { promptId: "p", when: "queue", content: [{ type: "text", text: "unheard" }] },
    }
    place.write(logOf(place), `${await Bun.file(logOf(place)).text()}${JSON.stringify(queued)}\n`)
    const run = await runCodewright({ place, argv: ["-p", "now", "-c"], scenario: ["To this."] })
    expect(run).toMatchObject({
      code: 0,
      stdout: "To this.\n",
      stderr: "Not sent, still queued from an earlier run: unheard\n",
    })
    expect(run.requests.map((request) => talkIn(request).at(-1))).toEqual(["user: now"])
  })
})

describe("refused", () => {
  test.concurrent(
    "an id that exists, one that is none, one that is not found, one that is open elsewhere",
    async () => {
      using place = openPlace()
      await runCodewright({ place, argv: ["-p", "first", "--session-id", id], scenario: ["One."] })
      const before = await Bun.file(logOf(place)).text()
      const refused = async (...argv: string[]) => {
        const { code, stdout, stderr, requests } = await runCodewright({ place, argv: ["-p", "x", ...argv] })
        expect({ code, stdout, requests }).toEqual({ code: 1, stdout: "", requests: [] })
        return stderr
      }
      expect(await refused("--session-id", id)).toBe(
        `error: A session with the id ${id} already exists. Use --resume ${id} to continue it.\n`,
      )
      expect(await refused("--session-id", "../../etc/passwd")).toBe(
        "error: --session-id takes a UUID, not '../../etc/passwd'.\n",
      )
      const missing = id.replace("0a", "ff")
      expect(await refused("--resume", missing)).toBe(`error: No conversation found with session ID: ${missing}\n`)
      expect(await refused("--resume", "../../x")).toBe("error: No conversation found with session ID: ../../x\n")
      expect(await refused("--resume")).toStartWith("error: --resume needs a session id")
      expect(await refused("-c", "--no-session-persistence")).toStartWith(
        "error: --no-session-persistence works only for new",
      )
      place.write(`${logOf(place)}.lock`, String(process.pid))
      expect(await refused("--continue")).toMatch(new RegExp(`^error: The session is .*open.*${process.pid}.*\\n$`))
      expect(await Bun.file(logOf(place)).text()).toBe(before)
      expect(existsSync(`${logOf(place)}.lock`)).toBe(true)
    },
  )

  test.concurrent("a client that reads JSON gets a result too", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "x", "--resume", id, "--output-format=stream-json", "--verbose"],
    })
    expect(run).toMatchObject({ code: 1, stderr: `error: No conversation found with session ID: ${id}\n` })
    expect(normalised(linesOf(run.stdout), place.path)).toMatchObject([
      {
        type: "result",
        subtype: "error_during_execution",
        is_error: true,
        num_turns: 0,
        errors: ["No conversation found with session ID: <id 1>"],
        session_id: "<id 1>",
        permission_denials: [],
        modelUsage: {},
      },
    ])
    const none = await runCodewright({ place, argv: ["-p", "x", "--continue"] })
    expect(none).toMatchObject({ code: 1, stdout: "" })
    expect(none.stderr).toStartWith("error: This folder has no conversation to continue.")
  })
})
