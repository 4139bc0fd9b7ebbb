/** The program's own commands: one table, in every face, and what each comes to in a session. */

import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { lineCommands } from "#faces/lines/own-commands.ts"
import { commandsOf, terminalCommands } from "#faces/tui/commands.ts"
import type { Offer } from "#faces/tui/outcome.ts"
import { panelNames } from "#faces/tui/panels/ports.ts"
import { programCommands } from "#session/opening/program.ts"
import { slashTable, withOwn } from "#session/slash/table.ts"
import { paperState } from "../../kit/paper-session.ts"
import { calls, says, write } from "../../kit/script.ts"
import type { TestSession } from "../../kit/open-test-session.ts"
import { starting } from "./start.ts"

const { start } = starting()
const root = resolve(import.meta.dir, "../../..")

const names = (rows: readonly { readonly name: string }[]): string[] => rows.map(({ name }) => name).toSorted()
const answer = (t: TestSession): string => {
  const last = t.entries().findLast(({ kind }) => kind === "command")
  return last?.kind === "command" ? last.text : ""
}

describe("one table", () => {
  const around = {
    now: 0,
    columns: 80,
    agents: 0,
    rows: 24,
    offers: new Set<Offer>([...panelNames, "background", "workflow"]),
    modeCycle: [],
    sessionCommands: [],
    session: paperState,
  } as const

  test("every face offers exactly the table, and what it declares as its own", async () => {
    const t = await start({ script: [] })
    expect(names(await t.ask({ type: "commands" }))).toEqual(names(slashTable))
    expect(names(commandsOf(around))).toEqual(names([...slashTable, ...terminalCommands]))
    expect(names(withOwn(lineCommands, await t.ask({ type: "commands" })))).toEqual(
      names([...slashTable, ...lineCommands]),
    )
    expect(names(terminalCommands)).toEqual(["bg", "copy", "exit", "keys", "palette", "theme", "vim", "workflow"])
    expect(names(lineCommands)).toEqual(["bg", "copy", "exit", "keys", "queue", "theme", "vim"])
  })

  test("no name means two things", () => {
    const all = [...slashTable, ...terminalCommands].flatMap(({ name, aliases = [] }) => [name, ...aliases])
    expect(all).toHaveLength(new Set(all).size)
  })

  test("what a command is about is written once in the source, and is in the reference", () => {
    const source = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(join(root, "src", path), "utf8"))
      .join("\n")
    const reference = ["commands", "keys"].map((page) => readFileSync(join(root, `docs/reference/${page}.md`), "utf8"))
    for (const { name, about } of [...slashTable, ...terminalCommands]) {
      const isShared = lineCommands.some((command) => command.name === name)
      expect([name, source.split(`about: "${about}"`).length - 1]).toEqual([name, isShared ? 2 : 1])
      expect(reference.join("\n")).toContain(`${about}.`)
    }
  })
})

/** What needs words or something to undo, and what only the program around a session answers. */
const elsewhere: readonly string[] = ["rename", "redo", "uncompact", "compact", "add-dir", "btw", ...programCommands]

test.each(slashTable.filter(({ name }) => !elsewhere.includes(name)))(
  "/$name is answered in a turn of its own, and the model hears nothing of it",
  async ({ name }) => {
    const t = await start({ script: [says("Hello.")] })
    await t.prompt("hello")
    expect(await t.prompt(`/${name}`)).toEqual({ reason: "completed" })
    expect(answer(t)).not.toBe("")
    expect(t.requests()).toHaveLength(1)
  },
)

test.each([
  ["/rename", "Write the new title after it: /rename <title>"],
  ["/redo", "There is no rewind to undo."],
  ["/uncompact", "There is no compaction to undo."],
  ["/mode careful", "There is no mode careful."],
  ["/rewind 7", "There is no prompt 7. They are numbered 1 to 1."],
  ["/branches 3", "There is no branch 3."],
  ["/plan edit", "There is no plan yet. /plan to start one."],
  ["/output-style pirat", "There is no output style pirat."],
  ["/mode bypassPermissions", "Bypass mode must be enabled at start"],
  ["/tasks stop nobody", "No task nobody is running."],
  ["/add-dir", "Name the folder: /add-dir <folder>"],
  ["/add-dir nowhere", expect.stringMatching(/nowhere is not a folder\.$/)],
  ["/status", "/status is not available here."],
  ["/inspect x", "/inspect takes a request's number"],
])("%s fails with what to do", async (line, words) => {
  const t = await start({ script: [says("Hello.")] })
  await t.prompt("hello")
  expect(await t.prompt(line)).toMatchObject({ reason: "error", cause: "command" })
  expect(answer(t)).toEqual(typeof words === "string" ? expect.stringContaining(words) : words)
})

