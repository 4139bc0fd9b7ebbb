/** What `-p` writes: text, one JSON result, or every message as a line. */

import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { expectGolden } from "../../kit/golden.ts"
import { normalised } from "../../kit/normalised.ts"
import { linesOf, openPlace, type Place, type Run, runCodewright } from "../../kit/run-codewright.ts"
import { bodyOf, promptOf, replyCost } from "../../kit/sent.ts"

const golden = (name: string, { stdout }: Run, place: Place): Promise<void> => {
  const lines = normalised(linesOf(stdout), place.path)
  if (!Array.isArray(lines)) throw new Error("not lines")
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
  return expectGolden(join(import.meta.dir, "goldens", `${name}.jsonl`), text)
}

const stream = ["--output-format", "stream-json", "--verbose"]

const usage = {
  input_tokens: "<number>",
  output_tokens: "<number>",
  cache_creation_input_tokens: "<number>",
  cache_read_input_tokens: "<number>",
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: "standard",
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: "<number>" },
}
const spent = {
  inputTokens: "<number>",
  outputTokens: "<number>",
  cacheReadInputTokens: "<number>",
  cacheCreationInputTokens: "<number>",
  webSearchRequests: 0,
  costUSD: "<number>",
  contextWindow: 200_000,
  maxOutputTokens: 128_000,
}
const common = {
  type: "result",
  duration_ms: "<number>",
  duration_api_ms: "<number>",
  total_cost_usd: "<number>",
  usage,
  permission_denials: [],
  result_index: 0,
  session_id: "<id 1>",
  uuid: "<id 2>",
}

describe("text", () => {
  test.concurrent("the answer and a line end", async () => {
    using place = openPlace()
    const run = await runCodewright({ place, argv: ["-p", "hello"], scenario: ["Good day."] })
    expect(run).toMatchObject({ code: 0, stdout: "Good day.\n", stderr: "" })
    expect(run.requests.map(promptOf)).toEqual(["hello"])
  })

  test.concurrent("only the last answer counts, and what is not text is left out", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const run = await runCodewright({
      place,
      argv: ["-p", "look"],
      scenario: [
        { content: ["I look.", { tool: "Read", input: { file_path: "a.txt" } }] },
        { content: ["It says ", "one."] },
      ],
    })
    expect(run).toMatchObject({ code: 0, stdout: "It says one.\n", stderr: "" })
  })

  test.concurrent("escape sequences of the model pass unchanged into a pipe", async () => {
    const run = await runCodewright({ argv: ["-p", "colour"], scenario: ["\u001b[31mred\u001b[0m"] })
    expect(run).toMatchObject({ code: 0, stdout: "\u001b[31mred\u001b[0m\n" })
  })

  test.concurrent("verbose tells the steps on standard error, each on its own lines", async () => {
    using place = openPlace({ "a.txt": "one\ntwo\n" })
    const run = await runCodewright({
      place,
      argv: ["-p", "--verbose", "look"],
      scenario: [
        {
          content: [
            "I look.",
            { tool: "Read", input: { file_path: "a.txt" } },
            { tool: "Glob", input: { pattern: "*" } },
          ],
        },
        "Two lines.\n",
      ],
    })
    expect(run).toMatchObject({ code: 0, stdout: "Two lines.\n\n" })
    expect(run.stderr).toBe("I look.\n* Read a.txt\n* Glob *\n    2 lines\n    a.txt\nTwo lines.\n")
  })
})

describe("json", () => {
  test.concurrent("one result object", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "hello", "--output-format", "json"],
      scenario: ["Good day."],
    })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    expect(normalised(linesOf(run.stdout), place.path)).toEqual([
      {
        ...common,
        subtype: "success",
        ttft_ms: "<number>",
        is_error: false,
        result: "Good day.",
        num_turns: 1,
        stop_reason: "end_turn",
        terminal_reason: "completed",
        modelUsage: { "claude-opus-5-5": spent },
      },
    ])
    const [result] = linesOf(run.stdout)
    expect(result?.total_cost_usd).toBeCloseTo(replyCost(run.requests), 12)
  })

  test.concurrent("an API failure is a success with is_error", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "hello", "--output-format=json"],
      scenario: ["never said"],
      faults: ["unauthorized"],
    })
    expect(run.code).toBe(1)
    expect(run.requests).toHaveLength(1)
    expect(normalised(linesOf(run.stdout), place.path)).toEqual([
      {
        ...common,
        subtype: "success",
        is_error: true,
        api_error_status: 401,
        result: expect.stringMatching(/^API Error: 401 The key in ANTHROPIC_API_KEY \(…\) was rejected/),
        num_turns: 1,
        stop_reason: null,
        terminal_reason: "api_error",
        modelUsage: {},
      },
    ])
    expect(run.stderr).toBe(`${String(linesOf(run.stdout)[0]?.result)}\n`)
  })
})

