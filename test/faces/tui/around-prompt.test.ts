/** The palette, hints that end, prompts to try, the column, the list of agents, and the mouse. */

import { expect, test } from "bun:test"
import type { Uses } from "#faces/tui/state.ts"
import { ok } from "#lib/result.ts"
import { aroundPromptScenes } from "./around-prompt-scenes.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"
import { until } from "../../kit/until.ts"
import { ports } from "./panel-scenes.ts"

const [enter, tab, escape, down] = ["\r", "\t", "\u001b", "\u001b[B"]
const [controlB, controlN, controlO, controlP] = ["\u0002", "\u000e", "\u000f", "\u0010"]
const altS = "\u001bs"

const screenOf = (paper: OnPaper): Promise<string> => paper.terminal.screen()

function counting(known: Uses = new Map()) {
  const added: string[] = []
  return { added, uses: { load: async () => known, add: (name: string) => void added.push(name) } }
}

async function typed(paper: OnPaper, ...keys: readonly string[]): Promise<string> {
  for (const key of keys) {
    await paper.type(key)
    await paper.pass(40)
  }
  await paper.pass(300)
  return screenOf(paper)
}

async function played(name: string, columns: number): Promise<OnPaper> {
  const scene = aroundPromptScenes[name]
  const paper = await openOnPaper(columns, 40, scene?.options)
  await scene?.play(paper)
  return paper
}

test("the palette runs a command at once, counts it, and leaves the draft alone", async () => {
  const { added, uses } = counting()
  const paper = await openOnPaper(100, 40, { panels: ports, uses })
  await paper.pass(100)
  await typed(paper, "half a thought", controlP)
  // As fast as a terminal sends what was pasted or typed ahead.
  await paper.type("uncompact")
  await typed(paper, enter)
  // The first palette loads what finds its rows, which takes real time; what was typed waits for it.
  await until(async () => {
    await paper.pass(1)
    return paper.ops.length > 0
  })
  expect(paper.ops).toEqual([{ type: "uncompact" }])
  expect(await screenOf(paper)).toContain("> half a thought")
  expect(added).toEqual(["palette", "/uncompact"])
  // One that needs words comes into the prompt, and the draft after it.
  expect(await typed(paper, controlP, "/rename", enter)).toContain("> /rename")
  expect(await typed(paper, "A title", enter)).toContain("> half a thought")
  expect(paper.ops.at(-1)).toEqual({ type: "rename", title: "A title" })
})

test("an action of the palette does what its key does", async () => {
  const paper = await openOnPaper(100, 40, { panels: ports, uses: counting().uses })
  await paper.pass(100)
  await typed(paper, controlP, "permission mode", enter)
  expect(paper.ops.map(({ type }) => type)).toEqual(["set_mode"])
})

test("within several lines Ctrl+P goes up, and in the menu it selects", async () => {
  const paper = await openOnPaper(100, 40, { panels: ports })
  await typed(paper, "one\ntwo", controlP)
  expect(await screenOf(paper)).not.toContain("Commands and keys")
  expect(await typed(paper, controlP)).toContain("Commands and keys")
  await typed(paper, escape, "\u0003", "/", controlN, controlP)
  expect(await screenOf(paper)).not.toContain("Commands and keys")
})

test("the menu of commands fills the screen, most used first", async () => {
  const paper = await openOnPaper(100, 40, { uses: counting(new Map([["/vim", 4]])).uses })
  await paper.pass(100)
  const rows = (await typed(paper, "/")).split("\n").filter((row) => row.startsWith("  /"))
  expect(rows[0]).toStartWith("  /vim ")
  expect(rows.length).toBeGreaterThan(25)
})

test("a hint is shown until its key was used", async () => {
  const { added, uses } = counting()
  const scene = aroundPromptScenes["hints while a command runs"]
  const paper = await openOnPaper(100, 40, { uses })
  await scene?.play(paper)
  expect(await screenOf(paper)).toContain("Ctrl+B to move it to the background")
  expect(await typed(paper, controlB)).not.toContain("Ctrl+B to")
  expect(await screenOf(paper)).toContain("Ctrl+P for all commands")
  expect(await typed(paper, controlP, escape)).not.toContain("Ctrl+P for")
  await typed(paper, controlO, "q")
  expect(added).toEqual(["to-background", "palette", "show-transcript"])
})

test("whoever turned tips off sees none", async () => {
  const scene = aroundPromptScenes["hints while a command runs"]
  const paper = await openOnPaper(100, 40, { uses: counting().uses, tips: "off" })
  await scene?.play(paper)
  expect(await screenOf(paper)).not.toMatch(/Ctrl\+[BP]/)
})

test("what is folded names Ctrl+O only until it was pressed", async () => {
  const output = Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n")
  const folded = async (known: Uses): Promise<string> => {
    const paper = await openOnPaper(100, 40, { uses: counting(known).uses })
    await paper.pass(100)
    const display = { kind: "terminal", command: "x", output, exitCode: 0 } as const
    const block = { type: "tool_use", id: "c", name: "Bash", input: {} } as const
    const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    paper.entry({ kind: "turn_start", turnId: "t" })
    paper.entry({ kind: "reply", messageId: "m", model: "m", usage, block })
    paper.entry({ kind: "result", callId: "c", tool: "Bash", content: output, isError: false, durationMs: 5, display })
    paper.entry({ kind: "turn_end", turnId: "t", reason: "completed" })
    await paper.pass(200)
    return paper.terminal.all()
  }
  expect(await folded(new Map())).toContain("more lines (Ctrl+O to view)")
  expect(await folded(new Map([["show-transcript", 1]]))).toMatch(/more lines$/m)
})

