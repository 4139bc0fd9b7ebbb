/** What the panels of servers, hooks, agents, skills and of what runs do: what they tell, what their keys ask for, and that they keep up. */

import { describe, expect, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import type { McpPort, TasksPort } from "#faces/tui/panels/extension-ports.ts"
import type { PanelPorts } from "#faces/tui/panels/ports.ts"
import { failed, ok } from "#lib/result.ts"
import { entryOf, extensionPorts, serverState, toolOf } from "./extension-scenes.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"

const enter = "\r"
const escape = "\u001b"
const up = "\u001b[A"
const down = "\u001b[B"
const home = "\u001b[H"
const end = "\u001b[F"

const slowly = async (paper: OnPaper, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) {
    await paper.type(key)
    await paper.pass(400)
  }
}
const open = (panels: PanelPorts, rows = 30): Promise<OnPaper> => openOnPaper(90, rows, { panels })
const screenOf = (paper: OnPaper): Promise<string> => paper.terminal.screen()

/** Listeners that the test calls, and how many there are. */
function openBell() {
  const listeners = new Set<() => void>()
  return {
    ring: () => listeners.forEach((listener) => listener()),
    heard: () => listeners.size,
    watch: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

test("a command prints text where its panel is not, and other names work", async () => {
  const bare = await open({})
  for (const [name, text] of [
    ["mcp", "No MCP servers are configured."],
    ["hooks", "No hooks are configured."],
    ["agents", "No agents are available here."],
    ["bashes", "Nothing is running."],
    ["skills", "No skills or commands."],
  ] as const) {
    await slowly(bare, `/${name}${enter}`)
    await bare.pass(100)
    expect(await screenOf(bare)).toContain(text)
  }
  const paper = await open(extensionPorts)
  await slowly(paper, `/help${enter}`)
  for (const name of ["mcp", "hooks", "agents", "tasks", "skills"])
    expect(await paper.terminal.all()).toMatch(new RegExp(`^ +/${name} +[A-Z]`, "m"))
  await slowly(paper, "/ag")
  expect(await screenOf(paper)).toContain("/agents  Show the agents that can be started")
  await slowly(paper, "\u0015", `/bashes${enter}`)
  expect(await screenOf(paper)).toContain("▌ Tasks")
})

describe("servers", () => {
  function openPort(first: Parameters<typeof serverState>[0] = {}) {
    const bell = openBell()
    const done: string[] = []
    let server = serverState(first)
    const become = (next: Parameters<typeof serverState>[0]): void => {
      server = { ...server, ...next }
      bell.ring()
    }
    const mcp: McpPort = {
      servers: async () => [server],
      watch: bell.watch,
      async reconnect(name) {
        done.push(`reconnect ${name}`)
        become({ status: "connected" })
        return ok(undefined)
      },
      async enable(name) {
        done.push(`enable ${name}`)
        return failed("The folder is not trusted.")
      },
      async disable(name) {
        done.push(`disable ${name}`)
        become({ status: "disabled" })
        return ok(undefined)
      },
      async disableHere(name) {
        done.push(`disable ${name} here`)
        become({ status: "disabled" })
        return ok(undefined)
      },
      async login(name) {
        done.push(`log in to ${name}`)
        become({ reason: "Open this URL in a browser and approve access: https://example.com/authorize" })
        return ok(undefined)
      },
    }
    return { mcp, bell, done, become }
  }

  test("are shown as they change, in the list and in one that is open, and nobody listens afterwards", async () => {
    const { mcp, bell, become } = openPort()
    const paper = await open({ mcp })
    await slowly(paper, `/mcp${enter}`)
    expect(await screenOf(paper)).toContain("github  connecting · user")
    become({ status: "connected", tools: [toolOf("find", "Finds", 50)] })
    await paper.pass(10)
    expect(await screenOf(paper)).toContain("github  connected · user · 1 tool · 50 tokens")
    await slowly(paper, enter)
    expect(bell.heard()).toBe(1)
    become({ status: "failed", reason: "it went away", tools: [] })
    await paper.pass(10)
    expect(await screenOf(paper)).toContain("▌ it went away")
    // The list below has not heard of it, and is right all the same.
    await slowly(paper, escape)
    expect(await screenOf(paper)).toContain("github  failed · user · it went away")
    await slowly(paper, escape)
    expect(bell.heard()).toBe(0)
    expect(paper.timers()).toBe(0)
  })

  test("are looked for by typing, and letters mean something only in one that is open", async () => {
    const { mcp, done } = openPort({ status: "failed", reason: "closed" })
    const paper = await open({ mcp })
    await slowly(paper, `/mcp${enter}`, "r", "e")
    expect(await screenOf(paper)).toContain("search: re▏")
    expect(done).toEqual([])
    await slowly(paper, "\u0015", enter, "r")
    expect(done).toEqual(["reconnect github"])
    expect(await screenOf(paper)).toContain("Connected.")
    await slowly(paper, "e")
    expect(done).toEqual(["reconnect github", "disable github"])
    expect(await screenOf(paper)).toContain("Disabled for this session.")
    await slowly(paper, "e")
    expect(done.at(-1)).toBe("enable github")
    expect(await screenOf(paper)).toContain("The folder is not trusted.")
  })

  test("that need a login say how, and show where to agree", async () => {
    const { mcp, done } = openPort({ status: "needs_login" })
    const paper = await open({ mcp })
    await slowly(paper, `/mcp${enter}`, enter)
    expect(await screenOf(paper)).toContain("Press l to log in here.")
    await slowly(paper, "l")
    expect(done).toEqual(["log in to github"])
    expect(await screenOf(paper)).toContain("https://example.com/authorize")
  })

  test("none: how to come by one", async () => {
    const paper = await open({ mcp: { ...openPort().mcp, servers: async () => [] } })
    await slowly(paper, `/mcp${enter}`)
    expect(await screenOf(paper)).toContain("No MCP servers are configured. Add one with codewright mcp add")
  })

  test("cannot write to the screen with what they say", async () => {
    const evil = "\u001b[2J\u001b]0;owned\u0007\r\u202e"
    const { mcp } = openPort({
      name: `x${evil}`,
      status: "failed",
      reason: `why${evil}`,
      stderrTail: `err${evil}`,
      about: evil,
      tools: [toolOf(`t${evil}`, `a${evil}\nb`, 1)],
      prompts: [{ name: evil, arguments: [] }],
    })
    const paper = await open({ mcp })
    await slowly(paper, `/mcp${enter}`, enter, "r")
    const screen = await screenOf(paper)
    expect(screen).toContain("▌ x<U+001B>[2J<U+001B>]0;owned<U+0007><U+000D><U+202E>")
    expect(screen).toContain("why<U+202E>")
    expect(screen).toContain("Codewright in /home/ada/project")
    expect(paper.terminal.cost().clears).toBe(0)
    expect(paper.titles.join()).not.toContain("owned")
  })
})

describe("what runs", () => {
  const said = (text: string): Entry =>
    entryOf({ kind: "reply", messageId: text, model: "m", block: { type: "text", text }, usage: noUsage })

  function openPort() {
    const bell = openBell()
    const done: string[] = []
    let reads = 0
    let entries: readonly Entry[] = [entryOf({ kind: "turn_start", turnId: "t" })]
    let state: "started" | "ended" = "started"
    let durationMs = 0
    const tasks: TasksPort = {
      watch: bell.watch,
      turn: async () => [],
      commands: async () => [],
      output: async () => null,
      agents: async () => [
        {
          fact: { agentId: "aaaaaaaa", agentType: "Explore", description: "look", callId: "c", state },
          usage: { tokens: 0, toolUses: 0, durationMs },
        },
      ],
      async agent() {
        reads++
        return entries
      },
      stopCommand: async () => ok(undefined),
      async stop(agentId) {
        done.push(`stop ${agentId}`)
        return state === "ended" ? failed("That agent does not work any more.") : ok(undefined)
      },
      async say(agentId, text) {
        done.push(`say ${agentId} ${text}`)
        return ok(undefined)
      },
    }
    return {
      tasks,
      bell,
      done,
      reads: () => reads,
      works: (ms: number) => void (durationMs = ms),
      add(...more: readonly Entry[]) {
        entries = [...entries, ...more]
        bell.ring()
      },
      end() {
        state = "ended"
        bell.ring()
      },
    }
  }

  test("a command in the background is stopped from the list, and one that has ended is not", async () => {
    const { tasks, done } = openPort()
    let over: { readonly status: "killed"; readonly exitCode: number; readonly at: number } | undefined
    const commands = async () => [{ id: "bash_1", command: "npm run dev", startedAt: 0, ...(over && { end: over }) }]
    const paper = await open({
      tasks: {
        ...tasks,
        agents: async () => [],
        commands,
        async stopCommand(id) {
          done.push(`stop ${id}`)
          over = { status: "killed", exitCode: 143, at: 1 }
          return ok(undefined)
        },
      },
    })
    await slowly(paper, `/tasks${enter}`, "x")
    expect(await screenOf(paper)).toContain("Stopped.")
    await slowly(paper, "x")
    expect(await screenOf(paper)).toContain("Already finished.")
    expect(done).toEqual(["stop bash_1"])
  })

  test("an agent is followed while it works, read back at leisure, and followed again at its end", async () => {
    const { tasks, add, end: ends, bell } = openPort()
    const paper = await open({ tasks }, 20)
    await slowly(paper, `/tasks${enter}`, enter)
    add(...Array.from({ length: 30 }, (_, i) => said(`line ${i}.`)))
    await paper.pass(10)
    expect(await screenOf(paper)).toContain("line 29.")
    expect(await screenOf(paper)).not.toContain("line 3.")
    await slowly(paper, home)
    add(said("line 30."))
    await paper.pass(10)
    expect(await screenOf(paper)).toContain("line 0.")
    expect(await screenOf(paper)).not.toContain("line 30.")
    await slowly(paper, end, up, down)
    add(said("line 31."))
    await paper.pass(10)
    expect(await screenOf(paper)).toContain("line 31.")
    ends()
    await paper.pass(10)
    expect(await screenOf(paper)).toContain("done · ")
    expect(await screenOf(paper)).not.toContain("x to stop")
    await slowly(paper, escape, escape)
    expect(bell.heard()).toBe(0)
    expect(paper.timers()).toBe(0)
  })

  test("its time goes on without its log being read anew, and stops with it", async () => {
    const { tasks, works, reads, end: ends } = openPort()
    const paper = await open({ tasks })
    await slowly(paper, `/tasks${enter}`, enter)
    const before = reads()
    works(7_000)
    await paper.pass(3_000)
    expect(await screenOf(paper)).toContain("7 s · 0 tool uses · thinking")
    expect(reads()).toBe(before)
    ends()
    await paper.pass(2_000)
    expect(paper.timers()).toBe(0)
  })

  test("is stopped and spoken to by its keys", async () => {
    const { tasks, done, end: ends } = openPort()
    const paper = await open({ tasks })
    await slowly(paper, `/tasks${enter}`, enter, "t", "look at the tests", enter)
    expect(await screenOf(paper)).toContain("Sent.")
    await slowly(paper, "t", escape, "x")
    expect(await screenOf(paper)).toContain("Stopped.")
    expect(done).toEqual(["say aaaaaaaa look at the tests", "stop aaaaaaaa"])
    ends()
    await paper.pass(10)
    await slowly(paper, "x", "t")
    expect(done).toHaveLength(2)
    expect(paper.ops).toEqual([])
  })

  test("what it says cannot write to the screen", async () => {
    const { tasks, add } = openPort()
    const paper = await open({ tasks })
    await slowly(paper, `/tasks${enter}`, enter)
    add(said("fine\u001b[2J\u001b]0;owned\u0007 text"))
    await paper.pass(10)
    expect(await screenOf(paper)).toContain("fine text")
    expect(paper.terminal.cost().clears).toBe(0)
    expect(paper.titles.join()).not.toContain("owned")
  })

  test("a call that one waits for is named until it is answered, and cannot be opened", async () => {
    const begun: readonly Entry[] = [
      entryOf({ kind: "turn_start", turnId: "t" }),
      ...["a", "b"].map((id) =>
        entryOf({
          kind: "reply",
          messageId: "m",
          model: "m",
          block: { type: "tool_use", id, name: "Bash", input: { command: `make ${id}` } },
          usage: noUsage,
        }),
      ),
    ]
    const result = { kind: "result", callId: "a", tool: "Bash", content: "", isError: false, durationMs: 1 } as const
    let entries = [...begun, entryOf(result)]
    const paper = await open({ tasks: { ...openPort().tasks, agents: async () => [], turn: async () => entries } })
    await slowly(paper, `/tasks${enter}`)
    expect(await screenOf(paper)).toContain("❯ Bash make b")
    expect(await screenOf(paper)).not.toContain("make a")
    await slowly(paper, enter)
    expect(await screenOf(paper)).toContain("Press Esc there to interrupt")
    entries = [...entries, entryOf({ kind: "turn_end", turnId: "t", reason: "aborted" })]
    await slowly(paper, escape, `/tasks${enter}`)
    expect(await screenOf(paper)).toContain("No tasks.")
  })
})

test("what is wrong with a hook comes first, and can be read whole", async () => {
  const paper = await open({ hooks: extensionPorts.hooks })
  await slowly(paper, `/hooks${enter}`)
  const rows = (await screenOf(paper)).split("\n")
  const at = (words: string): number => rows.findIndex((row) => row.includes(words))
  expect(at("Ignored")).toBeGreaterThan(-1)
  expect(at("▌ PreToolUse")).toBeGreaterThan(at("Ignored"))
  expect(at("▌ Stop")).toBeGreaterThan(at("https://hooks.example.org/edit"))
  await slowly(paper, enter)
  expect((await screenOf(paper)).replaceAll(/\n▌ /g, " ")).toContain("did you mean PostToolUse? It is left out.")
})

test("without hooks, skills or agents it is said that there are none", async () => {
  const paper = await open({
    hooks: { overview: async () => ({ configured: [], problems: [], runs: [] }) },
    skills: { list: async () => [] },
    agents: { list: async () => [] },
  })
  for (const [name, words] of [
    ["hooks", "No hooks are configured."],
    ["skills", "No skills or commands."],
    ["agents", "No agents are available here."],
  ] as const) {
    await slowly(paper, `/${name}${enter}`)
    expect(await screenOf(paper)).toContain(words)
    await slowly(paper, escape)
  }
})

test("a skill that is gone by the time it is opened is said to be gone", async () => {
  let all = await extensionPorts.skills.list()
  const paper = await open({ skills: { list: async () => all } })
  await slowly(paper, `/skills${enter}`)
  all = []
  await slowly(paper, enter)
  expect(await screenOf(paper)).toContain("This file no longer exists.")
})
