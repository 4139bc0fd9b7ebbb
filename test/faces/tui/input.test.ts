/** What is written and how: kinds of lines, what was said before, drafts, the way out, and keys of one's own. */

import { describe, expect, test } from "bun:test"
import { noUsage } from "#agent/words/model.ts"
import { readKeymap } from "#faces/tui/keymap.ts"
import { failed, ok } from "#lib/result.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"

const enter = "\r"
const escape = "\u001b"
const up = "\u001b[A"
const control = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 96)
const idle = "> Ask anything · @ for files · / for commands"

const screenOf = (paper: OnPaper): Promise<string> => paper.terminal.screen()
const prompts = (paper: OnPaper): unknown[] =>
  paper.ops.flatMap((op) => (op.type === "prompt" ? [op.content.map((block) => "text" in block && block.text)] : []))

/** A lone escape is told from the beginning of a sequence by waiting. */
async function pressEscape(paper: OnPaper): Promise<void> {
  await paper.type(escape)
  await paper.pass(40)
}

const rewind = { points: async () => ok([]), preview: async () => failed("") }

describe("a line that begins with !", () => {
  test("is a command of the shell, and shown as one", async () => {
    const paper = await openOnPaper(100)
    await paper.type("!")
    expect(await screenOf(paper)).toContain("! Shell command")
    await paper.type("ls -l")
    expect(await screenOf(paper)).toContain("! ls -l")
    await paper.type(enter)
    await paper.type(`!ls${enter}`)
    expect(paper.ops).toEqual([
      { type: "shell", command: "ls -l" },
      { type: "shell", command: "ls" },
    ])
    await paper.type(up + up)
    expect(await screenOf(paper)).toContain("! ls -l")
  })

  test("becomes a prompt again without its mark", async () => {
    const paper = await openOnPaper(80)
    await paper.type("!ls\u001b[H\u007f")
    expect(await screenOf(paper)).toContain("> ls")
    await paper.type(`${control("c")}!`)
    await pressEscape(paper)
    expect(await screenOf(paper)).toContain(idle)
    await paper.type(`!\u007fls${enter}`)
    expect(prompts(paper)).toEqual([["ls"]])
  })

  test("is queued while the agent works", async () => {
    const paper = await openOnPaper(80)
    paper.entry({ kind: "turn_start", turnId: "t" })
    await paper.pass(100)
    await paper.type(`!ls${enter}`)
    expect(paper.ops).toEqual([{ type: "shell", command: "ls" }])
    expect(await screenOf(paper)).not.toContain("! ls")
  })

  test("is none when it was pasted, or stands further on", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`\u001b[200~!rm -rf x\u001b[201~${enter}`)
    await paper.type(`wow!${enter}`)
    expect(prompts(paper)).toEqual([["!rm -rf x"], ["wow!"]])
    await paper.type(up + up + enter)
    expect(prompts(paper).at(-1)).toEqual(["!rm -rf x"])
  })
})

describe("a line that begins with #", () => {
  const files = [
    { label: "This project", path: "/home/ada/project/AGENTS.md" },
    { label: "All projects", path: "/home/ada/.codewright/AGENTS.md" },
  ]

  test("is a note, kept where the person chooses", async () => {
    const kept: string[][] = []
    const memory = {
      files: async () => files,
      add: async (path: string, line: string) => (kept.push([path, line]), ok(undefined)),
    }
    const paper = await openOnPaper(100, 40, { panels: { memory } })
    await paper.type(`# always use tabs${enter}`)
    await paper.pass(400)
    expect(await screenOf(paper)).toContain("Save this note to")
    expect(await screenOf(paper)).toContain("always use tabs")
    await paper.type("2")
    await paper.pass(10)
    expect(kept).toEqual([["/home/ada/.codewright/AGENTS.md", "always use tabs"]])
    expect(await screenOf(paper)).toContain("Saved to All projects (/home/ada/.codewright/AGENTS.md).")
    await paper.type(up)
    expect(await screenOf(paper)).toContain("# always use tabs")
  })

  test("that cannot be kept says why, and can be kept elsewhere", async () => {
    const memory = { files: async () => files, add: async (path: string) => failed(`${path} is read-only.`) }
    const paper = await openOnPaper(100, 40, { panels: { memory } })
    await paper.type(`#note${enter}`)
    await paper.pass(400)
    await paper.type("1")
    await paper.pass(10)
    expect(await screenOf(paper)).toContain("/home/ada/project/AGENTS.md is read-only.")
    expect(await screenOf(paper)).toContain("All projects")
  })

  test("is a prompt where there is no memory", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`#1 first${enter}`)
    expect(prompts(paper)).toEqual([["#1 first"]])
  })
})

