/** Plain mode in a real terminal: every command, shell commands, notes, several lines, the queue, and quitting. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { lineCommands } from "#faces/lines/own-commands.ts"
import { slashTable } from "#session/slash/table.ts"
import { controlC, controlD, enter, openTerminal, processesBelow, type Terminal } from "../../kit/open-terminal.ts"
import { readingMs } from "../../kit/open-screen.ts"
import { openPlace } from "../../kit/run-codewright.ts"
import { talkIn } from "../../kit/sent.ts"

const prompt = "\n> "
const choice = "Enter to cancel: "

/** Types a line and gives what came until something is asked for again. */
async function after(terminal: Terminal, line: string): Promise<string> {
  const before = terminal.screen().length
  terminal.type(line + enter)
  for (;;) {
    await Bun.sleep(20)
    const since = terminal.screen().slice(before)
    if (since.length > line.length + 1 && (since.endsWith(prompt) || since.endsWith(choice))) return since
  }
}

/** These leave the conversation; they have tests of their own. */
const leaving: readonly string[] = ["bg", "exit", "fork"]

test("every command answers in lines, and what can be chosen is numbered and asked for", async () => {
  using place = openPlace()
  await using terminal = await openTerminal({
    place,
    argv: ["hello"],
    scenario: ["Hello.", "<summary>Nothing.</summary>", "x", "x"],
  })
  await terminal.shows(`Hello.${prompt}`)
  const asked = new Set<string>()
  for (const { name } of [...slashTable, ...lineCommands].filter((one) => !leaving.includes(one.name))) {
    const said = await after(terminal, `/${name}`)
    expect(said).not.toContain("Unknown command")
    expect(said.replace(`/${name}`, "").trim()).not.toBe(">")
    if (!said.endsWith(choice)) continue
    asked.add(name)
    expect(said).toMatch(/^ *1\. /m)
    expect(await after(terminal, "99")).toEndWith(`There is no such number. ${said.slice(said.lastIndexOf("\n") + 1)}`)
    expect(await after(terminal, "")).toEndWith(`Nothing changed.${prompt}`)
  }
  expect([...asked].toSorted()).toEqual([
    "branches",
    "config",
    "effort",
    "gates",
    "mode",
    "model",
    "output-style",
    "resume",
    "theme",
  ])
}, 300_000)

test("bad input is answered with what to do", async () => {
  using place = openPlace()
  await using terminal = await openTerminal({ place, argv: ["hello"], scenario: ["Hello."] })
  await terminal.shows(`Hello.${prompt}`)
  for (const [line, words] of [
    ["!", "! Write a command after it, as in !npm test.\n"],
    ["#", "! Write a note after it, as in #Use tabs.\n"],
    ["/nothing", "! Unknown command /nothing. /help lists the commands.\n"],
    ["/exti", "! Unknown command /exti. Did you mean /exit?\n"],
    ["/mode fast", "! There is no mode fast."],
    ["/mode 9", "! There is no choice 9. They are numbered 1 to 7.\n"],
    [
      "/gates git",
      "! Write a gate and on or off: /gates git on. The gates are clarify, plan, files, git, testFirst.\n",
    ],
    ["/effort huge", "! There is no effort level huge."],
    ["/rewind 7", "! There is no prompt 7. They are numbered 1 to 1.\n"],
    ["/branches 7", "! There is no branch 7."],
    ["/tasks stop 3", "! There is no choice 3.\n"],
    ["/tasks stop bash_9", "! No task bash_9 is running. /tasks lists them.\n"],
    ["/mcp github off", "! There is no MCP server github. /mcp lists them.\n"],
    ["/output-style pirat", "! There is no output style pirat."],
    ["/config themes x", "! /config has no setting themes. Did you mean theme?\n"],
    ["/config theme purple", "! theme is one of "],
    ["/theme purple", "! theme is one of "],
    ["/login sk-ant-123", "! Do not type the key after the command"],
    ["/queue clear", "! /queue takes withdraw or withdraw last, not clear.\n"],
    ["/queue", "Nothing is queued.\n"],
  ] as const)
    expect(await after(terminal, line)).toContain(words)
  expect(terminal.requests).toHaveLength(1)
})

