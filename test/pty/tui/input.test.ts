/** The real program in a real terminal: one's own editor, pictures, what was said before, and keys of one's own. */

import { Glob } from "bun"
import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openScreenRun } from "../../kit/open-screen.ts"
import { processesBelow } from "../../kit/open-terminal.ts"
import { openPlace, type Place } from "../../kit/run-codewright.ts"
import { promptOf, sentIn } from "../../kit/sent.ts"

const enter = "\r"
const escape = "\u001b"
const up = "\u001b[A"
const controlD = "\u0004"
const controlG = "\u0007"
const controlV = "\u0016"
const idle = "Ask anything · @ for files · / for commands"
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

/** What the logs of a place hold. */
const logged = ({ state }: Place): string =>
  [...new Glob("projects/*/*.jsonl").scanSync(state)].map((name) => readFileSync(join(state, name), "utf8")).join("")

test.concurrent("a program that takes the terminal over gets every key, and gives it back", async () => {
  using place = openPlace()
  // Vim as it comes, so that nothing of whoever runs this test counts.
  const env = { VISUAL: "vim -u NONE -i NONE -n" }
  await using run = await openScreenRun({ place, argv: [], scenario: ["Understood."], env })
  await run.shows(idle)
  run.type(`fix teh parser${controlG}`)
  await run.shows(/fix teh parser\n~\n~/)
  run.type(":s/teh/the/\rGoand the tests")
  await run.shows("and the tests")
  run.type(`${escape}:wq\r`)
  await run.shows(/> fix the parser\n {2}and the tests\n/)
  run.type(` too${enter}`)
  await run.shows("Understood.")
  expect(promptOf(run.requests[0])).toBe("fix the parser\nand the tests too")
  expect(run.terminal.cost().clears).toBeLessThanOrEqual(2)
  run.type(controlD)
  expect(await run.exited).toBe(0)
})

test.concurrent("what the agent does meanwhile is not drawn over the other program", async () => {
  using place = openPlace()
  const env = { VISUAL: "vim -u NONE -i NONE -n" }
  const scenario = [{ content: "One two three four five six seven eight nine ten.", timing: { tokensPerSecond: 20 } }]
  await using run = await openScreenRun({ place, argv: ["talk"], scenario, env })
  await run.shows("One two")
  run.type(`later${controlG}`)
  await run.shows(/^later\n~\n~/m)
  while (!logged(place).includes("nine ten.")) await Bun.sleep(20)
  expect(await run.terminal.screen()).toMatch(/^later\n(?:~\n)+/)
  run.type(":q!\r")
  await run.shows(/nine ten\.\n\n> later\n/)
})

test.concurrent("an editor without a screen, Ctrl+C in it, and one that fails", async () => {
  using place = openPlace()
  const script = place.write(
    "../editor",
    '#!/bin/sh\ntrap "exit 3" INT\necho "which word?"\nread word\necho "the word is $word" > "$1"\n',
  )
  chmodSync(script, 0o755)
  await using run = await openScreenRun({ place, argv: [], scenario: ["Heard."], env: { VISUAL: script } })
  await run.shows(idle)
  run.type(controlG)
  await run.shows("which word?")
  run.type("tulip\r")
  await run.shows("> the word is tulip")
  run.type(controlG)
  await run.shows(/which word\?[^]*which word\?/)
  run.type("\u0003")
  await run.shows("The editor ended with code 3, so your text is unchanged.")
  run.type(enter)
  await run.shows("Heard.")
  expect(promptOf(run.requests[0])).toBe("the word is tulip")
})

test.concurrent("whoever ends it while the editor is open ends the editor too", async () => {
  using place = openPlace()
  const script = place.write("../editor", '#!/bin/sh\necho "it is open"\nexec sleep 600\n')
  chmodSync(script, 0o755)
  await using run = await openScreenRun({ place, argv: [], env: { VISUAL: script } })
  await run.shows(idle)
  run.type(controlG)
  await run.shows("it is open")
  run.kill("SIGTERM")
  expect(await run.exited).toBe(143)
  expect(run.terminal.raw()).toEndWith("\u001b[?7h\u001b[?2026l\u001b[<u\u001b[?2004l\u001b[23;2t\u001b[0m\u001b[?25h")
  expect(processesBelow(place.work)).toEqual([])
})

test.concurrent("a picture that is dropped, and one from the clipboard, reach the model", async () => {
  using place = openPlace()
  const file = place.write("../drop here.png", "")
  writeFileSync(file, png)
  const tools = join(place.path, "tools")
  mkdirSync(tools)
  writeFileSync(
    join(tools, "wl-paste"),
    `#!/bin/sh\ncase "$1" in --list-types) echo image/png;; *) cat '${file}';; esac\n`,
  )
  chmodSync(join(tools, "wl-paste"), 0o755)
  const env = { WAYLAND_DISPLAY: "wayland-9", PATH: `${tools}:${process.env["PATH"]}` }
  await using run = await openScreenRun({ place, argv: [], scenario: ["I see two."], env })
  await run.shows(idle)
  run.type(`\u001b[200~${file.replaceAll(" ", "\\ ")}\u001b[201~ and ${controlV}`)
  await run.shows("> [Image #1] and [Image #2]")
  run.type(`: what is this?${enter}`)
  await run.shows("I see two.")
  const { content } = sentIn(run.requests[0]).messages.findLast(({ role }) => role === "user") ?? { content: [] }
  const source = { type: "base64", media_type: "image/png", data: png.toString("base64") }
  expect(content.filter(({ type }) => type === "image").map(({ source: sent }) => sent)).toEqual([source, source])
  expect(promptOf(run.requests[0])).toBe("[Image #1] and [Image #2]: what is this?")
})