describe("stream-json", () => {
  test.concurrent("needs --verbose", async () => {
    const run = await runCodewright({ argv: ["-p", "hello", "--output-format", "stream-json"] })
    expect(run).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: When using --print, --output-format=stream-json requires --verbose\n",
      requests: [],
    })
  })

  test.concurrent("a plain answer", async () => {
    using place = openPlace()
    const run = await runCodewright({ place, argv: ["-p", "hello", ...stream], scenario: ["Good day."] })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    await golden("plain-answer", run, place)
  })

  test.concurrent("thinking, text, calls that run and fail, and their results", async () => {
    using place = openPlace({ "a.txt": "one\n", "b.txt": "two\n" })
    const run = await runCodewright({
      place,
      argv: ["-p", "change it", ...stream, "--permission-mode", "acceptEdits"],
      scenario: [
        {
          content: [
            { thinking: "Where?", signature: "c2ln" },
            "I look.",
            { tool: "Read", input: { file_path: "a.txt" } },
            { tool: "Read", input: { file_path: "missing.txt" } },
          ],
        },
        { content: [{ tool: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "1" } }] },
        { content: [{ tool: "Raed", input: {} }] },
        "Changed.",
      ],
    })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    expect(await place.read("a.txt")).toBe("1\n")
    await golden("a-turn-with-calls", run, place)
  })

  test.concurrent("a denied call goes on, and is in the result", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const run = await runCodewright({
      place,
      argv: ["-p", "change it", ...stream],
      scenario: [
        { content: [{ tool: "Read", input: { file_path: "a.txt" } }] },
        { content: [{ tool: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "1" } }] },
        "I may not.",
      ],
    })
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("Not permitted: Edit(a.txt).") })
    expect(await place.read("a.txt")).toBe("one\n")
    await golden("a-denied-call", run, place)
  })

  test.concurrent("an API failure brings a synthetic message before the result", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "hello", ...stream],
      scenario: ["never said"],
      faults: ["unauthorized"],
    })
    expect(run.code).toBe(1)
    await golden("an-api-failure", run, place)
  })

  test.concurrent("a retry is told, and what was cut off is said again", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "hello", ...stream],
      scenario: ["Good day."],
      faults: [{ name: "rate_limit", retryAfterSeconds: 0 }],
    })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    expect(run.requests).toHaveLength(2)
    await golden("a-retry", run, place)
  })

  test.concurrent("whoever waits for an answer is told why, also without the steps", async () => {
    for (const format of ["text", "json"]) {
      const run = await runCodewright({
        argv: ["-p", "hello", "--output-format", format],
        scenario: ["Good day."],
        faults: [{ name: "rate_limit", retryAfterSeconds: 1 }],
      })
      expect(run.code).toBe(0)
      expect(run.stderr).toMatch(/^[^\n]+ Retrying in [12] s \(1 of \d+\)\.\n$/)
      expect(run.stdout).toContain("Good day.")
    }
  })

  test.concurrent("the limit of turns", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const run = await runCodewright({
      place,
      argv: ["-p", "look", ...stream, "--max-turns", "1"],
      scenario: [{ content: ["I look.", { tool: "Read", input: { file_path: "a.txt" } }] }],
    })
    expect(run.code).toBe(1)
    await golden("the-limit-of-turns", run, place)
  })
})

describe("the prompt", () => {
  test.concurrent("standard input is appended", async () => {
    const run = await runCodewright({ argv: ["-p", "review this"], stdin: "a line\nanother\n", scenario: ["Fine."] })
    expect(run).toMatchObject({ code: 0, stdout: "Fine.\n" })
    expect(run.requests.map(promptOf)).toEqual(["review this\na line\nanother\n"])
  })

  test.concurrent("standard input alone is a prompt", async () => {
    const run = await runCodewright({ argv: ["-p"], stdin: "ünïcode 🙂", scenario: ["Yes."] })
    expect(run).toMatchObject({ code: 0, stdout: "Yes.\n" })
    expect(run.requests.map(promptOf)).toEqual(["ünïcode 🙂"])
  })

  test.concurrent("after -- everything is prompt; lists do not swallow flags; both spellings", async () => {
    const run = await runCodewright({
      argv: [
        "--allowed-tools",
        "Edit",
        "Write",
        "-p",
        "--max-turns=2",
        "--model",
        "haiku",
        "--",
        "--verbose",
        "--help",
      ],
      scenario: ["So it is."],
    })
    expect(run).toMatchObject({ code: 0, stdout: "So it is.\n", stderr: "" })
    expect(run.requests.map(promptOf)).toEqual(["--verbose --help"])
    expect(bodyOf(run.requests[0]).model).toBe("claude-haiku-5-5")
  })
})
