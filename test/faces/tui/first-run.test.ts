/** The questions before a conversation: what they look like, and what comes of each answer. */

import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import type { FirstRunPorts, TrustPort } from "#faces/tui/first-run/ports.ts"
import { runFirstRun } from "#faces/tui/first-run/run.ts"
import type { ThemeName } from "#faces/tui/screen/theme.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { VirtualTerminal } from "../../kit/virtual-terminal.ts"
import { expectGolden } from "../../kit/golden.ts"
import { openPaperClock } from "./paper-clock.ts"
import { openPaperTerminal, type PaperTerminal } from "./paper-terminal.ts"
import { somePort } from "./provider-scenes.ts"

const enter = "\r"
const escape = "\u001b"

interface Asked {
  readonly paper: PaperTerminal
  readonly terminal: VirtualTerminal
  readonly type: (...keys: readonly string[]) => Promise<void>
  readonly end: ReturnType<typeof runFirstRun>
  readonly done: unknown[]
}

const trust: Pick<TrustPort, "folder" | "why" | "lasts" | "runs"> = {
  folder: "/home/ada/project",
  why: "new",
  lasts: "for good",
  runs: [
    { file: ".codewright/settings.json", what: "hook PreToolUse", detail: "./scripts/check.sh --all" },
    { file: ".codewright/settings.json", what: "variable NODE_OPTIONS", detail: "--require ./trace.js" },
    { file: ".mcp.json", what: "MCP server tickets", detail: "npx -y tickets-server" },
  ],
}

async function ask(
  parts: readonly (keyof FirstRunPorts)[],
  {
    columns = 80,
    theme = "ansi",
    accept = ok(undefined),
    runs = trust.runs,
    why = trust.why,
    lasts = trust.lasts,
    rows = 30,
  }: {
    readonly columns?: number
    readonly theme?: ThemeName | "detected"
    readonly accept?: Result<void, string>
    readonly runs?: TrustPort["runs"]
    readonly why?: "new" | "changed"
    readonly lasts?: TrustPort["lasts"]
    readonly rows?: number
  } = {},
): Promise<Asked> {
  const paper = openPaperTerminal(columns, rows)
  const { clock, pass } = openPaperClock()
  const done: unknown[] = []
  const did = (...what: readonly unknown[]): Result<void, string> => {
    done.push(what)
    return ok(undefined)
  }
  const all: Required<FirstRunPorts> = {
    themes: { keep: (name) => did("theme", name) },
    reach: {
      providers: somePort(did),
      useModel: (provider, model) => did("model", provider, model),
      useSimulator: () => did("simulator"),
    },
    trust: {
      ...trust,
      runs,
      why,
      lasts,
      accept() {
        done.push(["trust"])
        return accept
      },
    },
  }
  const ports = Object.fromEntries(parts.map((part) => [part, all[part]]))
  const end = runFirstRun({ terminal: paper.terminal, clock, theme, ports })
  await pass(400)
  return {
    paper,
    terminal: paper.virtual,
    end,
    done,
    async type(...keys) {
      for (const key of keys) {
        await paper.type(key)
        await pass(400)
      }
    },
  }
}

describe("looks", () => {
  const looks: {
    readonly [name: string]: { readonly parts: readonly (keyof FirstRunPorts)[]; readonly keys: readonly string[] }
  } = {
    "first run, colours": { parts: ["themes", "reach", "trust"], keys: [] },
    "first run, who answers": { parts: ["themes", "reach", "trust"], keys: ["1"] },
    "first run, whose key": { parts: ["reach"], keys: ["4"] },
    "first run, a key": { parts: ["reach"], keys: ["4", "openai", "\r", "sk-0123456789"] },
    "first run, a model": { parts: ["reach"], keys: ["3"] },
    "first run, a model that is not listed": { parts: ["reach"], keys: ["4", "openai", "\r", "sk-0123456789", "\r"] },
    "first run, signing in": { parts: ["reach"], keys: ["4", "router", "\r", "1"] },
    "first run, another server": { parts: ["reach"], keys: ["5", "http://nowhere:8000/v1", "\r"] },
    "first run, trust": { parts: ["themes", "reach", "trust"], keys: ["1", "1"] },
    "a new folder": { parts: ["trust"], keys: [] },
  }
  for (const [name, { parts, keys }] of Object.entries(looks))
    for (const columns of [40, 60, 100, 160, 300])
      test(`${name}, ${columns} columns`, async () => {
        const { terminal, type } = await ask(parts, { columns })
        await type(...keys)
        const shown = await terminal.all()
        for (const row of shown.split("\n")) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns)
        const file = `${name.replaceAll(/[^a-z]+/gi, "-").toLowerCase()}-${columns}.txt`
        await expectGolden(join(import.meta.dir, "goldens", file), `${shown}\n`)
      })
})

