/** Definitions as people write them: what is understood, what is left out, and that each mistake is named. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
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

describe("left out, and named", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["no front matter at all", "it needs a name"],
    ["---\ndescription: d\n---\ntext", "it needs a name"],
    ["---\nname: a b\ndescription: d\n---\ntext", "it needs a name"],
    ["---\nname: ../x\ndescription: d\n---\ntext", "it needs a name"],
    [`---\nname: ${"x".repeat(65)}\ndescription: d\n---\ntext`, "it needs a name"],
    ["---\nname: a\n---\ntext", "it needs a description"],
    ["---\nname: a\ndescription: d\n---\n  \n", "it needs a text"],
    ["", "it needs a name"],
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

describe("understood in part, and named", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["tools: Read, Bash(git log:*)", "tools takes names of tools, and Bash(git log:*) is none; it is left out."],
    ["permissionMode: bypassPermissions", "permissionMode bypassPermissions is not followed"],
    ["permissionMode: godlike", "there is no permission mode godlike"],
    ["maxTurns: many", "maxTurns must be a whole number"],
    ["maxTurns: 0", "maxTurns must be a whole number"],
    ["isolation: docker", "isolation can only be worktree, not docker."],
    ["hooks: x", "hooks is not followed yet."],
    ["mcpServers: x", "mcpServers is not followed yet."],
    ["dissallowedTools: Bash", "there is no field dissallowedTools; did you mean disallowedTools?"],
  ]
  for (const [line, why] of cases)
    test(line, () => {
      const { definitions, problems } = file(`---\nname: a\ndescription: d\n${line}\n---\ntext`)
      expect(definitions).toHaveLength(1)
      expect(problems.map((problem) => problem.includes(why))).toEqual([true])
      // Nothing that was not understood makes it wider.
      expect(definitions[0]?.tools ?? ["Read"]).toEqual(["Read"])
    })
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
  expect(read.ok && read.value.definitions.map(({ agentType, tools }) => [agentType, tools])).toEqual([["c", []]])
  expect(read.ok && read.value.problems).toEqual([
    "--agents a: it must be an object.",
    "--agents b: description must be a text; it is left out.",
    "--agents b: this agent is left out: it needs a description that says when to use it.",
    "--agents c: tools takes names of tools, and 1 is none; it is left out.",
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
    ["general-purpose", "Plan", "guide", "statusline-setup", "Explore"].toSorted(),
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
