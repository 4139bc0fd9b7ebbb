/** Plan mode in the one decision function and in the layer around it: nothing but reading and the plan itself. */

import { describe, expect, test } from "bun:test"
import { defineTool } from "#agent/words/define-tool.ts"
import { reaches, runs, runsReading, touchesNothing, writes } from "#agent/words/footprint.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Behavior, Decision } from "#agent/words/permission.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import { type AnyTool, answered } from "#agent/words/tool.ts"
import { permissionsKit } from "#kits/permissions/kit.ts"
import type { JsonObject } from "#lib/json.ts"
import * as shape from "#lib/shape.ts"
import { bash, decideCase, edit, fetches, place, read, rulesFrom, analyzer, readerWalls } from "./judge.ts"

const planFile = "/home/me/.codewright/plans/calm-running-fox.md"
const workspace = { planFile, own: [planFile, "/home/me/.codewright/session"] }
const plan = { mode: "plan", workspace } as const

describe("the plan file", () => {
  test.each(["Write", "Edit", "MultiEdit"])("%s may write it", (tool) => {
    expect(decideCase({ tool, footprint: writes(planFile), ...plan }).behavior).toBe("allow")
  })

  test.each([
    ["NotebookEdit", writes(planFile)],
    ["Other", writes(planFile)],
    ["mcp__files__write", writes(planFile)],
    ["Write", writes(planFile, "/repo/a.ts")],
    ["Write", writes(`${planFile}.bak`)],
    ["Write", writes("/home/me/.codewright/plans/other.md")],
    ["Write", writes("/home/me/.codewright/plans")],
    ["Write", writes("/home/me/.codewright/session/notes.txt")],
    ["Write", { ...writes(planFile), reaches: ["https://x.example"] }],
    ["Write", { ...writes(planFile), effect: "unknown" as const }],
    ["Write", { ...writes(planFile), runs: ["touch x"] }],
  ])("%s may not touch %j", (tool, footprint) => {
    expect(decideCase({ tool, footprint, ...plan })).toMatchObject({
      behavior: "deny",
      reason: { kind: "mode", mode: "plan" },
    })
  })

  test("a link in its place leads elsewhere, a link to its folder does not", () => {
    const through = (path: string): string => (path === planFile ? "/repo/a.ts" : path)
    expect(edit(planFile, { ...plan, realPath: through }).behavior).toBe("deny")
    const moved = (path: string): string => path.replace("/home/me/.codewright", "/disk2/cw")
    expect(edit(planFile, { ...plan, realPath: moved }).behavior).toBe("allow")
    expect(edit("/disk2/cw/plans/calm-running-fox.md", { ...plan, realPath: moved }).behavior).toBe("allow")
  })

  test("rules of the person still count for it", () => {
    expect(edit(planFile, { ...plan, rules: rulesFrom({ deny: ["Edit"] }) }).behavior).toBe("deny")
    expect(edit(planFile, { ...plan, rules: rulesFrom({ ask: ["Edit"] }) }).behavior).toBe("ask")
  })

  test("without a plan file nothing may be written", () => {
    expect(edit(planFile, { mode: "plan", workspace: { own: [planFile] } }).behavior).toBe("deny")
  })
})

