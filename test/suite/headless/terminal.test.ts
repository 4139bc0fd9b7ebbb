/** The conversation in lines, in a real terminal: prompts, questions, interrupts, and leaving. */

import { expect, test } from "bun:test"
import { cpSync, existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { controlC, controlD, enter, openTerminal, processesBelow, type Terminal } from "../../kit/open-terminal.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { resultIn, talkIn } from "../../kit/sent.ts"
import { until } from "../../kit/until.ts"

const question = "or what to do differently: "
const write = (path: string) => ({ content: [{ tool: "Write", input: { file_path: path, content: "new\n" } }] })
const slow = { timing: { pauses: [{ afterTokens: 8, ms: 60_000 }] } }

/** Waits for the question and answers when a person could have read it. */
async function answer(terminal: Terminal, words: string): Promise<string> {
  const shown = await terminal.shows(question)
  await Bun.sleep(350)
  terminal.type(words + enter)
  return shown
}

test.concurrent("the simulator mends the sample while a person says yes; then nothing is left running", async () => {
  using place = openPlace()
  cpSync(resolve(import.meta.dir, "../../../sample"), place.work, { recursive: true })
  await using terminal = await openTerminal({ place, argv: ["--model", "sim"] })
  await terminal.shows("Using the built-in simulator, which follows fixed rules. To connect a real model: /login")
  await terminal.shows(`Codewright in ${place.work}, with sim. Ctrl+C to interrupt, Ctrl+D to quit.\n> `)
  terminal.type(`fix the failing test${enter}`)
  expect(await answer(terminal, "yes")).toContain("? Run this command?\n    npm test\n")
  expect(await answer(terminal, "1")).toContain("? Apply this edit to src/loyalty.js?\n")
  await answer(terminal, "yes")
  await terminal.shows("tests pass now.")
  await terminal.shows("> ")
  terminal.type(controlD)
  expect(await terminal.exited).toBe(0)
  expect(terminal.screen()).not.toContain("\n\n\n")
  expect(processesBelow(place.work)).toEqual([])
  const tests = Bun.spawn(["node", "--test"], { cwd: place.work, stdout: "ignore", stderr: "ignore" })
  expect(await tests.exited).toBe(0)
})

test.concurrent("no with words goes on with them, plain no ends the turn, and the conversation goes on", async () => {
  using place = openPlace()
  await using terminal = await openTerminal({
    place,
    argv: ["write it"],
    scenario: [write("wrong.txt"), write("right.txt"), "Then I stop.", write("third.txt"), "Good bye."],
  })
  await answer(terminal, "call it right.txt")
  await answer(terminal, "yes")
  await terminal.shows("Then I stop.\n> ")
  expect(resultIn(terminal.requests[1])).toBe("The user declined this call and says: call it right.txt")
  terminal.type(`another${enter}`)
  await answer(terminal, "no")
  expect(await terminal.shows("> ")).toContain("    Declined\n")
  terminal.type(`are you there${enter}`)
  await terminal.shows("Good bye.\n> ")
  terminal.type(`/exit${enter}`)
  expect(await terminal.exited).toBe(0)
  expect(["wrong.txt", "right.txt", "third.txt"].map((name) => existsSync(join(place.work, name)))).toEqual([
    false,
    true,
    false,
  ])
  expect(talkIn(terminal.requests[4]).at(-1)).toEndWith("are you there")
})

test.concurrent(
  "Ctrl+C stops a stream and withdraws a question; one can go on; twice at the prompt leaves",
  async () => {
    using place = openPlace()
    await using terminal = await openTerminal({
      place,
      argv: [],
      scenario: [
        { content: "One two three four five six seven eight nine ten eleven twelve.", ...slow },
        write("a.txt"),
        "Here.",
      ],
    })
    await terminal.shows("> ")
    terminal.type(`talk${enter}`)
    await terminal.shows("One two")
    terminal.type(controlC)
    expect(await terminal.shows("> ")).toContain("\nInterrupted.\n")
    terminal.type(`write${enter}`)
    await terminal.shows(question)
    terminal.type(controlC)
    await terminal.shows("Interrupted.\n> ")
    // The answer to a question that was withdrawn is a prompt like any other.
    terminal.type(`yes${enter}`)
    await terminal.shows("Here.\n> ")
    expect(existsSync(join(place.work, "a.txt"))).toBe(false)
    terminal.type(`half a line${controlC}`)
    await terminal.shows("Press Ctrl+C again or Ctrl+D to quit.\n> ")
    terminal.type(controlC)
    expect(await terminal.exited).toBe(0)
    expect(terminal.requests).toHaveLength(3)
  },
)

test.concurrent("what is typed while it works is heard between steps, and never taken for an answer", async () => {
  using place = openPlace()
  const bash = { content: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } }] }
  await using terminal = await openTerminal({
    place,
    argv: ["start", "--allowed-tools", "Bash"],
    scenario: [bash, write("a.txt"), "Heard."],
  })
  await terminal.shows("* Bash until")
  terminal.type(`yes${enter}`)
  await terminal.shows("+ Sent at the next step.\n")
  place.write("go", "")
  expect(await terminal.shows("> yes\n")).toContain("    (no output)\n")
  await answer(terminal, "yes")
  await terminal.shows("Heard.\n> ")
  expect(talkIn(terminal.requests[1]).at(-1)).toMatch(/^user: result .* \| yes$/s)
  expect(existsSync(join(place.work, "a.txt"))).toBe(true)
  terminal.kill("SIGTERM")
  expect(await terminal.exited).toBe(143)
})

