/** What is said with a slash to the program in a script. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
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
  const isolated = await runCodewright({
    place,
    argv: ["-p", "--trust", "--setting-sources=", "/greet Ada"],
    scenario: ["What is that?"],
  })
  const plain = await runCodewright({
    place,
    argv: ["-p", "--disable-slash-commands", "/greet Ada"],
    scenario: ["What is that?"],
  })
  expect(said(plain.requests[0]?.body)).toContain('"/greet Ada"')
  expect(isolated).toMatchObject({ code: 0, stdout: "What is that?\n", stderr: "" })
  expect(said(isolated.requests[0]?.body)).toContain('"/greet Ada"')
})

test.concurrent(
  "one that there is not is sent to the model as it is, with a word about those that are near",
  async () => {
    using place = openPlace({ ".claude/commands/deploy.md": "Deploy." })
    const run = await runCodewright({ place, argv: ["-p", "/deplyo now"], scenario: ["Deploy what?"] })
    expect(run).toMatchObject({ code: 0, stdout: "Deploy what?\n" })
    expect(said(run.requests[0]?.body)).toContain('"/deplyo now"')
    expect(run.stderr).toBe("Unknown command /deplyo. Did you mean /deploy? It was sent as text.\n")
    const far = await runCodewright({ place, argv: ["-p", "/zzqqx now"], scenario: ["What is that?"] })
    expect(far).toMatchObject({ code: 0, stdout: "What is that?\n", stderr: "" })
  },
)

test.concurrent("what the session answers by itself is the result, without a request; a path is a prompt", async () => {
  using place = openPlace({ ".claude/commands/deploy.md": "Deploy." })
  const help = await runCodewright({ place, argv: ["-p", "/help"] })
  expect(help).toMatchObject({ code: 0, requests: [], stdout: expect.stringMatching(/^ {2}\/deploy +Deploy\.$/m) })
  const stream = await runCodewright({ place, argv: ["-p", "--output-format=stream-json", "--verbose", "/cost"] })
  const lines = stream.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; result?: string })
  expect(lines.map(({ type }) => type)).toEqual(["system", "user", "result"])
  expect(lines.at(-1)?.result).toBe("No usage yet.")
  const path = await runCodewright({ place, argv: ["-p", "/tmp fills up"], scenario: ["Clean it."] })
  expect(path).toMatchObject({ code: 0, stdout: "Clean it.\n" })
})

test.concurrent(
  "a script gets every command of the program: text, changes that stay, and what is wrong as an error",
  async () => {
    using place = openPlace()
    const id = "00000000-0000-4000-8000-0000000000aa"
    const first = await runCodewright({ place, argv: ["-p", "--session-id", id, "hello"], scenario: ["Hello."] })
    expect(first.code).toBe(0)
    const say = (line: string) => runCodewright({ place, argv: ["-p", "--resume", id, line] })
    expect(await say("/rename The parser")).toMatchObject({
      code: 0,
      stdout: 'Renamed to "The parser".\n',
      requests: [],
    })
    expect(await say("/model")).toMatchObject({ code: 0, stdout: expect.stringContaining("/model <name> changes it.") })
    expect(await say("/resume")).toMatchObject({ code: 0, stdout: expect.stringContaining("The parser") })
    expect(await say("/resume parser")).toMatchObject({ stdout: `Resume with: codewright --resume ${id}\n` })
    expect(await say("/permissions")).toMatchObject({
      stdout: expect.stringContaining("There are no permission rules. /permissions add"),
    })
    expect(await say("/clear")).toMatchObject({ code: 0, requests: [] })
    expect(await say("/rewind 1")).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no prompt 1.") })
    expect(await say("/redo")).toMatchObject({ code: 0, stdout: "Undid the last rewind.\n" })
    expect(await say("/rewind")).toMatchObject({ code: 0, stdout: expect.stringContaining("hello\n/rewind <number>") })
    const style = await say("/output-style learning")
    expect([style.code, JSON.parse(readFileSync(join(place.state, "settings.json"), "utf8"))]).toEqual([
      0,
      { outputStyle: "learning" },
    ])
  },
)

test.concurrent("in a folder that is not trusted a command's text is used, and what was left out is said", async () => {
  using place = openPlace({ ".claude/commands/x.md": "---\nallowed-tools: Bash\n---\nSee !`touch ran`" })
  const run = await runCodewright({ place, argv: ["-p", "/x"], scenario: ["Seen."] })
  expect(run.code).toBe(0)
  expect(run.stderr).toContain("/x came with this folder, which is not trusted")
  expect(await Bun.file(`${place.work}/ran`).exists()).toBe(false)
})

test.concurrent(
  "with -p a command of a file is stronger than a built-in of its name, and names are of any language",
  async () => {
    using place = openPlace()
    for (const name of ["help", "tasks", "überprüfen", "レビュー", "пров:ерка", "🚀go"])
      place.write(join(place.state, `commands/${name.replace(":", "/")}.md`), `The text of ${name}, for $ARGUMENTS.`)
    // As some file systems write it: the letter and its dots apart.
    const typed = ["help", "tasks", "u\u0308berpru\u0308fen", "überprüfen", "レビュー", "пров:ерка", "🚀go"]
    for (const name of typed) {
      const run = await runCodewright({ place, argv: ["-p", `/${name} Ada`], scenario: ["ok"] })
      expect(run).toMatchObject({ code: 0, stdout: "ok\n" })
      expect(JSON.stringify(Object(run.requests[0]?.body).messages)).toContain(
        `The text of ${name.normalize("NFC")}, for Ada.`,
      )
    }
    const near = await runCodewright({ place, argv: ["-p", "/レビュ"], scenario: ["ok"] })
    expect(near).toMatchObject({ code: 0, stdout: "ok\n" })
    expect(near.stderr).toContain("レビュー")
  },
)