describe("other tools", () => {
  test.each<readonly [string, Decision, Behavior]>([
    ["Read inside", read("/repo/a.ts", plan), "allow"],
    ["Read outside asks as usual", read("/etc/x", plan), "ask"],
    ["WebFetch asks as usual", fetches("https://x.example/", plan), "ask"],
    [
      "WebFetch by rule",
      fetches("https://x.example/", { ...plan, rules: rulesFrom({ allow: ["WebFetch(domain:x.example)"] }) }),
      "allow",
    ],
    ["TodoWrite", decideCase({ tool: "TodoWrite", footprint: { ...touchesNothing(), alone: true }, ...plan }), "allow"],
    ["KillShell", decideCase({ tool: "KillShell", footprint: { ...touchesNothing(), alone: true }, ...plan }), "allow"],
    [
      "a command that reads, of a tool that says it writes",
      decideCase({ tool: "Bash", footprint: { ...runsReading("ls"), writes: ["/repo/a"] }, ...plan }),
      "deny",
    ],
    ["EnterPlanMode", decideCase({ tool: "EnterPlanMode", ...plan }), "allow"],
    [
      "ExitPlanMode",
      decideCase({ tool: "ExitPlanMode", footprint: { ...touchesNothing(), asks: true }, ...plan }),
      "allow",
    ],
    [
      "AskUserQuestion",
      decideCase({ tool: "AskUserQuestion", footprint: { ...touchesNothing(), asks: true }, ...plan }),
      "allow",
    ],
    ["Task", decideCase({ tool: "Task", ...plan }), "allow"],
    ["an MCP tool nobody marked", decideCase({ tool: "mcp__x__y", ...plan }), "deny"],
    [
      "an MCP tool nobody marked, by rule",
      decideCase({ tool: "mcp__x__y", ...plan, rules: rulesFrom({ allow: ["mcp__x"] }) }),
      "deny",
    ],
    [
      "an MCP tool that acts",
      decideCase({ tool: "mcp__x__y", footprint: { ...touchesNothing(), effect: "unknown" }, ...plan }),
      "deny",
    ],
    [
      "an MCP tool that says it only reads",
      decideCase({
        tool: "mcp__x__y",
        footprint: { ...reaches("mcp://x"), effect: "unknown", beside: true },
        ...plan,
        rules: rulesFrom({ allow: ["mcp__x"] }),
      }),
      "deny",
    ],
    [
      "an MCP tool of a server that is marked as read-only",
      decideCase({ tool: "mcp__x__y", footprint: { ...reaches("mcp://x"), effect: "reads" }, ...plan }),
      "ask",
    ],
    [
      "a tool that acts",
      decideCase({ tool: "Other", footprint: { ...touchesNothing(), effect: "unknown" }, ...plan }),
      "deny",
    ],
    ["a command hidden in another tool", decideCase({ tool: "Other", footprint: runs("touch x"), ...plan }), "deny"],
    [
      "a command that is declared to only read",
      decideCase({ tool: "Bash", footprint: runsReading("touch x", "/repo"), ...plan }),
      "deny",
    ],
    [
      "a command that reads, of a tool that does more",
      decideCase({ tool: "Other", footprint: { ...runs("ls"), effect: "unknown" }, ...plan }),
      "deny",
    ],
    [
      "a tool that does not say what it runs, and that a rule denies some commands",
      decideCase({ tool: "Bash", footprint: touchesNothing(), ...plan, rules: rulesFrom({ deny: ["Bash(rm:*)"] }) }),
      "ask",
    ],
    ["an ask rule on what reads", bash("ls", { ...plan, rules: rulesFrom({ ask: ["Bash(ls:*)"] }) }), "ask"],
    ["a deny rule on what reads", bash("ls", { ...plan, rules: rulesFrom({ deny: ["Bash(ls:*)"] }) }), "deny"],
    [
      "an ask rule on what writes asks nobody",
      bash("touch x", { ...plan, rules: rulesFrom({ ask: ["Bash"] }) }),
      "deny",
    ],
  ])("%s", (_name, decision, behavior) => {
    expect(decision.behavior).toBe(behavior)
  })

  test("a tool that acts is not harmless in other modes either", () => {
    expect(decideCase({ tool: "Other", footprint: { ...touchesNothing(), effect: "unknown" } }).behavior).toBe("ask")
  })
})

test("the refusal names plan mode, what was wanted, why not, and what is possible", () => {
  const { message } = bash("npm test", plan)
  for (const part of ["Plan mode is on", "`npm test`", planFile, "ExitPlanMode"]) expect(message).toContain(part)
  expect(bash("ls $OTHER", plan).message).toContain("not certain to only read")
  expect(bash("ls $X", plan).message).toContain("which files it touches is not known in advance")
})

describe("the layer", () => {
  const tool: AnyTool = defineTool({
    name: "Bash",
    description: "",
    input: shape.object({ command: shape.string() }),
    title: ({ command }) => command,
    footprint: ({ command }) => runs(command),
    run: async () => answered("ran"),
  })

  async function through(given: {
    readonly input: JsonObject
    readonly parsed: JsonObject
    readonly command?: string
  }) {
    const asked: QuestionAsk[] = []
    const ran: Call[] = []
    const kit = permissionsKit({
      walls: readerWalls,
      rules: () => rulesFrom({ allow: ["Bash", "Read(//etc/**)"] }),
      mode: () => "plan",
      workspace: () => ({ ...place, ...workspace }),
      cwd: () => "/repo",
      realPaths: () => (path) => path,
      analyzer: { now: () => analyzer, load: async () => analyzer },
      ask: async (ask) => {
        asked.push(ask)
        return { kind: "allow" }
      },
      record: () => {},
    })
    const call: Call = {
      callId: "c",
      signal: new AbortController().signal,
      progress: () => {},
      tool,
      input: given.input,
      parsed: given.parsed,
      footprint: runs(given.command ?? String(given.input.command)),
    }
    const outcome = await kit.middleware?.(call, async (passed) => {
      ran.push(passed)
      return answered("ran")
    })
    return { outcome, asked, ran }
  }

  test("whatever a hook left of a call, each of its parts is looked at", async () => {
    const [harmless, harmful] = [{ command: "ls" }, { command: "touch x" }]
    for (const call of [
      { input: harmful, parsed: harmful },
      { input: harmful, parsed: harmful, command: "ls" },
      { input: harmless, parsed: harmful },
      { input: harmful, parsed: harmless },
    ]) {
      const { ran, asked, outcome } = await through(call)
      expect([ran, asked, outcome?.denied]).toEqual([[], [], true])
    }
  })

  test("what a rule allows runs bound to reading all the same", async () => {
    const { ran } = await through({ input: { command: "cat /etc/hosts" }, parsed: { command: "cat /etc/hosts" } })
    expect(ran.map(({ boundary }) => boundary)).toEqual([
      { by: "judgement", writes: [], reads: ["/etc/hosts"], mustHold: true },
    ])
  })
})
