/** Definitions as people write them: what is understood, what is left out, and that each mistake is named. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { decodeFile, decodeJson } from "#kits/subagents/decode.ts"
import { findAgents } from "#kits/subagents/find.ts"

const file = (text: string) => decodeFile({ source: "project", path: "/p/agents/x.md", text })

test("a file with everything", () => {
  const { definitions, problems } = file(`---
name: reviewer
description: Reviews changes. Use it: always.
tools: Read, Grep , Bash
disallowedTools:
  - Bash
model: haiku
permissionMode: plan
maxTurns: 12
criticalReminder: Be kind.
color: green
background: true
isolation: worktree
forkContext: true
---

You review.
`)
  expect(problems).toEqual([])
  expect(definitions).toEqual([
    {
      agentType: "reviewer",
      whenToUse: "Reviews changes. Use it: always.",
      systemPrompt: "You review.",
      tools: ["Read", "Grep", "Bash"],
      disallowedTools: ["Bash"],
      model: "haiku",
      onlyReads: true,
      forkContext: true,
      criticalReminder: "Be kind.",
      color: "green",
      maxTurns: 12,
      background: true,
      isolation: "worktree",
      source: "project",
      path: "/p/agents/x.md",
    },
  ])
})

test("a description over several lines, as YAML has it", () => {
  const { definitions } = file("---\nname: a\ndescription: |\n  One.\n  Two: yes.\nmodel: opus\n---\nGo.")
  expect(definitions[0]).toMatchObject({ whenToUse: "One.\nTwo: yes.", model: "opus" })
})

test("notes beside the agents are no agents, and nothing is said about them", () => {
  for (const text of ["", "# Our agents\n\nWhat each is for.", "plain"])
    expect(file(text)).toEqual({ definitions: [], problems: [], rejected: [] })
})

test.each(["Code Reviewer", "api.v2", "data_engineer", "Prüfer", "リファクタ", "team:core:lead", "R&D", "C++ expert"])(
  "%p is a name",
  (name) => {
    const { definitions, problems } = file(`---\nname: ${name}\ndescription: d\n---\ntext`)
    expect(problems).toEqual([])
    expect(definitions.map(({ agentType }) => agentType)).toEqual([name])
  },
)

describe("left out, and named", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["---\ndescription: d\n---\ntext", "it needs a name"],
    ["---\nname: a(b)\ndescription: d\n---\ntext", "it needs a name"],
    ["---\nname: ../x\ndescription: d\n---\ntext", "it needs a name"],
    [`---\nname: ${"x".repeat(65)}\ndescription: d\n---\ntext`, "it needs a name"],
    ["---\nname: a\n---\ntext", "it needs a description"],
    ["---\nname: a\ndescription: d\n---\n  \n", "it needs text"],
  ]
  for (const [text, why] of cases)
    test(JSON.stringify(text).slice(0, 60), () => {
      const { definitions, problems } = file(text)
      expect(definitions).toEqual([])
      expect(problems).toHaveLength(1)
      expect(problems[0]).toStartWith("/p/agents/x.md: this agent is left out: ")
      expect(problems[0]).toContain(why)
    })
})

const agent = (line: string) => file(`---\nname: a\ndescription: d\n${line}\n---\ntext`)
const plain = agent("color: red").definitions[0]

describe("understood in part, and named: what is left out makes it narrower, if anything", () => {
  const cases: readonly (readonly [string, string, Partial<AgentDefinition>])[] = [
    ["tools: Read, Bash#", "Bash# is not one; it is left out.", { tools: ["Read"] }],
    ["permissionMode: bypassPermissions", "permissionMode bypassPermissions has no effect", {}],
    ["background: perhaps", "background must be true or false, not perhaps; it is left out.", {}],
    ["criticalReminders: x", "there is no field criticalReminders; did you mean criticalReminder?", {}],
  ]
  for (const [line, why, limits] of cases)
    test(line, () => {
      const { definitions, problems } = agent(line)
      expect(problems.map((problem) => problem.includes(why))).toEqual([true])
      const { color: _color, ...rest } = plain ?? {}
      expect(definitions).toEqual([{ ...rest, ...limits } as AgentDefinition])
    })
})

test.each<[string, Partial<AgentDefinition>]>([
  [
    "tools: Read, Bash(git log:*), Bash(git diff:*)",
    { tools: ["Read", "Bash"], limits: ["Bash(git log:*)", "Bash(git diff:*)"] },
  ],
  ["tools: Bash(git log:*), Bash", { tools: ["Bash"] }],
  ["tools: Bash(*), Edit(src/**)", { tools: ["Bash", "Edit"], limits: ["Edit(src/**)"] }],
  ["disallowedTools: Write, Bash(rm:*)", { disallowedTools: ["Write"], denies: ["Bash(rm:*)"] }],
])("part of what a tool does: %p", (line, expected) => {
  const { definitions, problems } = agent(line)
  const { color: _color, ...rest } = plain ?? {}
  expect(problems).toEqual([])
  expect(definitions).toEqual([{ ...rest, ...expected } as AgentDefinition])
})

const run = { type: "command", command: "check" }
const own = { command: "npx", args: ["-y", "s"] }
test.each<[string, Partial<AgentDefinition>]>([
  ["mcpServers: github, slack", { mcpServers: ["github", "slack"] }],
  ["mcpServers: [github]", { mcpServers: ["github"] }],
  ["mcpServers:\n  github:\n  slack:", { mcpServers: ["github", "slack"] }],
  [
    'mcpServers:\n  - github\n  - mine: {command: npx, args: ["-y", s]}',
    { mcpServers: ["github", "mine"], ownServers: [{ name: "mine", value: own }] },
  ],
  [
    'mcpServers:\n  mine:\n    command: npx\n    args: ["-y", s]',
    { mcpServers: ["mine"], ownServers: [{ name: "mine", value: own }] },
  ],
  [
    'mcpServers:\n  - name: mine\n    command: npx\n    args: ["-y", s]',
    { mcpServers: ["mine"], ownServers: [{ name: "mine", value: own }] },
  ],
  ["mcpServers: []", {}],
  ["hooks:\n  Stop: []", {}],
  [
    "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: check",
    { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [run] }] } },
  ],
  [
    "hooks:\n  PreToolUse:\n    matcher: [Bash, Edit]\n    hooks: {type: command, command: check}",
    { hooks: { PreToolUse: [{ matcher: "Bash|Edit", hooks: [run] }] } },
  ],
  ["hooks: {Stop: {type: command, command: check}}", { hooks: { Stop: [{ hooks: [run] }] } }],
])("servers and hooks of its own: %p", (line, expected) => {
  const { definitions, problems } = agent(line)
  const { color: _color, ...rest } = plain ?? {}
  expect(problems).toEqual([])
  expect(definitions).toEqual([{ ...rest, ...expected } as AgentDefinition])
})

describe("a limit that was not understood leaves the agent out", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["permissionMode: godlike", "permissionMode must be one of default, acceptEdits, plan,"],
    ["permissionMode: [plan]\npermissionMode: default", "permissionMode is written twice"],
    ["maxTurns: many", "maxTurns must be a whole number from 1 to 10000, not many"],
    ["maxTurns: 0", "maxTurns must be a whole number"],
    ["isolation: docker", "isolation can only be worktree, not docker."],
    ["tools: {Read: true}", "tools must be a list of names"],
    ["disallowedTools: [Bash, [Write]]", "disallowedTools must be a list of names"],
    ["disallowedTools: Bash#", "disallowedTools takes names of tools, and Bash# is not one."],
    ["disallowedTools: Bash\ndisallowedTools: Write", "disallowedTools is written twice"],
    ["dissallowedTools: Bash", "there is no field dissallowedTools; did you mean disallowedTools?"],
    ["permision_mode: plan", "there is no field permision_mode; did you mean permissionMode?"],
    ["tool: Read", "there is no field tool; did you mean tools?"],
    ["hooks: x", "hooks must be lists of hooks by event, as in settings"],
    ["mcpServers: 3", "mcpServers must be names of servers, or servers by name, not 3"],
    ["mcpServers:\n  github: npx", "mcpServers must give the server github a command or a url"],
    ["mcpServers: [a, a]", "mcpServers names the server a twice"],
    ["mcpServers: a\nmcpServers: b", "mcpServers is written twice"],
  ]
  for (const [line, why] of cases)
    test(line, () => {
      const { definitions, problems, rejected } = agent(line)
      expect({ definitions, rejected }).toEqual({ definitions: [], rejected: ["a"] })
      expect(problems).toHaveLength(1)
      expect(problems[0]).toStartWith("/p/agents/x.md: this agent is left out: ")
      expect(problems[0]).toContain(why)
    })
})

test("an agent that was left out does not give way to a wider one of its name", () => {
  const { definitions, problems } = findAgents([
    { source: "user", path: "/u", text: "---\nname: a\ndescription: d\n---\nEverything." },
    { source: "project", path: "/p", text: "---\nname: a # mine\ndescription: d\nmaxTurns: few\n---\nLittle." },
  ])
  expect(definitions.map(({ agentType }) => agentType)).not.toContain("a")
  expect(problems).toHaveLength(1)
})

test("JSON of the command line", () => {
  const read = decodeJson(
    JSON.stringify({
      a: { description: "d", prompt: "p", tools: ["Read"], maxTurns: 3 },
      b: { description: "d", prompt: "q", tools: "*" },
    }),
  )
  expect(read.ok && read.value).toEqual({
    problems: [],
    rejected: [],
    definitions: [
      { agentType: "a", whenToUse: "d", systemPrompt: "p", tools: ["Read"], maxTurns: 3, source: "command line" },
      { agentType: "b", whenToUse: "d", systemPrompt: "q", source: "command line" },
    ],
  })
})

test("what is no such JSON", () => {
  expect(decodeJson("{")).toEqual({ ok: false, failure: "it is not JSON" })
  expect(decodeJson("[]")).toEqual({ ok: false, failure: "it must be an object of agents by name" })
  const read = decodeJson(
    '{"a": 1, "b": {"description": {}, "prompt": "p"}, "c": {"description": "d", "prompt": "p", "tools": [1]}}',
  )
  expect(read.ok && read.value.definitions.map(({ agentType, tools }) => [agentType, tools])).toEqual([["c", ["1"]]])
  expect(read.ok && read.value.problems).toEqual([
    "--agents a: it must be an object.",
    "--agents b: description must be a string; it is left out.",
    "--agents b: this agent is left out: it needs a description that says when to use it.",
  ])
})

test("of one name the later wins", () => {
  const text = "---\nname: Explore\ndescription: mine\n---\nMine."
  const { definitions } = findAgents([
    { source: "user", path: "/u", text: text.replace("mine", "the user's") },
    { source: "project", path: "/p", text },
  ])
  expect(definitions.filter(({ agentType }) => agentType === "Explore")).toMatchObject([
    { whenToUse: "mine", source: "project" },
  ])
  expect(definitions.map(({ agentType }) => agentType).toSorted()).toEqual(
    ["general-purpose", "Plan", "fork", "guide", "statusline-setup", "Explore"].toSorted(),
  )
})

test("whatever a file holds, decoding ends in definitions and sentences", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.dictionary(fc.string(), fc.jsonValue()), (text, fields) => {
      for (const { definitions, problems } of [
        file(text),
        file(`---\nname: a\ndescription: d\n${text}\n---\n${text}`),
      ]) {
        expect(definitions.length).toBeLessThanOrEqual(1)
        expect(problems.every((problem) => typeof problem === "string")).toBe(true)
      }
      const read = decodeJson(JSON.stringify({ a: fields }))
      expect(read.ok).toBe(true)
    }),
  )
})