describe("what was said before", () => {
  test("comes from other conversations too, and is kept for the next", async () => {
    const added: string[] = []
    const history = {
      load: async () => ["fix the parser", "!make", "run the tests"],
      add: (line: string) => void added.push(line),
    }
    const paper = await openOnPaper(80, 40, { history })
    await paper.pass(10)
    await paper.type(up + up)
    expect(await screenOf(paper)).toContain("! make")
    await paper.type(control("c"))
    await paper.type(`${control("r")}PARS`)
    expect(await screenOf(paper)).toContain("search: PARS▏\n  fix the parser")
    await paper.type(enter + enter)
    await paper.type(`!ls${enter}`)
    await paper.type(`half a thought${control("c")}`)
    expect(added).toEqual(["!make", "fix the parser", "!ls", "half a thought"])
    await paper.type(up)
    expect(await screenOf(paper)).toContain("> half a thought")
    expect(prompts(paper)).toEqual([["fix the parser"]])
  })

  test("is walked through from where one was when it came late", async () => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    const paper = await openOnPaper(80, 40, { history: { load: () => promise, add: () => {} } })
    await paper.type(`one${enter}`)
    await paper.type(`two${enter}`)
    await paper.type(up)
    resolve(["zero", "one"])
    await paper.pass(10)
    await paper.type(up + up)
    expect(await screenOf(paper)).toContain("> zero")
    await paper.type(up)
    expect(await screenOf(paper)).toContain("> zero")
  })

  test("is searched backwards and forwards, and left alone by escape", async () => {
    const history = { load: async () => ["fix a", "fix b", "fix c"], add: () => {} }
    const paper = await openOnPaper(80, 40, { history })
    await paper.pass(10)
    await paper.type(`draft${control("r")}fix`)
    expect(await screenOf(paper)).toContain("fix▏\n  fix c\n  fix b\n  fix a\n")
    await paper.type(control("r") + control("r") + control("r"))
    await paper.type(control("s") + enter)
    expect(await screenOf(paper)).toContain("> fix b")
    await paper.type(`${control("u")}draft${control("r")}zzz`)
    expect(await screenOf(paper)).toContain("nothing found")
    await pressEscape(paper)
    expect(await screenOf(paper)).toContain("> draft")
  })
})

describe("a draft that is put away", () => {
  test("comes back by the same key, and after something else was sent", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`long\\${enter}draft${control("s")}`)
    expect(await screenOf(paper)).toContain(idle)
    await paper.type(`quick question${enter}`)
    expect(await screenOf(paper)).toContain("> long\n  draft")
    await paper.type(control("s"))
    expect(await screenOf(paper)).toContain(idle)
    await paper.type(control("s") + enter)
    expect(prompts(paper)).toEqual([["quick question"], ["long\ndraft"]])
    await paper.type(control("s"))
    expect(await screenOf(paper)).toContain("Nothing to stash")
  })

  test("changes places with another one, pastes and all", async () => {
    const paper = await openOnPaper(80)
    const long = "line\n".repeat(20)
    await paper.type(`\u001b[200~${long}\u001b[201~ one${control("s")}two${control("s")}`)
    expect(await screenOf(paper)).toContain("> [Pasted text #1 +20 lines] one")
    await paper.type(enter)
    expect(prompts(paper)).toEqual([[`${long} one`]])
    expect(await screenOf(paper)).toContain("> two")
  })
})

describe("escape", () => {
  test("twice clears the prompt, and twice more goes back to an earlier one", async () => {
    const paper = await openOnPaper(80, 40, { panels: { rewind } })
    await paper.type("some words")
    await pressEscape(paper)
    expect(await screenOf(paper)).toContain("Esc again to clear the prompt")
    expect(await screenOf(paper)).toContain("> some words")
    await pressEscape(paper)
    expect(await screenOf(paper)).toContain(idle)
    await pressEscape(paper)
    expect(await screenOf(paper)).toContain("Esc again to rewind")
    await paper.type("x")
    await paper.type("\u007f")
    await pressEscape(paper)
    await pressEscape(paper)
    await paper.pass(10)
    expect(await screenOf(paper)).not.toContain("Ask anything · @ for files · / for commands")
    expect(await screenOf(paper)).toContain("Esc to close")
    expect(paper.ops).toEqual([])
  })

  test("is nothing where one cannot go back", async () => {
    const paper = await openOnPaper(80)
    await paper.type(escape + escape)
    await paper.pass(40)
    expect(await screenOf(paper)).toContain(idle)
    expect(await screenOf(paper)).not.toContain("Esc again")
  })
})

test("Ctrl+B lets a running command go on, and is a step to the left at other times", async () => {
  const paper = await openOnPaper(80)
  await paper.type(`ac${control("b")}b${enter}`)
  expect(prompts(paper)).toEqual([["abc"]])
  paper.entry({ kind: "turn_start", turnId: "t" })
  const block = { type: "tool_use", id: "c", name: "Bash", input: { command: "make" } } as const
  paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
  paper.moment({ type: "tool_start", callId: "c", tool: "Bash", title: "Bash make", movable: true })
  await paper.pass(100)
  await paper.type(control("b"))
  expect(paper.ops.at(-1)).toEqual({ type: "background" })
})

