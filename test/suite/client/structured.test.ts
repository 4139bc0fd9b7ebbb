/** Structured output: the answer is data in the form that was asked for, or the turn says that it is not. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, use } from "../../kit/script.ts"
import { on } from "../hooks/hooks.ts"

setDefaultTimeout(300_000)

const outputSchema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
} as const
const output = (input: { name?: string; age?: unknown }) => use("StructuredOutput", input as never)
const lastEnd = (t: TestSession) =>
  t.entries().findLast((entry): entry is Entry & { kind: "turn_end" } => entry.kind === "turn_end")

test("the tool has the schema, its call ends the turn at once, and the end has the value", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "Ada, 36\n" },
    script: [calls(read("a.txt")), calls(output({ name: "Ada", age: 36 }))],
    outputSchema,
  })
  await t.prompt("who?")
  expect(lastEnd(t)).toMatchObject({ reason: "completed", output: { name: "Ada", age: 36 } })
  expect(t.simulator.requests).toHaveLength(2)
  const tools = t.simulator.requests.map(
    ({ body }) => (body as { tools: { name: string; input_schema: unknown }[] }).tools,
  )
  expect(tools[0]?.find(({ name }) => name === "StructuredOutput")?.input_schema).toEqual(outputSchema)
})

test("an output that does not fit is told with its place, and the next one may fit", async () => {
  await using t = await openTestSession({
    script: [calls(output({ name: "Ada", age: "36" })), calls(output({ name: "Ada", age: 36 }))],
    outputSchema,
  })
  await t.prompt("who?")
  expect(t.results()[0]).toMatchObject({ isError: true })
  expect(t.results()[0]?.content).toEndWith("call the tool again with the whole output:\n/age: must be an integer")
  expect(lastEnd(t)).toMatchObject({ reason: "completed", output: { name: "Ada", age: 36 } })
})

test("five failures end the turn in their own way; the next turn begins to count anew", async () => {
  const wrong = calls(output({ name: "Ada" }))
  await using t = await openTestSession({
    script: [wrong, wrong, wrong, wrong, wrong, calls(output({ name: "Ada", age: 36 }))],
    outputSchema,
  })
  expect(await t.prompt("who?")).toEqual({
    reason: "structured_output_retry_exhausted",
    message: "The model gave no output that fits the schema in 5 tries.",
  })
  expect(lastEnd(t)?.output).toBeUndefined()
  expect(t.simulator.requests).toHaveLength(5)
  expect(await t.prompt("again?")).toEqual({ reason: "completed" })
})

test("whoever stops without it is reminded; stopping again and again ends like five failures", async () => {
  await using t = await openTestSession({
    script: [says("Ada is 36."), calls(output({ name: "Ada", age: 36 }))],
    outputSchema,
  })
  await t.prompt("who?")
  expect(JSON.stringify(t.requests()[1]?.at(-1))).toContain("call StructuredOutput with it now")
  expect(lastEnd(t)).toMatchObject({ reason: "completed", output: { name: "Ada", age: 36 } })

  const talk = says("Ada is 36.")
  await using u = await openTestSession({ script: [talk, talk, talk, talk, talk, talk], outputSchema })
  expect(await u.prompt("who?")).toMatchObject({ reason: "structured_output_retry_exhausted" })
  expect(u.simulator.requests).toHaveLength(6)
})

test("a Stop hook may still ask for more; the last output counts", async () => {
  await using t = await openTestSession({
    script: [calls(output({ name: "Ada", age: 35 })), calls(output({ name: "Ada", age: 36 }))],
    outputSchema,
    hooks: { Stop: [on("[ -e ../asked ] || { touch ../asked; echo Count again. >&2; exit 2; }")] },
  })
  await t.prompt("who?")
  expect(lastEnd(t)).toMatchObject({ reason: "completed", output: { name: "Ada", age: 36 } })
})

test("agents do not have the tool, and after a resume the schema still counts", async () => {
  await using t = await openTestSession({
    script: [
      calls(use("Task", { description: "look", prompt: "look", subagent_type: "general-purpose" })),
      says("Ada is 36."),
      calls(output({ name: "Ada", age: 36 })),
      calls(output({ name: "Bob", age: 7 })),
    ],
    outputSchema,
  })
  await t.prompt("who?")
  const names = t.simulator.requests.map(({ body }) =>
    (body as { tools: { name: string }[] }).tools.some(({ name }) => name === "StructuredOutput"),
  )
  expect(names).toEqual([true, false, true])
  await using u = await t.reopen()
  await u.prompt("and now?")
  expect(lastEnd(u)).toMatchObject({ output: { name: "Bob", age: 7 } })
})

test("a schema that cannot be used is refused with the reason, and no log is begun", async () => {
  await using t = await openTestSession({ script: [] })
  const opened = async (schema: object) => {
    const again = await t.openAgain({ outputSchema: schema as never })
    return again.ok ? "opened" : again.failure
  }
  expect(await opened({ type: "array" })).toEqual({
    kind: "schema",
    message: 'The JSON schema for the output must describe an object: its type is "array".',
  })
  expect(await opened({ type: "object", properties: { a: { minLength: -1 } } })).toEqual({
    kind: "schema",
    message: "The JSON schema for the output cannot be used: #/properties/a/minLength must be a count, not -1.",
  })
})