test("Tab goes through the prompts to try, and whoever has begun a few conversations sees none", async () => {
  const examples = async () => ["Explain it", "Test it"]
  const paper = await openOnPaper(100, 40, { uses: counting().uses, examples })
  await paper.pass(100)
  expect(await typed(paper, tab)).toContain("> Explain it")
  expect(await typed(paper, tab)).toContain("> Test it")
  expect(await typed(paper, " now")).not.toContain("Try  ")
  const known = await openOnPaper(100, 40, { uses: counting(new Map([["first prompt", 5]])).uses, examples })
  await known.pass(100)
  expect(await screenOf(known)).not.toContain("Try")
})

test("the column needs 140 columns, and can be hidden", async () => {
  expect(await screenOf(await played("the column beside the prompt", 139))).not.toContain("│ Changed files")
  const paper = await played("the column beside the prompt", 140)
  expect(await screenOf(paper)).toContain("│ Changed files")
  expect(await typed(paper, altS)).not.toContain("│ Changed files")
  expect(await typed(paper, altS)).toContain("│ Changed files")
  expect(await typed(paper, "/")).not.toContain("│ Changed files")
})

test("the prompt wraps beside the column, and the cursor moves by its rows", async () => {
  const paper = await played("the column beside the prompt", 140)
  await typed(paper, "word ".repeat(25), "\u001b[A", "X")
  const first = (await screenOf(paper)).split("\n").find((row) => row.startsWith("> word"))
  expect(first).toContain("X")
  expect(first).toContain("│")
})

test("a terminal that gets narrower and wider keeps what was said, once", async () => {
  const paper = await played("the column beside the prompt", 150)
  for (const columns of [80, 145, 60, 150]) {
    await paper.resize(columns, 40)
    await paper.pass(700)
  }
  const all = await paper.terminal.all()
  expect(all.split("mend the parser").length).toBe(2)
})

test("down in an empty prompt opens the agents that work", async () => {
  const paper = await played("agents beside the conversation", 100)
  expect(await typed(paper, down)).toContain("Tasks")
  const none = await openOnPaper(100, 40, { panels: ports, answers: { changes: async () => ok([]) } })
  expect(await typed(none, down)).not.toContain("Tasks")
})

test("the mouse is ours only while a panel or the transcript is open", async () => {
  const paper = await openOnPaper(100, 40, { panels: ports, mouse: "on" })
  await typed(paper, "x")
  const about = (): readonly string[] => paper.signals.filter((signal) => signal.startsWith("mouse"))
  expect(about()).toEqual([])
  await typed(paper, controlP)
  expect(about()).toEqual(["mouse on"])
  await typed(paper, escape, controlO)
  await typed(paper, "q")
  expect(about()).toEqual(["mouse on", "mouse off", "mouse on", "mouse off"])
})

test("the wheel moves in a panel and stops at its ends; a click selects a row, and another takes it", async () => {
  const paper = await openOnPaper(100, 40, { panels: ports, mouse: "on" })
  const pointed = async (): Promise<string> =>
    (await screenOf(paper)).split("\n").find((row) => row.includes("❯")) ?? "closed"
  await typed(paper, "/model", enter)
  const first = await pointed()
  await typed(paper, ...Array.from({ length: 9 }, () => "\u001b[<65;5;5M"))
  const second = await pointed()
  expect(second).not.toBe(first)
  expect(second).toContain("sim")
  const rows = (await screenOf(paper)).split("\n")
  const at = rows.findIndex((row) => row.includes("claude-haiku"))
  const cursor = (await paper.terminal.cursor()).row + 1
  const click = [`\u001b[<0;5;${at + 1}M`, `\u001b[<0;5;${at + 1}m`, `\u001b[${cursor};1R`]
  await typed(paper, ...click)
  expect(await pointed()).toContain("claude-haiku")
  await typed(paper, ...click)
  expect(paper.ops).toEqual([{ type: "set_model", model: "claude-haiku-5-5" }])
})

test("a long paste is folded in the transcript, and counted by its lines", async () => {
  const paper = await openOnPaper(100, 40)
  const pasted = Array.from({ length: 500 }, (_, i) => `line ${i}`).join("\n")
  expect(await typed(paper, `\u001b[200~${pasted}\n\u001b[201~`)).toContain("[Pasted text #1 +500 lines]")
  paper.entry({ kind: "prompt", promptId: "p", content: [{ type: "text", text: pasted }] })
  await paper.pass(100)
  expect(await paper.terminal.all()).toContain("… 492 more lines")
})

test("a task list of an earlier turn does not follow the next ones", async () => {
  const paper = await played("agents beside the conversation", 100)
  expect(await screenOf(paper)).toContain("1 of 3 tasks done")
  paper.entry({ kind: "turn_start", turnId: "u" })
  await paper.pass(100)
  expect(await screenOf(paper)).not.toContain("Fixing the parser")
  paper.entry({ kind: "turn_end", turnId: "u", reason: "completed" })
  await paper.pass(100)
  expect(await screenOf(paper)).not.toContain("tasks done")
})