describe("keys of one's own", () => {
  test("do what the settings say, in sequences too, and the help knows", async () => {
    const { keymap } = readKeymap({ "ctrl+q": "toggle-todos", "ctrl+x ctrl+n": "next-mode", "ctrl+r": null })
    const paper = await openOnPaper(100, 60, { keymap })
    await paper.type(control("x"))
    expect(await screenOf(paper)).toContain("Ctrl+X …")
    await paper.type(control("n"))
    expect(paper.ops).toEqual([{ type: "set_mode", mode: "acceptEdits" }])
    await paper.type(control("x"))
    await paper.type("z")
    expect(await screenOf(paper)).toContain("Ctrl+X does nothing")
    await paper.type(control("r"))
    expect(await screenOf(paper)).not.toContain("search:")
    await paper.type(control("x") + control("c"))
    expect(await screenOf(paper)).toContain("Ctrl+C again to quit")
    await paper.type("?")
    expect(await screenOf(paper)).toContain("Ctrl+X Ctrl+N, Shift+Tab")
    expect(await screenOf(paper)).not.toContain("Search what was said before")
  })

  test("that make no sense are told at the beginning", async () => {
    const { keymap, warnings } = readKeymap({ "ctrl+q": "sned" })
    const paper = await openOnPaper(100, 40, { keymap, notes: warnings })
    await paper.pass(10)
    expect(await paper.terminal.all()).toContain('▲ keybindings: ctrl+q is bound to "sned"')
  })
})

describe("the vim keys", () => {
  test("are shown by their mode, and enter sends in both", async () => {
    const paper = await openOnPaper(100, 40, { editorMode: "vim" })
    expect(await screenOf(paper)).toContain("insert · ? help")
    await paper.type("fix teh parser")
    await pressEscape(paper)
    expect(await screenOf(paper)).toContain("   normal")
    await paper.type("2bcw")
    await paper.type("the")
    await pressEscape(paper)
    await paper.type("2d")
    expect(await screenOf(paper)).toContain("normal 2d")
    await pressEscape(paper)
    await paper.type(enter)
    expect(prompts(paper)).toEqual([["fix the parser"]])
    await paper.type("k")
    expect(await screenOf(paper)).toContain("> fix the parser")
  })

  test("go on and off by a command, and escape interrupts from normal mode", async () => {
    const paper = await openOnPaper(100)
    await paper.type(`/vim ${enter}`)
    expect(await screenOf(paper)).toContain("Vim keys are on.")
    paper.entry({ kind: "turn_start", turnId: "t" })
    await paper.pass(100)
    await pressEscape(paper)
    expect(paper.ops).toEqual([])
    await pressEscape(paper)
    expect(paper.ops).toEqual([{ type: "interrupt", withdraw: "terminal" }])
    await paper.type("i")
    await paper.type(`/vim ${enter}`)
    expect(await screenOf(paper)).toContain("Vim keys are off.")
  })
})

test("up and down go by the rows that one sees, and then through what was said before", async () => {
  const paper = await openOnPaper(40)
  const long = "日本語 and a sentence that is longer than two rows of this narrow screen"
  await paper.type(`before${enter}`)
  await paper.type(long)
  const rows: number[] = []
  for (let i = 0; i < 3; i++) {
    rows.push((await paper.terminal.cursor()).row)
    await paper.type(up)
  }
  expect([rows[0], rows[1]]).toEqual([(rows[1] ?? 0) + 1, (rows[0] ?? 0) - 1])
  expect(await screenOf(paper)).toContain("> before")
  await paper.type("\u001b[B")
  expect(await screenOf(paper)).toContain("> 日本語 and a sentence")
})

test("Ctrl+L draws everything again, in place", async () => {
  const paper = await openOnPaper(80)
  await paper.type("some words")
  const before = await paper.terminal.all()
  const { bytes } = paper.terminal.cost()
  await paper.type(control("l"))
  expect(await paper.terminal.all()).toBe(before)
  expect(paper.terminal.cost().bytes).toBeGreaterThan(bytes + before.split("\n").slice(-3).join("").length)
  expect(paper.terminal.cost().clears).toBe(0)
})

test("Ctrl+Z suspends, also while one searches", async () => {
  const paper = await openOnPaper(80)
  await paper.type(control("r") + control("z"))
  expect(paper.signals).toContain("suspend")
})

test("a vim command after : is answered, and nothing is typed", async () => {
  const paper = await openOnPaper(80, 40, { editorMode: "vim" })
  await paper.type("draft")
  await pressEscape(paper)
  await paper.type(":")
  expect(await screenOf(paper)).toContain("No : commands here; /exit to quit, Enter to send")
  await paper.type(`q${enter}`)
  expect(prompts(paper)).toEqual([["draft"]])
})