test("all of it, in order, and the terminal is given back", async () => {
  const { paper, type, end, done, terminal } = await ask(["themes", "reach", "trust"])
  await type("2", "6", "1")
  expect(await end).toBe("continues")
  expect(done).toEqual([["theme", "light"], ["simulator"], ["trust"]])
  expect(paper.isOpen()).toBe(false)
  const left = await terminal.all()
  expect(left).toContain("Theme: Light")
  expect(left).toContain("This folder is trusted.")
  expect(left).not.toContain("Do you trust")
})

describe("who answers", () => {
  test.each([
    [["1"], [["model", "anthropic", "default"]], "Model: Anthropic"],
    [
      ["4", enter, "sk-ant-0123456789", enter],
      [
        ["key", "anthropic", "sk-ant-0123456789", "tested"],
        ["model", "anthropic", "default"],
      ],
      "Model: Anthropic",
    ],
    [
      ["4", enter, "\u001b[200~sk-ant-0123456789\n\u001b[201~", enter],
      [
        ["key", "anthropic", "sk-ant-0123456789", "tested"],
        ["model", "anthropic", "default"],
      ],
      "Model: Anthropic",
    ],
    [["3", "\u001b[B", enter], [["model", "ollama", "llama4"]], "llama4 from Ollama"],
    [
      ["4", "openai", enter, "sk-untested-1", enter, enter, enter, "gpt-5", enter],
      [
        ["key", "openai", "sk-untested-1", "tested"],
        ["key", "openai", "sk-untested-1", "untested"],
        ["model", "openai", "gpt-5"],
      ],
      "gpt-5 from OpenAI",
    ],
    [
      ["4", "router", enter, "1", "a-code-of-theirs", enter, enter],
      [
        ["code", "openrouter", "a-code-of-theirs"],
        ["model", "openrouter", "qwen3"],
      ],
      "qwen3 from OpenRouter",
    ],
    [
      ["5", "https://llm.example.com/v1", enter, enter],
      [
        ["add", "https://llm.example.com/v1"],
        ["model", "llm-example-com", "qwen3"],
      ],
      "qwen3 from llm-example-com",
    ],
    [
      ["5", "https://locked.example.com/v1", enter, "sk-0123456789", enter, enter],
      [
        ["add", "https://locked.example.com/v1"],
        ["key", "llm-example-com", "sk-0123456789", "tested"],
        ["model", "llm-example-com", "qwen3"],
      ],
      "qwen3 from llm-example-com",
    ],
    [["6"], [["simulator"]], "the built-in simulator"],
    [[escape], [], "from settings"],
  ] as const)("%j", async (keys, wanted, words) => {
    const { type, end, done, terminal } = await ask(["reach"])
    await type(...keys)
    expect(await end).toBe("continues")
    expect(done).toEqual([...wanted])
    expect(await terminal.all()).toContain(words)
  })

  test("a key is never drawn, and what is no key is refused", async () => {
    const { type, done, terminal } = await ask(["reach"])
    await type("4", enter, "brief7", enter)
    expect(await terminal.screen()).toContain("That does not look like an API key")
    await type("\u0015", "sk with blanks in it", enter)
    expect(done).toEqual([])
    expect(terminal.raw()).not.toContain("brief7")
    expect(terminal.raw()).not.toContain("blanks in it")
  })

  test("what is wrong with a key or an address is said, and it can be written again", async () => {
    const { type, terminal } = await ask(["reach"])
    await type("4", "openai", enter, "sk-wrong-1234", enter)
    expect(await terminal.screen()).toContain("OpenAI rejected this key (401).")
    await type(escape, escape, "5", "nowhere", enter)
    expect(await terminal.screen()).toContain("nowhere could not be reached")
  })
})

