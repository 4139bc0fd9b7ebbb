/** What panels do: searching, choosing, going back, and what they ask of the session. */

import { grantDestinations } from "#agent/words/permission.ts"
import { describe, expect, test } from "bun:test"
import type { NewRule, PanelPorts } from "#faces/tui/panels/ports.ts"
import type { RuleRow } from "#session/port/query.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"
import { ports, someTodos, todosPort } from "./panel-scenes.ts"

const enter = "\r"
const escape = "\u001b"
const down = "\u001b[B"
const up = "\u001b[A"

/** Types keys one by one, with time enough after each that a panel that has just come hears the next one. */
const slowly = async (paper: OnPaper, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) {
    await paper.type(key)
    await paper.pass(400)
  }
}

const open = (panels: PanelPorts = ports): Promise<OnPaper> => openOnPaper(80, 30, { panels })

describe("a panel", () => {
  test("ignores keys until nobody has typed for a moment, but can always be left", async () => {
    const paper = await open()
    await paper.type(`/model${enter}`)
    await paper.pass(100)
    await paper.type(`${down}${enter}`)
    expect(paper.ops).toEqual([])
    await paper.type("\u0003")
    expect(await paper.terminal.screen()).not.toContain("Choose a model")
  })

  test("filters as one types, and takes back letters", async () => {
    const paper = await open()
    await slowly(paper, `/model${enter}`, "opu")
    expect(await paper.terminal.screen()).not.toContain("haiku")
    await slowly(paper, "\u007f", "\u007f", "\u007f", "hai")
    expect(await paper.terminal.screen()).toContain("❯ claude-haiku-5-5")
    await slowly(paper, enter)
    expect(paper.ops).toEqual([{ type: "set_model", model: "claude-haiku-5-5" }])
    expect(await paper.terminal.screen()).toContain("> Ask anything · @ for files · / for commands")
  })

  test("begins at what is current, and goes round at its ends", async () => {
    const paper = await open()
    await slowly(paper, `/model${enter}`, down, down, down, enter)
    expect(paper.ops).toEqual([{ type: "set_model", model: "claude-opus-5-5" }])
    await slowly(paper, `/model${enter}`, up, up, enter)
    expect(paper.ops.at(-1)).toEqual({ type: "set_model", model: "sim" })
  })

  test("that chooses what is current changes nothing", async () => {
    const paper = await open()
    await slowly(paper, `/model${enter}`, enter)
    expect(paper.ops).toEqual([])
  })

  test("that is not there is printed by its command as text", async () => {
    const paper = await open({})
    await slowly(paper, `/branches${enter}`)
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("This conversation has only one branch so far.")
  })

  test("waits behind a question, and comes back after it", async () => {
    const paper = await open()
    await slowly(paper, `/model${enter}`)
    const ask = {
      kind: "choice",
      callId: "c",
      questions: [{ question: "Which?", header: "H", multiSelect: false, options: [{ label: "A", description: "a" }] }],
    } as const
    paper.ask({ id: "q", key: "q", digest: "q", ask })
    await paper.pass(400)
    expect(await paper.terminal.screen()).not.toContain("Choose a model")
    await slowly(paper, "1")
    expect(paper.ops).toHaveLength(1)
    expect(await paper.terminal.screen()).toContain("Choose a model")
  })

  test("whose answer comes late does not write over a newer one", async () => {
    const waiting: { readonly query: string; readonly come: (value: Result<readonly [], string>) => void }[] = []
    const paper = await open({
      sessions: {
        open: () => {},
        preview: async () => [],
        list: (query) => new Promise((come) => waiting.push({ query, come })),
      },
    })
    await slowly(paper, `/resume${enter}`, "a", "b")
    expect(waiting.map(({ query }) => query)).toEqual(["", "a", "ab"])
    waiting[2]?.come(ok([]))
    await paper.pass(10)
    waiting[0]?.come(ok([]))
    await paper.pass(10)
    expect(await paper.terminal.screen()).toContain("search: ab")
    expect(await paper.terminal.screen()).toContain("No matches.")
  })
})

test("resuming another conversation tells which, and leaves this one", async () => {
  const opened: string[] = []
  const sessions = ports.sessions
  const paper = await open({
    ...(sessions && { sessions: { ...sessions, open: ({ resume }) => void opened.push(resume) } }),
  })
  await slowly(paper, `/resume${enter}`, "documentation", enter)
  expect(opened).toEqual(["s2"])
  expect(await paper.ended).toBeUndefined()
})

test("what is free is said once, whoever counted it", async () => {
  const parts = [
    { name: "Messages", tokens: 50_000 },
    { name: "Reserved for answers", tokens: 30_000 },
    { name: "Free", tokens: 120_000 },
  ]
  const paper = await open({ context: { parts: async () => ({ model: "claude-sonnet-5", window: 200_000, parts }) } })
  await slowly(paper, `/context${enter}`)
  const rows = (await paper.terminal.screen()).split("\n").filter((row) => /▌ Free\b/.test(row))
  expect(rows).toEqual([expect.stringMatching(/120k +60%/)])
})