test("a mode is chosen by number, by its name or as it is spelled in settings; /login says what to do", async () => {
  using place = openPlace()
  await using terminal = await openTerminal({ place, argv: ["--model", "sim"] })
  await terminal.shows("> ")
  const listed = await after(terminal, "/mode")
  expect(listed).toMatch(/^2\. +acceptEdits +accept edits: edit files without asking/m)
  expect(await after(terminal, "2")).toContain("Mode: accept edits\n")
  expect(await after(terminal, "/mode ask")).toContain("Mode: ask\n")
  expect(await after(terminal, "/mode deny unless allowed")).toContain("Mode: deny unless allowed\n")
  expect(await after(terminal, "/mode acceptedits")).toContain("Mode: accept edits\n")
  const login = await after(terminal, "/login")
  expect(login).toMatch(/To add or change a key, run\s\S+\slogin\sin\sanother\sterminal\.\n/)
  expect(login).toContain("Then choose a model here with /model: the simulator needs no key.\n")
})

test("gates are shown with who asks for them, and switched by number or name", async () => {
  using place = openPlace({ ".codewright/settings.json": JSON.stringify({ gates: { files: true } }) })
  await using terminal = await openTerminal({ place, argv: ["--model", "sim", "--gates", "git"] })
  await terminal.shows("> ")
  const listed = await after(terminal, "/gates")
  expect(listed).toMatch(/^3\. +files +on +Have me review files after they are created +set by the project$/m)
  expect(listed).toMatch(/^4\. +git +on +Ask me before git changes anything +set for this session$/m)
  expect(await after(terminal, "2")).toContain("The plan gate is on for this session.\n")
  expect(await after(terminal, "/gates Files off")).toContain("The files gate is off for this session.\n")
  const now = await after(terminal, "/gates")
  expect(now).toMatch(/^2\. +plan +on +Have me approve a plan before anything changes +set for this session$/m)
  expect(now).toMatch(/^3\. +files +off +Have me review files after they are created +switched off for this session$/m)
  await after(terminal, "")
  expect(await after(terminal, "/status")).toMatch(/^Gates +plan, git$/m)
})

test("several lines are one prompt: after a backslash, pasted, or arriving at once", async () => {
  using place = openPlace()
  await using terminal = await openTerminal({ place, argv: [], scenario: ["One.", "Two.", "Three.", "Four."] })
  await terminal.shows("> ")
  terminal.type(`first \\${enter}`)
  await terminal.shows("... ")
  terminal.type(`second${enter}`)
  await terminal.shows(`One.${prompt}`)
  terminal.type("\u001b[200~# Title\rtext \\\rend\u001b[201~")
  await terminal.shows("end")
  terminal.type(enter)
  await terminal.shows(`Two.${prompt}`)
  terminal.type("\u001b[200~whole\rlines\r\u001b[201~")
  await terminal.shows("... ")
  terminal.type(enter)
  await terminal.shows(`Three.${prompt}`)
  terminal.type(`a\rb\rc${enter}`)
  await terminal.shows(`Four.${prompt}`)
  expect(terminal.requests.map((request) => talkIn(request).at(-1))).toEqual([
    expect.stringMatching(/first \nsecond$/),
    expect.stringMatching(/# Title\ntext \\\nend$/),
    expect.stringMatching(/whole\nlines\n?$/),
    expect.stringMatching(/a\nb\nc$/),
  ])
  terminal.type(`lost \\${enter}`)
  await terminal.shows("... ")
  terminal.type(controlC)
  await terminal.shows("\n> ")
  terminal.type(controlD)
  expect(await terminal.exited).toBe(0)
  expect(terminal.requests).toHaveLength(4)
})

test("a note is saved where it is chosen to, and nowhere without a choice", async () => {
  using place = openPlace()
  await using terminal = await openTerminal({ place, argv: [], scenario: [] })
  await terminal.shows("> ")
  const said = await after(terminal, "#Use tabs.")
  expect(said).toContain("Save this note to:\n1. ")
  const path = /^1\. .*, (\S+)$/m.exec(said)?.[1]?.replace("~", place.home) ?? ""
  expect(await after(terminal, "")).toEndWith(`The note is not saved.${prompt}`)
  expect(existsSync(path)).toBe(false)
  await after(terminal, "# Use tabs.")
  expect(await after(terminal, "1")).toContain("Saved to ")
  expect(readFileSync(path, "utf8")).toContain("Use tabs.")
  await after(terminal, "#Again.")
  terminal.type(controlC)
  await terminal.shows(`The note is not saved.${prompt}`)
})

test("what is queued is listed and taken back", async () => {
  using place = openPlace()
  const bash = { content: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } }] }
  await using terminal = await openTerminal({
    place,
    argv: ["start", "--allowed-tools", "Bash"],
    scenario: [bash, "Done."],
  })
  await terminal.shows("* Bash until")
  for (const line of ["one", "two"]) {
    terminal.type(line + enter)
    await terminal.shows("+ Sent at the next step.\n")
  }
  terminal.type(`/queue${enter}`)
  await terminal.shows("Queued:\n1. one\n2. two\n")
  terminal.type(`/queue withdraw last${enter}`)
  await terminal.shows("! Not sent, type it again if you still want it: two\n")
  terminal.type(`/queue withdraw${enter}`)
  await terminal.shows("! Not sent, type it again if you still want it: one\n")
  place.write("go", "")
  await terminal.shows(`Done.${prompt}`)
  expect(JSON.stringify(terminal.requests[1])).not.toContain('"one"')
})