test("mode, model and title are changed at once, and a session that is opened again has them", async () => {
  const t = await start({ script: [] })
  for (const line of ["/mode ACCEPTEDITS", "/model claude-haiku-5-5", "/rename The parser"]) await t.prompt(line)
  const said = t.entries().flatMap((entry) => (entry.kind === "command" ? [entry.text] : []))
  expect(said).toEqual(["Mode: accept edits", "Model: claude-haiku-5-5", 'Renamed to "The parser".'])
  expect(await t.ask({ type: "state" })).toMatchObject({ mode: "acceptEdits", model: "claude-haiku-5-5" })
  expect(t.entries().findLast(({ kind }) => kind === "title")).toMatchObject({ text: "The parser", by: "person" })
})

test("/plan with a task plans it in the same turn, and the model gets the task alone", async () => {
  const t = await start({ script: [says("I plan.")] })
  expect(await t.prompt("/plan a new parser")).toEqual({ reason: "completed" })
  expect((await t.ask({ type: "state" })).mode).toBe("plan")
  expect(t.entries().flatMap((entry) => (entry.kind === "prompt" ? [entry.content] : []))).toEqual([
    [{ type: "text", text: "a new parser" }],
  ])
  expect(t.requests()).toHaveLength(1)
})

test("one goes back by number, forth again, and to the other branch; the turn of the command is where one arrives", async () => {
  const t = await start({
    script: [calls(write("a.txt", "one")), says("Written."), calls(write("b.txt", "two")), says("Written.")],
    mode: "acceptEdits",
  })
  await t.prompt("write a")
  await t.prompt("write b")
  await t.prompt("/rewind")
  expect(answer(t)).toMatch(
    /^1\. {2}just now {2}1 file {2}write a\n2\. {2}just now {2}1 file {2}write b\n\/rewind <number>/,
  )
  await t.prompt("/diff")
  expect(answer(t)).toMatch(
    /^1\. {2}a\.txt {2}\+1 {2}-0\n2\. {2}b\.txt {2}\+1 {2}-0\n\ndiff --git a\/a\.txt b\/a\.txt\n/,
  )
  expect(await t.prompt("/rewind 2")).toEqual({ reason: "completed" })
  expect(answer(t)).toBe('Rewound to before "write b". /redo to undo.')
  expect([Bun.file(t.path("a.txt")).size, Bun.file(t.path("b.txt")).size]).toEqual([3, 0])
  const kinds = t.entries().map(({ kind }) => kind)
  expect(kinds.slice(kinds.lastIndexOf("head"))).toEqual(["head", "turn_start", "command", "turn_end"])
  await t.prompt("/branches write")
  expect(answer(t)).toContain("/branches <number> to switch to one.")
  await t.prompt("/redo")
  expect(answer(t)).toBe("Undid the last rewind.")
  expect(t.read("b.txt")).toBe("two")
  await t.prompt("/clear")
  expect(answer(t)).toBe("Started a new conversation. /redo to return to the last one.")
  await using again = await t.reopen()
  await again.prompt("/rewind")
  expect(answer(again)).toBe("There is no prompt to rewind to yet.")
})

test("in a script a file's command wins over the program's of the same name; at a prompt the program's does", async () => {
  const files = { ".claude/commands/tasks.md": "---\ndescription: Our tasks\n---\nList our tasks." }
  const t = await start({ script: [says("Listed.")], files, answers: () => undefined })
  await t.prompt("/tasks")
  expect(answer(t)).toBe("Nothing is running.")
  const script = await start({ script: [says("Listed.")], files })
  await script.prompt("/tasks")
  expect(script.requests()).toHaveLength(1)
  expect((await script.ask({ type: "commands" })).find(({ name }) => name === "tasks")?.about).toBe("Our tasks")
})