describe("going back", () => {
  test.each([
    ["1", { what: "both" }],
    ["2", { what: "conversation" }],
    ["3", { what: "files" }],
    ["4", undefined],
    ["43", { what: "files", force: true }],
    ["42", { what: "conversation" }],
    ["441", { what: "both" }],
    [`${down}${down}${down} 1`, { what: "both", force: true }],
  ] as const)("%j", async (keys, op) => {
    const paper = await open()
    await slowly(paper, `/rewind${enter}`, "parser", enter)
    // oxlint-disable-next-line no-control-regex -- keys are control sequences.
    await slowly(paper, ...(keys.match(/\u001b\[.|./g) ?? []))
    expect(paper.ops).toEqual(op ? [{ type: "rewind", promptId: "p1", ...op }] : [])
  })

  test.each([
    ["5", "upTo"],
    ["6", "from"],
  ] as const)("or summarizing there instead: %j", async (key, where) => {
    const paper = await open()
    await slowly(paper, `/rewind${enter}`, "parser", enter, key)
    expect(paper.ops).toEqual([{ type: "compact", [where]: "p1" }])
  })

  test("to where no file would change offers only the conversation", async () => {
    const paper = await open()
    await slowly(paper, `/rewind${enter}`, enter, "1")
    expect(paper.ops).toEqual([{ type: "rewind", promptId: "p3", what: "conversation" }])
  })

  test("that cannot be looked at says why", async () => {
    const { rewind } = ports
    const paper = await open({
      ...(rewind && { rewind: { ...rewind, preview: async () => failed("The store of snapshots is gone.") } }),
    })
    await slowly(paper, `/rewind${enter}`, enter)
    expect(await paper.terminal.screen()).toContain("The store of snapshots is gone.")
  })

  test("says why there is nothing to go back to", async () => {
    const { rewind } = ports
    const points = async (): Promise<Result<never, string>> => failed("The log cannot be read.")
    const paper = await open({ ...(rewind && { rewind: { ...rewind, points } }) })
    await slowly(paper, `/rewind${enter}`)
    expect(await paper.terminal.screen()).toContain("The log cannot be read.")
    expect(await paper.terminal.screen()).not.toContain("Nothing was said yet")
  })

  test("can be left at every step", async () => {
    const paper = await open()
    await slowly(paper, `/rewind${enter}`, enter, escape)
    expect(await paper.terminal.screen()).toContain("Rewind to a prompt")
    await slowly(paper, escape)
    expect(await paper.terminal.screen()).toContain("> Ask anything · @ for files · / for commands")
    expect(paper.ops).toEqual([])
  })
})

describe("rules", () => {
  const recorded = (): { readonly panels: PanelPorts; readonly done: unknown[] } => {
    const done: unknown[] = []
    let rules: readonly RuleRow[] = [{ behavior: "allow", rule: "Edit(src/**)", source: "user settings" }]
    return {
      done,
      panels: {
        permissions: {
          destinations: grantDestinations,
          auto: async () => [],
          list: async () => rules,
          async add(rule: NewRule) {
            done.push(["add", rule])
            if (rule.rule === "Bash(") return failed("Bash( is not a rule.")
            rules = [...rules, { ...rule, source: rule.destination }]
            return ok(undefined)
          },
          async remove(rule) {
            done.push(["remove", rule])
            rules = rules.filter((other) => other !== rule)
            return ok(undefined)
          },
        },
      },
    }
  }

  test("are removed only after a second word", async () => {
    const { panels, done } = recorded()
    const paper = await open(panels)
    await slowly(paper, `/permissions${enter}`, down, enter, "1")
    expect(done).toEqual([])
    await slowly(paper, enter, "2")
    expect(done).toEqual([["remove", { behavior: "allow", rule: "Edit(src/**)", source: "user settings" }]])
    const shown = await paper.terminal.screen()
    expect(shown).toContain("Removed Edit(src/**).")
    expect(shown).not.toContain("all your projects")
  })

  test("are added with a behaviour and a place", async () => {
    const { panels, done } = recorded()
    const paper = await open(panels)
    await slowly(paper, `/permissions${enter}`, enter, "Bash(make:*)", enter, "3", "3")
    expect(done).toEqual([["add", { behavior: "deny", rule: "Bash(make:*)", destination: "project settings" }]])
    const shown = await paper.terminal.screen()
    expect(shown).toContain("Added Bash(make:*).")
    expect(shown).toContain("Permission rules")
  })

  test("that are none are refused where they were written", async () => {
    const { panels } = recorded()
    const paper = await open(panels)
    await slowly(paper, `/permissions${enter}`, enter, "Bash(", enter, "1", "1")
    expect(await paper.terminal.screen()).toContain("Bash( is not a rule.")
  })
})

describe("themes", () => {
  test("are worn while they are pointed at, kept when chosen, and taken off when left", async () => {
    const kept: string[] = []
    const panels = {
      themes: {
        async keep(theme: string) {
          kept.push(theme)
          return ok(undefined)
        },
      },
    }
    const paper = await openOnPaper(80, 30, { panels, theme: "dark" })
    await slowly(paper, `/theme${enter}`)
    const before = paper.terminal.raw().length
    await slowly(paper, down)
    // The accent of the light theme, and none of the dark one.
    const worn = paper.terminal.raw().slice(before)
    expect(worn).toContain("\u001b[38;5;23m")
    expect(worn).not.toContain("\u001b[38;5;80m")
    await slowly(paper, escape)
    const left = paper.terminal.raw().length
    await slowly(paper, `/theme${enter}`, "6")
    expect(paper.terminal.raw().slice(left)).toContain("\u001b[38;5;80m")
    expect(kept).toEqual(["none"])
    const none = paper.terminal.raw().length
    await slowly(paper, "plain")
    // oxlint-disable-next-line no-control-regex -- styles are control sequences.
    expect(paper.terminal.raw().slice(none)).not.toMatch(/\u001b\[(?:[\d;]*;)?[349]\d[;m]/)
  })
})

describe("branches", () => {
  const branch = (tip: string | null, prompt: string | undefined, isCurrent: boolean) => ({
    tip,
    prompt,
    at: 0,
    prompts: 2,
    isCurrent,
  })
  const branches = {
    list: async () => [
      branch("now", "another way", true),
      branch("old", "the first way\nand more", false),
      branch(null, undefined, false),
    ],
  }

  test("begin at the current one, which changes nothing, and lead to another", async () => {
    const paper = await open({ branches })
    await slowly(paper, `/branches${enter}`, enter)
    expect(paper.ops).toEqual([])
    await slowly(paper, `/branches${enter}`, "first", enter)
    expect(paper.ops).toEqual([{ type: "switch", to: "old" }])
    await slowly(paper, `/branches${enter}`, "(no", enter)
    expect(paper.ops.at(-1)).toEqual({ type: "switch", to: null })
  })
})

test("a side question is asked while the agent works, and Esc closes it without stopping anything", async () => {
  const paper = await open()
  paper.entry({ kind: "turn_start", turnId: "t" })
  await paper.pass(100)
  await paper.type("/btw where is listen called?\r")
  await paper.pass(400)
  expect(await paper.terminal.screen()).toContain("It is called from server.ts")
  await paper.type("\u001b")
  await paper.pass(1_000)
  expect(await paper.terminal.screen()).not.toContain("It is called from server.ts")
  expect(paper.ops).toEqual([])
})

describe("the task list", () => {
  const shiftUp = "\u001b[1;2A"
  const shiftDown = "\u001b[1;2B"
  const brief = (todos: ReturnType<typeof todosPort>): readonly string[] =>
    todos.now().map(({ content, status }) => `${status} ${content.split(" ")[0]}`)

  test("is ticked, moved, edited, added to and shortened", async () => {
    const todos = todosPort(...someTodos)
    const paper = await open({ todos })
    await slowly(paper, `/todos${enter}`)
    // Quick presses count, each.
    await paper.type(" ")
    await paper.pass(5)
    await paper.type(" ")
    await paper.pass(5)
    expect(brief(todos)).toEqual(["in_progress Read", "in_progress Fix", "pending Run"])
    await slowly(paper, " ", shiftDown, shiftDown, shiftDown)
    expect(brief(todos)).toEqual(["in_progress Fix", "pending Run", "completed Read"])
    // The pointer follows what is moved.
    expect(await paper.terminal.screen()).toContain("❯ ☑ Read")
    await slowly(paper, shiftUp, "e", "\u0015", "Again", enter)
    expect(todos.now()[1]).toEqual({ content: "Again", status: "completed", activeForm: "Again" })
    await slowly(paper, "d")
    expect(await paper.terminal.screen()).toContain("Deleted: Again")
    await slowly(paper, "a")
    await paper.type("N")
    await paper.type("ew")
    await paper.type(enter)
    await paper.pass(400)
    expect(brief(todos)).toEqual(["in_progress Fix", "pending Run", "pending New"])
    await slowly(paper, escape)
    expect(await paper.terminal.screen()).toContain("> Ask anything")
  })

  test("takes no item without text", async () => {
    const todos = todosPort(...someTodos)
    const paper = await open({ todos })
    await slowly(paper, `/todos${enter}`, "a", "   ", enter)
    expect(await paper.terminal.screen()).toContain("Type some text first, or press Esc.")
    await slowly(paper, escape, "e", "\u0015", enter)
    expect(await paper.terminal.screen()).toContain("Type some text first, or press Esc.")
    expect(todos.now()).toEqual(someTodos)
  })

  test("says when an item is gone that the model removed meanwhile", async () => {
    const todos = todosPort(...someTodos)
    const paper = await open({ todos })
    await slowly(paper, `/todos${enter}`, "e")
    await todos.set(someTodos.slice(1))
    await slowly(paper, "x", enter)
    expect(await paper.terminal.screen()).toContain("That item is not in the list any more.")
    expect(todos.now()).toEqual(someTodos.slice(1))
  })

  test("is changed by words without a panel", async () => {
    const paper = await open({ todos: todosPort(...someTodos) })
    await slowly(paper, `/todos add write a test${enter}`)
    expect(await paper.terminal.screen()).not.toContain("Space to tick")
  })
})
