/** Which tools an agent gets: never more than it names, never those of the main agent. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { builtinAgents } from "#kits/subagents/builtins.ts"
import { isOffered } from "#kits/subagents/offered.ts"

const all = [
  "Read",
  "Write",
  "Edit",
  "MultiEdit",
  "NotebookEdit",
  "Glob",
  "Grep",
  "LS",
  "Bash",
  "BashOutput",
  "KillShell",
  "Task",
  "TaskOutput",
  "TaskStop",
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "TodoWrite",
  "WebFetch",
  "mcp__git__log",
  "mcp__github__pr",
].map((name) => ({ name, ...(name === "Task" && { aliases: ["Agent"] }) }))

const base: AgentDefinition = { agentType: "a", whenToUse: "w", systemPrompt: "p", source: "project" }
const offered = (more: Partial<AgentDefinition>): readonly string[] =>
  all.filter((tool) => isOffered({ ...base, ...more }, tool)).map(({ name }) => name)

test("by name, by another name, by a server", () => {
  expect(offered({ tools: ["Read", "Agent"] })).toEqual(["Read", "Task", "TaskOutput", "TaskStop"])
  expect(offered({ tools: ["mcp__git"] })).toEqual(["mcp__git__log"])
  expect(offered({ tools: ["mcp__git*"] })).toEqual(["mcp__git__log", "mcp__github__pr"])
  expect(offered({ tools: [] })).toEqual([])
  expect(offered({ tools: ["Task"], disallowedTools: ["Agent"] })).toEqual([])
  expect(offered({ disallowedTools: ["mcp__github"] })).not.toContain("mcp__github__pr")
})

test("those that only read have nothing that changes files", () => {
  for (const definition of builtinAgents().filter(({ onlyReads }) => onlyReads))
    for (const name of ["Edit", "MultiEdit", "Write", "NotebookEdit", "KillShell", "Task"])
      expect(offered(definition)).not.toContain(name)
})

test("whatever a definition names, a person is reached and agents are started only as they may be", () => {
  const names = fc.array(
    fc.oneof(fc.constantFrom(...all.map(({ name }) => name), "*", "Agent", "mcp__git"), fc.string()),
  )
  fc.assert(
    fc.property(fc.option(names), fc.option(names), fc.boolean(), (tools, disallowedTools, onlyReads) => {
      const given = offered({
        ...(tools && { tools }),
        ...(disallowedTools && { disallowedTools }),
        ...(onlyReads && { onlyReads: true as const }),
      })
      for (const name of ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]) expect(given).not.toContain(name)
      for (const name of disallowedTools ?? []) expect(given).not.toContain(name)
      if (
        !tools?.some(
          (name) =>
            ["Task", "Agent", "*"].includes(name) || (name.endsWith("*") && "Task".startsWith(name.slice(0, -1))),
        )
      )
        expect(given.filter((name) => name.startsWith("Task"))).toEqual([])
      if (onlyReads)
        expect(given.filter((name) => ["Edit", "Write", "MultiEdit", "NotebookEdit"].includes(name))).toEqual([])
    }),
  )
})
