/** What a client may give at the opening: the system prompt, tools, skills, and how to plan. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { clientWith } from "../../kit/mcp/in-client.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

setDefaultTimeout(300_000)

interface Sent {
  readonly system?: readonly { readonly text: string }[]
  readonly tools?: readonly { readonly name: string; readonly description: string }[]
}
const sent = (t: TestSession): readonly Sent[] => t.simulator.requests.map(({ body }) => body as Sent)
const system = (t: TestSession): readonly string[] => (sent(t)[0]?.system ?? []).map(({ text }) => text)
const tools = (t: TestSession): readonly string[] => (sent(t)[0]?.tools ?? []).map(({ name }) => name)

test.each([
  ["a text", "Be terse.", ["Be terse."]],
  ["a list", ["One.", "Two."], ["One.", "Two."]],
  ["nothing", "", []],
  ["a list of nothing", [""], []],
])("the system prompt is given whole: %s", async (_name, replaced, expected) => {
  await using t = await openTestSession({ script: [says("ok")], system: { replaced } })
  expect(await t.prompt("hello")).toEqual({ reason: "completed" })
  expect(system(t)).toEqual(expected)
})

test("what is appended follows our own prompt, or the given one", async () => {
  await using t = await openTestSession({ script: [says("ok")], system: { appended: "Also this." } })
  await t.prompt("hello")
  expect(system(t)[0]).toStartWith("You are Codewright")
  expect(system(t)[1]).toBe("Also this.")
  await using u = await openTestSession({ script: [says("ok")], system: { replaced: [""], appended: "Also this." } })
  await u.prompt("hello")
  expect(system(u)).toEqual(["Also this."])
})

test("without what changes from folder to folder, the system prompt is the same everywhere, and the first message says it", async () => {
  const opened = () => openTestSession({ script: [says("ok")], system: { environmentPlace: "elsewhere" } })
  await using t = await opened()
  await using u = await opened()
  await t.prompt("hello")
  await u.prompt("hello")
  expect(system(t)).toEqual(system(u))
  expect(JSON.stringify(t.requests()[0])).toContain(`Working folder: ${t.root}`)
})

test("chosen tools are all there is; a client without servers has no search, one with servers does", async () => {
  const { port } = clientWith({ calc: () => [{ name: "add", run: () => ({ content: [] }) }] })
  await using t = await openTestSession({ script: [says("ok")], client: { port }, tools: [] })
  await t.prompt("hello")
  expect(tools(t)).toEqual([])
  await using u = await openTestSession({ script: [says("ok")], client: { port }, tools: ["Read", "Bash"] })
  await u.prompt("hello")
  expect(tools(u)).toEqual(["Read", "Bash"])
  await using v = await openTestSession({
    script: [says("ok")],
    client: { port, servers: ["calc"] },
    tools: [],
    outputSchema: { type: "object" },
    deferral: "never",
  })
  await v.prompt("hello")
  expect(tools(v).toSorted()).toEqual(["CallTool", "StructuredOutput", "ToolSearch", "mcp__calc__add"])
})

test("only the chosen skills are listed and can be loaded", async () => {
  using folder = temporaryFolder()
  const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\nDo ${name}.\n`
  await using t = await openTestSession({
    files: { ".claude/skills/one/SKILL.md": skill("one"), ".claude/skills/two/SKILL.md": skill("two") },
    place: { trusted: true },
    extensions: { claudeFolder: folder.path, bundled: false, skills: ["one"] },
    allow: ["Skill"],
    script: [calls(use("Skill", { skill: "two" })), says("ok")],
  })
  await t.prompt("hello")
  expect(await t.ask({ type: "skills" })).toEqual(["one"])
  expect(JSON.stringify(t.requests()[0])).not.toContain("About two")
  expect(t.results()[0]).toMatchObject({ isError: true })
})

test("instructions for planning take the place of our steps; what plan mode forbids and how it ends stays", async () => {
  await using t = await openTestSession({
    script: [says("ok")],
    mode: "plan",
    plan: { instructions: "Draw the plan as a haiku." },
    answers: () => undefined,
  })
  await t.prompt("plan it")
  const first = JSON.stringify(t.requests()[0])
  expect(first).toContain("Draw the plan as a haiku.")
  expect(first).not.toContain("1. Understand")
  expect(first).toContain("Every call that could change something is refused")
  expect(first).toContain("End every planning turn with one of two calls")
})