test.concurrent("what was said in a folder is there the next time, and only there", async () => {
  using place = openPlace()
  const first = await openScreenRun({ place, argv: [], scenario: ["Yes."] })
  await first.shows(idle)
  // Ctrl+S must not stop the terminal.
  first.type("a draft\u0013")
  await first.shows("Stashed; the same key to restore")
  first.type("\u0013")
  await first.shows("> a draft")
  first.type("\u0015")
  first.type(`remember the sea${enter}`)
  await first.shows("Yes.")
  first.type(controlD)
  await first.exited
  await first[Symbol.asyncDispose]()
  await using run = await openScreenRun({ place, argv: [], scenario: ["Again."] })
  await run.shows(idle)
  // What was said before is read after the first screen, and there is nothing above it to go up to.
  while (!(await run.terminal.all()).includes("> remember the sea")) {
    run.type(up)
    await Bun.sleep(20)
  }
  run.type("\u0003\u0012SEA")
  await run.shows("search: SEA▏\n  remember the sea")
  run.type(enter + enter)
  await run.shows("Again.")
  expect(readdirSync(join(place.state, "history"))).toHaveLength(1)
})

test.concurrent("keys of one's own and the vim keys come from the settings; a project has no say in keys", async () => {
  using place = openPlace({ ".codewright/settings.json": JSON.stringify({ keybindings: { "ctrl+r": "stash" } }) })
  mkdirSync(place.state, { recursive: true })
  const keybindings = { "ctrl+q": "next-mode", "ctrl+x h": "help", "ctrl+y": "brnig-back" }
  writeFileSync(join(place.state, "settings.json"), JSON.stringify({ editorMode: "vim", keybindings }))
  await using run = await openScreenRun({ place, argv: ["--trust"], scenario: ["Done."], columns: 140 })
  await run.shows('keybindings: ctrl+y is bound to "brnig-back", which is not an action. Did you mean bring-back?')
  await run.shows("insert · ? help")
  run.type("\u0011")
  await run.shows("accept edits")
  run.type("one two three")
  run.type(escape)
  await run.shows("   normal")
  run.type("2bdwx")
  run.type("\u0012")
  await run.shows("> one hree")
  run.type(enter)
  await run.shows("Done.")
  expect(promptOf(run.requests[0])).toBe("one hree")
})

test.concurrent("a command of the shell runs at once, and the model sees it with the next prompt", async () => {
  using place = openPlace({ "flower.txt": "tulip\n" })
  await using run = await openScreenRun({ place, argv: [], scenario: ["A tulip."] })
  await run.shows(idle)
  run.type("!")
  await run.shows("! Shell command")
  run.type(`cat flower.txt; touch made${enter}`)
  await run.shows("tulip")
  await run.shows(idle)
  expect(existsSync(join(place.work, "made"))).toBe(true)
  run.type(`which flower is it?${enter}`)
  await run.shows("A tulip.")
  expect(JSON.stringify(run.requests[0]?.body)).toContain("cat flower.txt")
})

test.concurrent(
  "what a command of the shell prints is seen while it runs; it stays in front, and Esc ends it",
  async () => {
    using place = openPlace()
    await using run = await openScreenRun({ place, argv: [] })
    await run.shows(idle)
    run.type(`!for i in $(seq 2000); do echo line $i; done; sleep 600${enter}`)
    await run.shows(/! for i in[^]* {4}line 1999\n {4}line 2000\n/)
    expect((await run.terminal.screen()).match(/^ {4}line/gm)).toHaveLength(5)
    run.type("\u0002")
    await run.shows("Your own command cannot move to the background; Esc to stop it")
    run.type(escape)
    const ended = await run.shows("(stopped before the command finished)")
    expect(ended.match(/! for i in/g)).toHaveLength(1)
    await run.shows(idle)
    run.type(`!sleep 600${enter}`)
    await run.shows("Running your command")
    run.type("\u0003")
    await run.shows(/! sleep 600\n {4}\(stopped before the command finished\)/)
    run.type(controlD)
    expect(await run.exited).toBe(0)
    expect(processesBelow(place.work)).toEqual([])
  },
)

test.concurrent("what a conversation changed is shown by /diff, and a note is kept by #", async () => {
  using place = openPlace({ "AGENTS.md": "# Rules\n\n- Be kind.\n" })
  const edit = { tool: "Write", input: { file_path: "flower.txt", content: "tulip\n" } }
  await using run = await openScreenRun({
    place,
    argv: ["plant a flower", "--permission-mode", "acceptEdits"],
    scenario: [{ content: [edit] }, "Planted."],
  })
  await run.shows("Planted.")
  await run.shows(idle)
  run.type(`/diff ${enter}`)
  await run.asks(/❯ flower\.txt +\+1 -0 · new/)
  run.type(enter)
  await run.asks(/▌ flower\.txt\n▌\n▌ +1 \+ tulip/)
  run.type("\u001b")
  await run.asks("Changes in this session")
  run.type("\u001b")
  await run.hides("Changes in this session")
  run.type("#")
  await run.shows("# Note to save")
  run.type(`water it daily${enter}`)
  await run.asks("Save this note to")
  run.type("1")
  await run.shows("Saved to This project, for everyone")
  expect(await place.read("AGENTS.md")).toBe("# Rules\n\n- Be kind.\n- water it daily\n")
})
