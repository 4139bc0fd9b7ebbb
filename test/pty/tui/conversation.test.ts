/** The real program on a real screen: questions, interrupts, what is typed meanwhile, and leaving. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { processesBelow } from "../../kit/open-terminal.ts"
import { openScreenRun, type ScreenRun } from "../../kit/open-screen.ts"
import { openPlace } from "../../kit/run-codewright.ts"
import { resultIn, talkIn } from "../../kit/sent.ts"

const enter = "\r"
const escape = "\u001b"
const controlC = "\u0003"
const controlD = "\u0004"
const idle = "Ask anything · @ for files · / for commands"
const write = (path: string) => ({ content: [{ tool: "Write", input: { file_path: path, content: "new\n" } }] })
const slow = { timing: { pauses: [{ afterTokens: 8, ms: 60_000 }] } }

/** Waits for the question and answers when a person could have read it. */
const up = "\u001b[A"

async function answer(run: ScreenRun, title: string, keys: string): Promise<string> {
  const shown = await run.asks(`▌ ${title}`)
  run.type(keys)
  return shown
}

test.concurrent("no with words goes on with them, yes does it, plain no ends the turn", async () => {
  using place = openPlace()
  await using run = await openScreenRun({
    place,
    argv: ["write it"],
    scenario: [write("wrong.txt"), write("right.txt"), "Then I stop.", write("third.txt"), "Good bye."],
  })
  const shown = await answer(run, "Create wrong.txt?", `${up}\tcall it right.txt`)
  expect(shown).toContain("▌   1 + new")
  await run.shows("call it right.txt▏")
  run.type(enter)
  await answer(run, "Create right.txt?", "1")
  await run.shows("Then I stop.")
  await run.shows(idle)
  expect(resultIn(run.requests[1])).toBe("The user declined this call and says: call it right.txt")
  run.type(`another${enter}`)
  await answer(run, "Create third.txt?", escape)
  await run.shows("third.txt · Declined")
  run.type(`are you there${enter}`)
  await run.shows("Good bye.")
  run.type(`/exit${enter}`)
  expect(await run.exited).toBe(0)
  expect(["wrong.txt", "right.txt", "third.txt"].map((name) => existsSync(join(place.work, name)))).toEqual([
    false,
    true,
    false,
  ])
  expect(talkIn(run.requests[4]).at(-1)).toEndWith("are you there")
  expect(run.terminal.cost().clears).toBe(0)
})

test.concurrent("what is typed as the question appears does not answer it, and is not lost", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: [], scenario: [write("a.txt"), "Fine."] })
  await run.shows(idle)
  run.type(`go${enter}`)
  await run.shows("▌ Create a.txt?")
  run.type("you 1 there")
  await Bun.sleep(500)
  run.type(enter)
  expect(await run.terminal.screen()).toContain("▌ Create a.txt?")
  run.type("1")
  await run.shows("Fine.")
  await run.shows("> you 1 there")
  expect(existsSync(join(place.work, "a.txt"))).toBe(true)
})

test.concurrent("Esc stops a stream, and one can go on; Ctrl+C twice leaves", async () => {
  using place = openPlace()
  await using run = await openScreenRun({
    place,
    argv: [],
    scenario: [{ content: "One two three four five six seven eight nine ten eleven.", ...slow }, "Here."],
  })
  await run.shows(idle)
  run.type(`talk${enter}`)
  await run.shows("One two")
  run.type(escape)
  await run.shows("■ Interrupted.")
  run.type(`are you there?${enter}`)
  await run.shows("Here.")
  run.type(`half a line${controlC}`)
  await run.shows("Ctrl+C again to quit")
  expect(await run.terminal.screen()).not.toContain("> half a line")
  run.type(controlC)
  expect(await run.exited).toBe(0)
  expect(await run.terminal.screen()).toMatch(/Resume with:\s+\S*codewright\s--resume\s[\s0-9a-f-]{36,}$/)
})

test.concurrent("what is said while it works waits in sight and is heard between steps", async () => {
  using place = openPlace()
  const bash = { content: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } }] }
  await using run = await openScreenRun({
    place,
    argv: ["start", "--allowed-tools", "Bash"],
    scenario: [bash, "Heard."],
  })
  await run.shows("● Bash until")
  run.type(`and mind the gap${enter}`)
  await run.shows("+ and mind the gap")
  place.write("go", "")
  await run.shows("> and mind the gap")
  await run.shows("Heard.")
  await run.hides("+ and mind the gap")
  expect(talkIn(run.requests[1]).at(-1)).toMatch(/^user: result .* \| and mind the gap$/s)
  run.type(controlD)
  expect(await run.exited).toBe(0)
  expect(processesBelow(place.work)).toEqual([])
})

