/** Completion below the prompt, and the search through earlier prompts. */

import { expect, test } from "bun:test"
import { type OnPaper, openOnPaper, type PaperOptions } from "./on-paper.ts"

const enter = "\r"
const tab = "\t"
const down = "\u001b[B"
const escape = "\u001b"
const controlR = "\u0012"
const controlU = "\u0015"
const screenOf = (paper: OnPaper): Promise<string> => paper.terminal.screen()
const modes = { panels: { modes: { bypassAvailable: true }, models: { list: async () => [] } } } satisfies PaperOptions

async function typed(paper: OnPaper, keys: string): Promise<string> {
  await paper.type(keys)
  await paper.pass(400)
  return screenOf(paper)
}

test("a command that is typed whole wins over longer ones and over files' commands that begin with its other name", async () => {
  const commands = () => [{ name: "newer", about: "Of a file", takes: "" }]
  const paper = await openOnPaper(80, 40, { ...modes, answers: { commands } })
  expect(await typed(paper, `/mode${enter}`)).toContain("Permission mode")
  await typed(paper, escape)
  await typed(paper, `/new${enter}`)
  expect(paper.ops).toEqual([{ type: "clear" }])
})

test("more commands than fit are counted, and the columns stay where they are", async () => {
  const paper = await openOnPaper(100)
  const first = await typed(paper, "/")
  expect(first).toMatch(/^ {2}1 of \d\d$/m)
  const column = (screen: string): number => /^ {2}\/\S+ +(?=\S)/m.exec(screen)?.[0].length ?? 0
  for (let i = 0; i < 12; i++) await paper.type(down)
  const later = await screenOf(paper)
  expect(later).toMatch(/^ {2}13 of \d\d$/m)
  expect(column(later)).toBe(column(first))
})

test("what was used more comes first, what only has the letters in it comes last", async () => {
  const paper = await openOnPaper(80, 40, {
    history: { load: async () => ["/redo", "/rewind 2", "/rewind 3"], add: () => {} },
  })
  await paper.pass(100)
  const rows = (await typed(paper, "/re")).split("\n").filter((row) => row.startsWith("  /"))
  expect(rows.map((row) => row.trim().split(" ")[0]).slice(0, 2)).toEqual(["/rewind", "/redo"])
  await paper.type(controlU)
  expect(await typed(paper, "/style")).toContain("  /output-style")
})

test("arguments are completed: modes, models, styles, agents, conversations", async () => {
  const paper = await openOnPaper(100, 40, {
    panels: {
      models: { list: async () => [{ id: "claude-opus-5-5", aliases: ["opus"], window: 1 }] },
      sessions: {
        list: async () => ({
          ok: true,
          value: [
            { id: "1", title: "The parser", firstPrompt: "", changedAt: 0, branch: undefined, messages: 1, costUsd: 0 },
          ],
        }),
        preview: async () => [],
        open: () => {},
      },
    },
    answers: {
      styles: () => ({ chosen: "default", names: ["default", "terse"], list: [] }),
      agent_types: () => [
        { agentType: "reviewer", whenToUse: "Reviews", systemPrompt: "", source: "user", provenance: "user" },
      ],
    },
  })
  expect(await typed(paper, "/mode acc")).toContain("acceptEdits  accept edits: edit files without asking")
  await paper.type(tab)
  expect(await screenOf(paper)).toContain("> /mode acceptEdits")
  for (const [line, found] of [
    ["/model op", "claude-opus-5-5  opus"],
    ["/output-style t", "terse"],
    ["/agents rev", "reviewer  Reviews"],
    ["/resume pars", "The parser"],
  ] as const) {
    await paper.type(controlU)
    expect(await typed(paper, line)).toContain(`  ${found}`)
  }
  await paper.type(controlU)
  await typed(paper, "/model op")
  await typed(paper, enter)
  await typed(paper, "/model op")
  await typed(paper, down + enter)
  // As typed, until another one is chosen.
  expect(paper.ops).toEqual([
    { type: "set_model", model: "op" },
    { type: "set_model", model: "claude-opus-5-5" },
  ])
})

test("/permissions add completes its words, says what a rule looks like, and completes where it is saved", async () => {
  const paper = await openOnPaper(110, 40)
  expect(await typed(paper, "/permissions ")).toContain(
    "  add allow   Add a rule for what runs without asking\n  add ask",
  )
  await typed(paper, `add d${tab}`)
  expect(await screenOf(paper)).toContain("> /permissions add deny")
  expect(await screenOf(paper)).toContain("  <rule>, such as Bash(npm test:*)")
  expect(await typed(paper, "Bash(rm:*) --to ")).toContain("  session  this session\n  local    this project\n")
  await typed(paper, `lo${tab}${enter}`)
  expect(paper.ops).toEqual([{ type: "add_rule", behavior: "deny", rule: "Bash(rm:*)", destination: "local settings" }])
})

