/** Output styles in whole sessions: what a conversation began with holds until it begins anew. */

import { afterEach, expect, test } from "bun:test"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { says } from "../../kit/script.ts"

const open: TestSession[] = []
afterEach(async () => {
  for (const session of open.splice(0).toReversed()) await session[Symbol.asyncDispose]()
})

async function start(options: TestSessionOptions & { readonly outputStyle?: string }): Promise<TestSession> {
  const { outputStyle, ...rest } = options
  const session = await openTestSession({
    extensions: { claudeFolder: "/nonexistent", bundled: false, ...(outputStyle !== undefined && { outputStyle }) },
    ...rest,
    place: { trusted: true, ...rest.place },
  })
  open.push(session)
  return session
}

const systems = (t: TestSession): readonly string[] =>
  t.simulator.requests.map(({ body }) => JSON.stringify((body as { system: unknown }).system))

const pirate = "---\nname: pirate\ndescription: Arr\n---\nTalk like a pirate."

test("a style of a file takes the place of the tone", async () => {
  const t = await start({
    outputStyle: "pirate",
    script: [says("Arr.")],
    files: { ".codewright/output-styles/p.md": pirate },
  })
  await t.prompt("hello")
  expect(systems(t)[0]).toContain("# Output style: pirate\\nTalk like a pirate.")
  expect(systems(t)[0]).not.toContain("# How to write")
  expect((await t.ask({ type: "styles" })).chosen).toBe("pirate")
})

test("one of a folder that is not trusted is none", async () => {
  const t = await start({
    outputStyle: "pirate",
    script: [says("Hello.")],
    place: { trusted: false },
    files: { ".codewright/output-styles/p.md": pirate },
  })
  await t.prompt("hello")
  expect(systems(t)[0]).not.toContain("pirate")
  expect(systems(t)[0]).toContain("# How to write")
  expect(t.entries().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))).toEqual([
    "There is no output style pirate. There are default, explanatory, learning. The usual one is used.",
  ])
})

test("/output-style says when it holds: the conversation goes on as it began, the next one has it", async () => {
  const t = await start({ script: [says("One."), says("Two."), says("Three.")] })
  await t.prompt("one")
  await t.prompt("/output-style learning")
  const answer = t.entries().findLast((entry) => entry.kind === "command")
  expect(answer?.kind === "command" && answer.text).toBe(
    "Output style: learning, after /clear and in new sessions. This conversation keeps its style.",
  )
  await t.prompt("two")
  void t.session.submit({ type: "clear" })
  await t.settled()
  await t.prompt("three")
  const [one, two, three] = systems(t)
  expect(two).toBe(one ?? "")
  expect(three).toContain("# Output style: learning")
  expect(JSON.parse(t.read(".codewright/settings.local.json"))).toEqual({ outputStyle: "learning" })
})
