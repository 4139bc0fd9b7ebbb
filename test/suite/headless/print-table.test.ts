/** What scripts rely on, row by row: what goes to standard output, and the exit code. */

import { describe, expect, test } from "bun:test"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { promptOf } from "../../kit/sent.ts"

const stream = ["--output-format=stream-json", "--verbose"]
const nobody = "0a1b2c3d-1111-4222-8333-444455556666"
const typesOf = (stdout: string) => linesOf(stdout).map(({ type }) => type)

describe("what is written", () => {
  test.concurrent("text: the answer and a line end", async () => {
    expect(await runCodewright({ argv: ["-p", "hi"], scenario: ["Hello."] })).toMatchObject({
      code: 0,
      stdout: "Hello.\n",
      stderr: "",
    })
  })

  test.concurrent("json: one result object and a line end", async () => {
    const run = await runCodewright({ argv: ["-p", "hi", "--output-format", "json"], scenario: ["Hello."] })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    expect(run.stdout).toMatch(/^\{.*\}\n$/)
    expect(linesOf(run.stdout)).toMatchObject([{ type: "result", subtype: "success", result: "Hello." }])
  })

  test.concurrent("stream-json: every message a line, the result last; --verbose is needed", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const look = { content: [{ tool: "Read", input: { file_path: "a.txt" } }] }
    const run = await runCodewright({ place, argv: ["-p", "hi", ...stream], scenario: [look, "Hello."] })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    expect(typesOf(run.stdout)).toEqual(["system", "assistant", "user", "assistant", "result"])
    const quiet = await runCodewright({ argv: ["-p", "hi", "--output-format=stream-json"] })
    expect(quiet).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "error: When using --print, --output-format=stream-json requires --verbose\n",
    })
  })

  test.concurrent("a prompt and standard input are one message", async () => {
    const run = await runCodewright({ argv: ["-p", "review"], stdin: "the text", scenario: ["Fine."] })
    expect(run).toMatchObject({ code: 0, stdout: "Fine.\n" })
    expect(run.requests.map(promptOf)).toEqual(["review\nthe text"])
  })
})

describe("what goes wrong", () => {
  const rows: readonly {
    readonly row: string
    readonly argv: readonly string[]
    readonly stdin?: string
    readonly says: string
  }[] = [
    {
      row: "no prompt",
      argv: ["-p"],
      stdin: "",
      says: "error: Input must be provided either through stdin or as a prompt argument when using --print\n",
    },
    {
      row: "an unknown flag",
      argv: ["-p", "x", "--bogus"],
      says: "error: unknown option '--bogus'; see --help\n",
    },
    {
      row: "a bad choice",
      argv: ["-p", "x", "--output-format=jsn"],
      says: "error: option '--output-format': 'jsn' is not one of text, json, stream-json (did you mean json?)\n",
    },
    {
      row: "an unknown session",
      argv: ["-p", "x", "--resume", nobody],
      says: `error: No conversation found with session ID: ${nobody}\n`,
    },
    {
      row: "messages in, text out",
      argv: ["-p", "--input-format=stream-json"],
      stdin: "",
      says: "error: --input-format stream-json needs --output-format stream-json: answers to messages are messages.\n",
    },
    {
      row: "messages to write back, but none come in",
      argv: ["-p", "x", "--replay-user-messages"],
      says: "error: --replay-user-messages needs --input-format stream-json: otherwise there are no messages to write back.\n",
    },
    {
      row: "pieces of messages without a stream",
      argv: ["-p", "x", "--include-partial-messages"],
      says: "error: --include-partial-messages needs -p and --output-format stream-json.\n",
    },
    {
      row: "questions for a program that is not there",
      argv: ["-p", "x", "--permission-prompt-tool=stdio"],
      says: "error: Permission questions can be sent to the program that runs Codewright only with --input-format stream-json.\n",
    },
  ]
  for (const { row, argv, stdin, says } of rows)
    test.concurrent(row, async () => {
      const run = await runCodewright({ argv, ...(stdin !== undefined && { stdin }) })
      expect(run).toEqual({ code: 1, stdout: "", stderr: says, requests: [] })
    })

  test.concurrent("an unknown session in a stream is a result, too", async () => {
    const run = await runCodewright({ argv: ["-p", "x", "--resume", nobody, ...stream] })
    expect(run.code).toBe(1)
    expect(linesOf(run.stdout)).toMatchObject([{ type: "result", subtype: "error_during_execution", is_error: true }])
  })

  test.concurrent("an API error is on standard output, with exit code 1", async () => {
    const fault = { faults: ["unauthorized" as const], refusals: "expected" as const }
    const env = { CLAUDE_CODE_MAX_RETRIES: "0" }
    const text = await runCodewright({ argv: ["-p", "x"], env, ...fault })
    expect(text.code).toBe(1)
    expect(text.stdout).toStartWith("API Error: 401 ")
    const json = await runCodewright({ argv: ["-p", "x", "--output-format=json"], env, ...fault })
    expect(linesOf(json.stdout)).toMatchObject([{ subtype: "success", is_error: true, api_error_status: 401 }])
  })

  test.concurrent("a limit is a result, with exit code 1", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const look = () => ({ content: [{ tool: "Read", input: { file_path: "a.txt" } }] })
    const run = await runCodewright({
      place,
      argv: ["-p", "x", "--max-turns=2", "--output-format=json"],
      scenario: look,
    })
    expect(run.code).toBe(1)
    expect(linesOf(run.stdout)).toMatchObject([{ subtype: "error_max_turns", num_turns: 3 }])
  })

  test.concurrent("a line that is no message ends a driven run with exit code 1", async () => {
    const run = await runCodewright({ argv: ["--input-format=stream-json", ...stream], stdin: "nonsense\n" })
    expect(run).toMatchObject({ code: 1, stdout: "", requests: [] })
    expect(run.stderr).toContain("not a JSON object")
  })

  test.concurrent("a denied call is no failure: the turn continues, and the result lists it", async () => {
    const write = { content: [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] }
    const run = await runCodewright({ argv: ["-p", "x", "--output-format=json"], scenario: [write, "Denied."] })
    expect(run.code).toBe(0)
    expect(linesOf(run.stdout)).toMatchObject([
      { is_error: false, result: "Denied.", permission_denials: [{ tool_name: "Write" }] },
    ])
  })
})
