/** What is said with a slash to the program in a script. */

import { expect, test } from "bun:test"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"

const said = (body: unknown): string => JSON.stringify((body as { messages: unknown[] }).messages)

test.concurrent("a command of the project, an output style and the trailer come from files and settings", async () => {
  using place = openPlace({
    ".claude/commands/greet.md": "---\ndescription: Greets\n---\nGreet $1.",
    ".codewright/settings.json": '{ "outputStyle": "explanatory" }',
  })
  const run = await runCodewright({
    place,
    argv: ["-p", "--trust", "/greet Ada"],
    scenario: ["Hello Ada."],
  })
  expect(run).toMatchObject({ code: 0, stdout: "Hello Ada.\n" })
  expect(said(run.requests[0]?.body)).toContain("Greet Ada.")
  expect(JSON.stringify(run.requests[0]?.body)).toContain("# Output style: explanatory")
  const isolated = await runCodewright({ place, argv: ["-p", "--trust", "--setting-sources=", "/greet Ada"] })
  const plain = await runCodewright({
    place,
    argv: ["-p", "--disable-slash-commands", "/greet Ada"],
    scenario: ["What is that?"],
  })
  expect(said(plain.requests[0]?.body)).toContain('"/greet Ada"')
  expect(isolated).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("There is no command /greet."),
  })
})

test.concurrent(
  "one that there is not ends with an error that names those that are near, and nothing is sent",
  async () => {
    using place = openPlace({ ".claude/commands/deploy.md": "Deploy." })
    const run = await runCodewright({ place, argv: ["-p", "/deplyo now"] })
    expect(run).toMatchObject({ code: 1, stdout: "", requests: [] })
    expect(run.stderr).toContain("There is no command /deplyo. Did you mean /deploy?")
    const json = await runCodewright({ place, argv: ["-p", "--output-format", "json", "/deplyo now"] })
    expect(JSON.parse(json.stdout)).toMatchObject({ type: "result", is_error: true, subtype: "error_during_execution" })
    expect(json.code).toBe(1)
  },
)

test.concurrent("what the session answers by itself is the result, without a request; a path is a prompt", async () => {
  using place = openPlace({ ".claude/commands/deploy.md": "Deploy." })
  const help = await runCodewright({ place, argv: ["-p", "/help"] })
  expect(help).toMatchObject({ code: 0, requests: [], stdout: expect.stringContaining("/deploy  Deploy.\n") })
  const stream = await runCodewright({ place, argv: ["-p", "--output-format=stream-json", "--verbose", "/cost"] })
  const lines = stream.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; result?: string })
  expect(lines.map(({ type }) => type)).toEqual(["system", "user", "result"])
  expect(lines.at(-1)?.result).toBe("Nothing was spent yet.")
  const path = await runCodewright({ place, argv: ["-p", "/tmp fills up"], scenario: ["Clean it."] })
  expect(path).toMatchObject({ code: 0, stdout: "Clean it.\n" })
})

test.concurrent("in a folder that is not trusted a command's text is used, and what was left out is said", async () => {
  using place = openPlace({ ".claude/commands/x.md": "---\nallowed-tools: Bash\n---\nSee !`touch ran`" })
  const run = await runCodewright({ place, argv: ["-p", "/x"], scenario: ["Seen."] })
  expect(run.code).toBe(0)
  expect(run.stderr).toContain("/x came with this folder, which is not trusted")
  expect(await Bun.file(`${place.work}/ran`).exists()).toBe(false)
})
