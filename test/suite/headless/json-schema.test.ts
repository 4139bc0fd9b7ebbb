/** `--json-schema`: the answer as data, in every format. */

import { expect, test } from "bun:test"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"

const schema = JSON.stringify({
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
})
const gives = (input: object) => ({ content: [{ tool: "StructuredOutput", input: input as never }] })
const ada = { name: "Ada", age: 36 }

test.concurrent("the result has the object, and its JSON as text", async () => {
  const argv = ["-p", "who?", `--json-schema=${schema}`]
  const text = await runCodewright({ argv, scenario: [gives(ada)] })
  expect(text).toMatchObject({ code: 0, stdout: `${JSON.stringify(ada)}\n`, stderr: "" })
  expect(text.requests).toHaveLength(1)
  const json = await runCodewright({ argv: [...argv, "--output-format=json"], scenario: [gives(ada)] })
  expect(linesOf(json.stdout)).toMatchObject([
    { subtype: "success", is_error: false, result: JSON.stringify(ada), structured_output: ada },
  ])
  const stream = [...argv, "--output-format=stream-json", "--verbose"]
  const lines = linesOf((await runCodewright({ argv: stream, scenario: [gives(ada)] })).stdout)
  expect(lines.at(-1)).toMatchObject({ type: "result", structured_output: ada })
})

test.concurrent("what does not match is asked for again, five times at most", async () => {
  using place = openPlace()
  const argv = ["-p", "who?", "--json-schema", schema, "--output-format", "json"]
  const again = await runCodewright({ place, argv, scenario: [gives({ name: "Ada" }), gives(ada)] })
  expect(again.code).toBe(0)
  expect(linesOf(again.stdout)).toMatchObject([{ structured_output: ada, num_turns: 2 }])
  const never = await runCodewright({ place, argv, scenario: () => gives({ name: 1 }) })
  expect(never.code).toBe(1)
  expect(linesOf(never.stdout)).toMatchObject([{ subtype: "error_max_structured_output_retries", is_error: true }])
})

test.concurrent("a schema that cannot be used is a mistake, and nothing is sent", async () => {
  const said = async (value: string) => {
    const run = await runCodewright({ argv: ["-p", "x", `--json-schema=${value}`] })
    expect(run).toMatchObject({ code: 1, stdout: "", requests: [] })
    return run.stderr
  }
  expect(await said("{")).toStartWith("error: --json-schema must be a JSON Schema as an object")
  expect(await said("[]")).toStartWith("error: --json-schema must be a JSON Schema as an object")
  expect(await said('{"type":"array"}')).toContain("must describe an object")
})