describe("trust", () => {
  test.each([
    ["1", "continues", [["trust"]]],
    ["2", "continues without", []],
    ["3", "quits", []],
    [escape, "quits", []],
    ["\u0003", "quits", []],
  ] as const)("%j", async (key, wanted, did) => {
    const { type, end, done } = await ask(["trust"])
    await type(key)
    expect(await end).toBe(wanted)
    expect(done).toEqual([...did])
  })

  test("that could not be kept is not taken for given", async () => {
    const { type, terminal, end } = await ask(["trust"], { accept: failed("trust.json cannot be written.") })
    await type("1")
    expect(await terminal.screen()).toContain("trust.json cannot be written.")
    await type("2")
    expect(await end).toBe("continues without")
  })

  test("is asked for again when what would run has changed, and when nothing would", async () => {
    const changed = await ask(["trust"], { why: "changed" })
    expect(await changed.terminal.screen()).toContain("These entries are new or changed")
    const nothing = await ask(["trust"], { runs: [] })
    expect(await nothing.terminal.screen()).toContain("This folder has no hooks, servers or rules.")
  })

  test("shows all that would run, however much it is", async () => {
    const runs = Array.from({ length: 60 }, (_, i) => ({ file: ".mcp.json", what: `MCP server s${i}`, detail: "x" }))
    const { terminal, type, done } = await ask(["trust"], { runs })
    const seen = new Set<string>()
    const look = async (): Promise<string> => {
      const screen = await terminal.screen()
      for (const { what } of runs) if (screen.includes(`${what}: x`)) seen.add(what)
      expect(screen).toContain("3. Quit")
      return screen
    }
    expect(await look()).toContain("Lines 1–16 of 61 · PgUp/PgDn to scroll")
    for (let page = 0; page < 8; page++) {
      await type("\u001b[6~")
      await look()
    }
    expect(seen.size).toBe(runs.length)
    expect(await look()).toContain("of 61")
    await type("\u001b[5~", "\u001b[5~", "\u001b[5~", "\u001b[5~", "\u001b[5~", "\u001b[5~", "\u001b[5~", "\u001b[5~")
    expect(await look()).toContain("MCP server s0: x")
    expect(done).toEqual([])
  })

  test.each([8, 10, 12, 14, 20])("never hides a row without a word, with %d rows on the screen", async (rows) => {
    const { terminal } = await ask(["trust"], { rows })
    const screen = await terminal.screen()
    expect(screen).toMatch(/MCP server tickets: npx -y tickets-server|of 5 · PgUp\/PgDn to scroll/)
  })

  test("shows all that a row says, and what is new in it", async () => {
    const runs: TrustPort["runs"] = [
      {
        file: ".mcp.json",
        what: "MCP server s",
        detail: "x",
        more: ["variable A=1", "header B: 2"],
        change: "changed",
      },
    ]
    const { terminal } = await ask(["trust"], { runs, why: "changed" })
    const screen = await terminal.screen()
    for (const text of ["changed MCP server s: x", "variable A=1", "header B: 2"]) expect(screen).toContain(text)
  })

  test("of the home folder holds for the session, and says so", async () => {
    const { terminal } = await ask(["trust"], { lasts: "session" })
    const screen = await terminal.screen()
    expect(screen).toContain("so your answer counts for this")
    expect(screen).toContain("1. Yes, I trust it, for this session")
  })

  test("keys pressed before it could be read are no answer", async () => {
    const paper = openPaperTerminal(80, 30)
    const { clock, pass } = openPaperClock()
    let accepted = false
    const accept = (): Result<void, string> => {
      accepted = true
      return ok(undefined)
    }
    void runFirstRun({ terminal: paper.terminal, clock, theme: "ansi", ports: { trust: { ...trust, accept } } })
    await pass(100)
    await paper.type("1")
    await paper.type(enter)
    await pass(100)
    expect(accepted).toBe(false)
    expect(await paper.virtual.screen()).toContain("Do you trust")
  })
})

test("a terminal that goes away while it asks ends it", async () => {
  const { paper, end } = await ask(["trust"])
  paper.end()
  expect(await end).toBe("quits")
})

test("colours begin as light as the terminal says it is", async () => {
  const { paper, terminal, type } = await ask(["themes"], { theme: "detected" })
  expect(paper.signals).toContain("background?")
  await paper.type("\u001b]11;rgb:ffff/ffff/ffff\u001b\\")
  await type("x")
  expect(terminal.raw()).toContain("\u001b[38;5;23m")
})
