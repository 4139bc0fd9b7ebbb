/** What scripts want of the answer and of permission questions: a form, and a tool that decides. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"

const json = ["--output-format", "json"]
const schema = JSON.stringify({ type: "object", properties: { age: { type: "integer" } }, required: ["age"] })
const output = (input: object) => ({ content: [{ tool: "StructuredOutput", input }] }) as never

test.concurrent("--json-schema: the answer is data, as text and in the result", async () => {
  const run = await runCodewright({
    argv: ["-p", "how old?", "--json-schema", schema, ...json],
    scenario: [output({ age: 36 })],
  })
  expect(run).toMatchObject({ code: 0, stderr: "" })
  expect(JSON.parse(run.stdout)).toMatchObject({
    subtype: "success",
    result: '{"age":36}',
    structured_output: { age: 36 },
  })
})

test.concurrent("--json-schema: as text, the answer is the JSON alone", async () => {
  const run = await runCodewright({
    argv: ["-p", "how old?", "--json-schema", schema],
    scenario: [{ content: ["Here it is:", { tool: "StructuredOutput", input: { age: 36 } }] }],
  })
  expect(run).toMatchObject({ code: 0, stdout: '{"age":36}\n', stderr: "" })
})

test.concurrent("--json-schema: five wrong answers are an error of their own", async () => {
  const wrong = output({})
  const run = await runCodewright({
    argv: ["-p", "how old?", "--json-schema", schema, ...json],
    scenario: [wrong, wrong, wrong, wrong, wrong],
  })
  expect(run.code).toBe(1)
  expect(JSON.parse(run.stdout)).toMatchObject({ subtype: "error_max_structured_output_retries", is_error: true })
})

test.concurrent("wrong schemas and tools are refused before anything is sent", async () => {
  const refused = async (...argv: readonly string[]): Promise<string> => {
    const run = await runCodewright({ argv: ["-p", "hello", ...argv] })
    expect(run).toMatchObject({ code: 1, requests: [] })
    return run.stderr
  }
  expect(await refused("--json-schema", "{")).toContain("--json-schema must be a JSON Schema as an object")
  expect(await refused("--json-schema", '{"type":"array"}')).toContain("must describe an object")
  expect(await refused("--permission-prompt-tool", "approve")).toContain("must be a tool of an MCP server")
})

test.concurrent("--permission-prompt-tool: a tool that is not there says no", async () => {
  using place = openPlace({})
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--permission-prompt-tool", "mcp__none__decide", ...json],
    scenario: [{ content: [{ tool: "Bash", input: { command: "touch made" } }] }, "Understood."],
  })
  expect(run.code).toBe(0)
  expect(existsSync(join(place.work, "made"))).toBe(false)
  expect(JSON.stringify(run.requests[1]?.body)).toContain("there is no such tool")
})

test.concurrent("--permission-prompts none: nobody is asked, whatever tool could answer", async () => {
  using place = openPlace({})
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--permission-prompt-tool=mcp__none__decide", "--permission-prompts=none", ...json],
    scenario: [{ content: [{ tool: "Bash", input: { command: "touch made" } }] }, "Understood."],
  })
  expect(run.code).toBe(0)
  expect(existsSync(join(place.work, "made"))).toBe(false)
  expect(JSON.parse(run.stdout)).toMatchObject({ permission_denials: [{ tool_name: "Bash" }] })
  expect(JSON.stringify(run.requests[1]?.body)).not.toContain("there is no such tool")
})

test.concurrent("a resumed session is asked by the same tool, unless the flags say otherwise", async () => {
  using place = openPlace({})
  const id = crypto.randomUUID()
  const touch = { content: [{ tool: "Bash", input: { command: "touch made" } }] }
  const run = (...argv: readonly string[]) =>
    runCodewright({ place, argv: ["-p", "go", ...argv, ...json], scenario: [touch, "Understood."] })
  await run("--session-id", id, "--permission-prompt-tool", "mcp__none__decide")
  const resumed = await run("--resume", id)
  expect(JSON.stringify(resumed.requests[1]?.body).match(/there is no such tool/g)).toHaveLength(2)
  const alone = await run("--resume", id, "--permission-prompts", "none")
  expect(JSON.stringify(alone.requests[1]?.body).match(/there is no such tool/g)).toHaveLength(2)
})

test.concurrent("a stream tells of the hooks of the end before its result", async () => {
  const hooks = { SessionEnd: [{ hooks: [{ type: "command", command: "echo bye" }] }] }
  const stream = ["-p", "go", "--output-format", "stream-json", "--verbose", "--include-hook-events"]
  const run = await runCodewright({
    argv: [...stream, "--settings", JSON.stringify({ hooks })],
    scenario: ["Done."],
  })
  expect(run.code).toBe(0)
  expect(
    linesOf(run.stdout).map(({ type, subtype, hook_event }) => [type, subtype, hook_event].join(" ").trim()),
  ).toEqual([
    "system init",
    "assistant",
    "system hook_started SessionEnd",
    "system hook_response SessionEnd",
    "result success",
  ])
})