test.concurrent("a new size while it streams leaves each line once", async () => {
  using place = openPlace()
  const lines = Array.from({ length: 120 }, (_, i) => `Line number ${i} of the answer.`)
  await using run = await openScreenRun({
    place,
    argv: ["talk"],
    scenario: [{ content: `${lines.join("\n\n")}\n\nThe end.`, timing: { tokensPerSecond: 600 } }],
  })
  await run.shows("Line number 10 of")
  run.resize(70, 20)
  await run.shows("Line number 40 of")
  run.resize(120, 35)
  await run.shows("Line number 70 of")
  run.resize(45, 15)
  const all = await run.shows("The end.")
  await run.hides("Esc to interrupt")
  for (const line of lines) expect([line, all.split(line).length - 1]).toEqual([line, 1])
})

test.concurrent("a signal ends it in order", async () => {
  using place = openPlace()
  await using run = await openScreenRun({
    place,
    argv: ["go"],
    scenario: [{ content: "One two three four five six seven eight nine.", ...slow }],
  })
  await run.shows("One two")
  run.kill("SIGTERM")
  expect(await run.exited).toBe(143)
  expect(run.terminal.raw()).toEndWith("\u001b[?7h\u001b[?2026l\u001b[<u\u001b[?2004l\u001b[23;2t\u001b[0m\u001b[?25h")
  expect(processesBelow(place.work)).toEqual([])
})

test.concurrent("a resumed conversation is shown above the prompt", async () => {
  using place = openPlace()
  const first = await openScreenRun({ place, argv: ["remember the sea"], scenario: ["I **shall**."] })
  await first.shows("I shall.")
  await first.shows(idle)
  first.type(controlD)
  await first.exited
  await first[Symbol.asyncDispose]()
  await using run = await openScreenRun({ place, argv: ["--continue"], scenario: ["Yes."] })
  const shown = await run.shows(idle)
  expect(shown).toContain("> remember the sea\n\n  I shall.")
  run.type(`and now${enter}`)
  await run.shows("Yes.")
})

test.concurrent("Shift+Tab accepts an edit and those that follow, and each difference is told once", async () => {
  using place = openPlace()
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`)
  place.write(join(place.work, "long.txt"), `${lines.join("\n")}\n`)
  const edit = (from: string, to: string) => ({
    content: [{ tool: "Edit", input: { file_path: "long.txt", old_string: from, new_string: to } }],
  })
  const many = Array.from({ length: 30 }, (_, i) => `new ${i}`).join("\n")
  await using run = await openScreenRun({
    place,
    argv: ["edit it"],
    rows: 20,
    scenario: [
      { content: [{ tool: "Read", input: { file_path: "long.txt" } }] },
      edit("line 3\n", `${many}\n`),
      edit("line 9\n", "nine\n"),
      "Edited.",
    ],
  })
  const shown = await answer(run, "Apply this edit to long.txt?", "\u001b[Z")
  // Taller than the screen: it is scrolled, not printed above.
  expect(shown).toMatch(/Lines 1–\d+ of \d+ · PgUp\/PgDn to scroll/)
  await run.shows("Edited.")
  await run.shows("accept edits ·")
  const all = await run.shows(idle)
  expect(all.match(/\+ new 7$/gm)).toHaveLength(1)
  expect(all.match(/\+ nine$/gm)).toHaveLength(1)
  expect(readFileSync(join(place.work, "long.txt"), "utf8")).toContain("nine\n")
})

test.concurrent("a removal says that it can be undone, and it can", async () => {
  using place = openPlace()
  place.write(join(place.work, "docs/a.md"), "a\n")
  place.write(join(place.work, "docs/b.md"), "b\n")
  await using run = await openScreenRun({
    place,
    argv: ["clean up"],
    scenario: [{ content: [{ tool: "Bash", input: { command: "rm -rf docs" } }] }, "Gone."],
  })
  const shown = await answer(run, "Run this command?", "1")
  expect(shown).toContain("! Removes whole folders (2 files); can be undone with /rewind.")
  expect(shown).not.toContain("cannot be")
  await run.shows("Gone.")
  await run.shows(idle)
  expect(existsSync(join(place.work, "docs"))).toBe(false)
  run.type(`/rewind${enter}`)
  await run.asks("clean up")
  run.type(enter)
  await run.asks(/docs\/a\.md/)
  run.type("1")
  await run.shows(/Rewound|Restored/)
  expect(readFileSync(join(place.work, "docs/b.md"), "utf8")).toBe("b\n")
})