test("tasks are shown and stopped by number; quitting asks before it stops any", async () => {
  using place = openPlace()
  const bash = (command: string) => ({
    content: [{ tool: "Bash", input: { command, run_in_background: true } }],
  })
  await using terminal = await openTerminal({
    place,
    argv: ["start", "--allowed-tools", "Bash"],
    scenario: [bash("echo ready; sleep 600"), bash("sleep 601"), "Started."],
  })
  await terminal.shows(`Started.${prompt}`)
  const listed = await after(terminal, "/tasks")
  expect(listed).toMatch(/1\. .*command.*running for .*echo ready; sleep 600\n2\. .*sleep 601\n/)
  expect(await after(terminal, "1")).toContain("Its output:\nready\n1. Stop it\n1, Enter to cancel: ")
  expect(await after(terminal, "1")).toContain("Stopped ")
  terminal.type(`/exit${enter}`)
  await terminal.shows("Quitting stops 1 background task:\n  sleep 601\nQuit and stop 1 background task? yes or no: ")
  terminal.type(`no${enter}`)
  await terminal.shows("> ")
  terminal.type(controlD)
  await terminal.shows("Quit and stop 1 background task? yes or no: ")
  terminal.type(`no${enter}`)
  await terminal.shows("> ")
  terminal.type(controlC)
  await terminal.shows(`Press Ctrl+C again or Ctrl+D to quit.${prompt}`)
  terminal.type(controlC)
  await terminal.shows("Quit and stop 1 background task? yes or no: ")
  terminal.type(`yes${enter}`)
  expect(await terminal.exited).toBe(0)
  expect(processesBelow(place.work)).toEqual([])
})

test("Ctrl+D at a question of the agent asks about background tasks first, and the question stays", async () => {
  using place = openPlace()
  await using terminal = await openTerminal({
    place,
    argv: ["start", "--allowed-tools", "Bash(sleep:*)"],
    scenario: [
      { content: [{ tool: "Bash", input: { command: "sleep 602", run_in_background: true } }] },
      { content: [{ tool: "Write", input: { file_path: "a.txt", content: "new\n" } }] },
      "Written.",
    ],
  })
  await terminal.shows("1 to 4, or what to do differently: ")
  terminal.type(controlD)
  await terminal.shows("Quit and stop 1 background task? yes or no: ")
  terminal.type(`no${enter}`)
  await terminal.shows("1 to 4, or what to do differently: ")
  await Bun.sleep(readingMs)
  terminal.type(`1${enter}`)
  await terminal.shows(`Written.${prompt}`)
  expect(await place.read("a.txt")).toBe("new\n")
  terminal.type(controlD)
  await terminal.shows("Quit and stop 1 background task? yes or no: ")
  terminal.type(`yes${enter}`)
  expect(await terminal.exited).toBe(0)
  expect(processesBelow(place.work)).toEqual([])
})

test("a rewind asks for the prompt, then for what; a fork continues in a copy", async () => {
  using place = openPlace()
  await using terminal = await openTerminal({
    place,
    argv: ["write it", "--permission-mode", "acceptEdits"],
    scenario: [
      { content: [{ tool: "Write", input: { file_path: "a.txt", content: "new\n" } }] },
      "Written.",
      "In the copy.",
    ],
  })
  await terminal.shows(`Written.${prompt}`)
  expect(await after(terminal, "/rewind")).toMatch(/1\. .* 1 file .*write it\n/)
  expect(await after(terminal, "1")).toContain(
    'Rewind to before "write it": 1 file changed since.\n1. Restore files and conversation\n',
  )
  expect(await after(terminal, "2")).toContain("Rewound")
  expect(existsSync(join(place.work, "a.txt"))).toBe(false)
  terminal.type(`/fork${enter}`)
  await terminal.shows("Codewright in ")
  await terminal.shows("> ")
  expect(await after(terminal, "and now")).toContain("In the copy.")
  expect(talkIn(terminal.requests[2]).join("\n")).toContain("Written.")
})