test("/add-dir completes folders step by step, from the one above", async () => {
  const known: { readonly [words: string]: readonly string[] } = {
    "../": ["../beside/", "../notes.md"],
    "../beside/": ["../beside/lib/", "../beside/a.ts"],
  }
  const paper = await openOnPaper(80, 40, { findFiles: async (words) => known[words] ?? [] })
  const first = await typed(paper, "/add-dir ")
  expect(first).toContain("  ../beside/")
  expect(first).not.toContain("notes.md")
  const next = await typed(paper, tab)
  expect(next).toContain("> /add-dir ../beside/\n")
  expect(next).toContain("  ../beside/lib/")
  expect(next).not.toContain("a.ts")
  await typed(paper, enter)
  expect(paper.ops).toEqual([{ type: "add_folder", path: "../beside/" }])
})

test("a command of a file says what it takes", async () => {
  const commands = () => [{ name: "fix", about: "Fix an issue", takes: "[issue] [priority]" }]
  const paper = await openOnPaper(80, 40, { answers: { commands } })
  await paper.pass(100)
  expect(await typed(paper, "/fix ")).toContain("  [issue] [priority]")
  expect(await typed(paper, "12")).not.toContain("[priority]")
  await paper.type(enter)
  expect(paper.ops).toMatchObject([{ type: "prompt", content: [{ text: "/fix 12" }] }])
})

test("@ completes folders step by step, agents and resources, with one space after it", async () => {
  const known: { readonly [words: string]: readonly string[] } = { sr: ["src/"], "src/": ["src/app.ts"], rev: [] }
  const paper = await openOnPaper(80, 40, {
    findFiles: async (words) => known[words] ?? [],
    about: { agents: ["reviewer"] },
    answers: {
      about: () => ({ ...paperWith, agents: ["reviewer"] }),
      servers: () => [
        {
          name: "docs",
          source: "user",
          provenance: "user",
          kind: "stdio",
          status: "connected",
          tools: [],
          prompts: [],
          resources: [{ uri: "page://intro", name: "Introduction" }],
          templates: [],
          skills: [],
        },
      ],
    },
  })
  expect(await typed(paper, "see @sr")).toContain("  @src/")
  expect(await typed(paper, tab)).toContain("  @src/app.ts")
  await typed(paper, `${tab} and @rev`)
  expect(await screenOf(paper)).toContain("> see @src/app.ts and @rev")
  expect(await screenOf(paper)).toContain("  @agent-reviewer  agent")
  await typed(paper, `${tab}@intro`)
  expect(await screenOf(paper)).toContain("  @docs:page://intro  Introduction")
})

const paperWith = {
  cwd: "/",
  tools: [],
  addedFolders: [],
  modeCycle: [],
  bypassAvailable: false,
  opened: "beginning",
  recent: "beginning",
  notes: [],
  fileNotes: [],
} as const

test("files that were mentioned lately come first", async () => {
  const paper = await openOnPaper(80, 40, {
    findFiles: async () => ["src/a.ts", "src/b.ts"],
    history: { load: async () => ["look at @src/b.ts please"], add: () => {} },
  })
  await paper.pass(100)
  const screen = await typed(paper, "@sr")
  expect(screen.indexOf("  @src/b.ts")).toBeLessThan(screen.indexOf("  @src/a.ts"))
})

test("Ctrl+R lists what fits, newest first and counted; Enter takes it, Esc goes back", async () => {
  const lines = [...Array.from({ length: 9 }, (_, i) => `fix bug ${i}`), "write docs"]
  const paper = await openOnPaper(80, 40, { history: { load: async () => lines, add: () => {} } })
  await paper.pass(100)
  const screen = await typed(paper, `${controlR}fix`)
  expect(screen).toContain("search: fix▏\n  fix bug 8\n  fix bug 7\n")
  expect(screen).toContain("  1 of 9 · Enter or Tab to use · Ctrl+R for older · Esc to cancel")
  expect(screen).not.toContain("write docs")
  await typed(paper, controlR + controlR + enter)
  expect(await screenOf(paper)).toContain("> fix bug 6")
  expect(await typed(paper, `${controlR}none such`)).toContain("nothing found")
  await typed(paper, escape)
  expect(await screenOf(paper)).toContain("> fix bug 6")
})