test.concurrent(
  "commands work in lines: at rest, while it works, of the shell, and to another conversation",
  async () => {
    using place = openPlace()
    const bash = { content: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } }] }
    await using before = await openTerminal({ place, argv: ["first things"], scenario: ["Done first."] })
    await before.shows("Done first.\n> ")
    before.type(controlD)
    await before.exited
    await using terminal = await openTerminal({
      place,
      argv: ["start", "--allowed-tools", "Bash"],
      scenario: [bash, "Went.", "Seen.", "Again."],
    })
    await terminal.shows("* Bash until")
    terminal.type(`/mode acceptEdits${enter}`)
    await terminal.shows("Mode: accept edits\n")
    terminal.type(`/clear${enter}`)
    await terminal.shows("+ /clear runs when the turn ends.\n")
    place.write("go", "")
    await terminal.shows("Went.\nStarted a new conversation. /redo to return to the last one.\n> ")
    terminal.type(`!echo a$((1+1))b${enter}`)
    expect(await terminal.shows("> ")).toContain("a2b\n")
    terminal.type(`what did it print${enter}`)
    await terminal.shows("Seen.\n> ")
    expect(JSON.stringify(terminal.requests[2])).toContain("a2b")
    terminal.type(`/mode${enter}`)
    await terminal.shows("(current)")
    await terminal.shows("/mode <name> changes it.\n1 to 7, Enter to cancel: ")
    terminal.type(`9${enter}`)
    await terminal.shows("There is no such number. 1 to 7, Enter to cancel: ")
    terminal.type(`1${enter}`)
    await terminal.shows("Mode: ask\n> ")
    terminal.type(`/help${enter}`)
    await terminal.shows("/exit             Quit\n")
    await terminal.shows("\n> ")
    terminal.type(`/resume first things${enter}`)
    await terminal.shows("Codewright in ")
    await terminal.shows("> ")
    terminal.type(`and now${enter}`)
    await terminal.shows("Again.\n> ")
    expect(talkIn(terminal.requests[3]).join("\n")).toContain("Done first.")
    terminal.type(`/quit${enter}`)
    expect(await terminal.exited).toBe(0)
  },
)

for (const [state, shown] of [
  ["waits for a prompt", "> "],
  ["waits for an answer", question],
  ["works", "One two"],
] as const)
  test.concurrent(`a window that is closed while it ${state} ends it, and all is kept`, async () => {
    using place = openPlace()
    await using terminal = await openTerminal({
      place,
      argv: shown === "> " ? [] : ["go"],
      scenario: [
        shown === "One two" ? { content: "One two three four five six seven eight nine ten.", ...slow } : write("a"),
      ],
    })
    await terminal.shows(shown)
    terminal.hangUp()
    // Whichever comes first: being told that the terminal is gone, or finding it gone.
    expect([0, 129]).toContain(await terminal.exited)
    expect(processesBelow(place.work)).toEqual([])
  })

test.concurrent("escape sequences reach no terminal, and a question hides nothing", async () => {
  using place = openPlace()
  const command = "echo safe\u001b[2K\rrm -rf /\u202etxt.exe\necho second line"
  await using terminal = await openTerminal({
    place,
    argv: ["go"],
    scenario: [
      { content: ["\u001b]0;title\u0007Hello\u001b[31m there", { tool: "Bash", input: { command } }] },
      "Fine.",
    ],
  })
  const shown = await answer(terminal, "no")
  expect(shown).toContain("\nHello there\n* Bash ")
  expect(shown).toContain("    echo safe<U+001B>[2K<U+000D>rm -rf /<U+202E>txt.exe\n    echo second line\n")
  await terminal.shows("> ")
  terminal.type(controlD)
  expect(await terminal.exited).toBe(0)

  await using print = await openTerminal({ place, argv: ["-p", "hi"], scenario: ["\u001b[31mred\u0007"] })
  expect(await print.exited).toBe(0)
  expect(print.screen()).toBe("red\n")
})

test.concurrent("a conversation is named by the small model, unless only what is essential is asked for", async () => {
  const scenario = {
    replies: [{ when: { model: /haiku/ }, times: "always", content: "A short greeting" }, { content: "Hello." }],
  } as const
  for (const [variable, titles] of [
    [undefined, 1],
    ["1", 0],
  ] as const) {
    using place = openPlace()
    const env = { DISABLE_NON_ESSENTIAL_MODEL_CALLS: variable }
    await using terminal = await openTerminal({ place, argv: ["hi"], scenario, env })
    await terminal.shows("Hello.\n> ")
    if (titles > 0) await until(() => isKept(place, "A short greeting"))
    terminal.type(`/exit${enter}`)
    expect(await terminal.exited).toBe(0)
    const list = await runCodewright({ place, argv: ["sessions", "list"] })
    expect(list.stdout.includes("A short greeting")).toBe(titles > 0)
    expect(terminal.requests).toHaveLength(1 + titles)
  }
})

/** Whether a log of the place holds a text. */
async function isKept(place: Place, text: string): Promise<boolean> {
  for await (const path of new Bun.Glob("projects/**/*.jsonl").scan({ cwd: place.state, absolute: true }))
    if ((await Bun.file(path).text()).includes(`"text":"${text}"`)) return true
  return false
}
