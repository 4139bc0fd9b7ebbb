/** Rules about one parameter of a call: the table is that of the real tools, and each rule matches what it names and nothing else. */

import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { runs, touchesNothing } from "#agent/words/footprint.ts"
import { toolParameters } from "#kits/permissions/rules/parameters.ts"
import { bashTool, defaultBashLimits } from "#kits/tools/bash.ts"
import { skillTool } from "#kits/skills/tool.ts"
import { taskTool } from "#kits/subagents/task.ts"
import type { JsonObject } from "#lib/json.ts"
import { bash, decideCase, read, type RuleLists, rulesFrom } from "./judge.ts"

interface Schema {
  readonly properties?: { readonly [name: string]: { readonly type?: string } }
}

/** The schemas of the tools as the model reads them. */
function schemas(): ReadonlyMap<string, Schema> {
  const page = readFileSync(join(import.meta.dir, "../../../../docs/reference/tools.md"), "utf8")
  const found = [...page.matchAll(/^## (\w+)\n[^]*?```json\n([^]*?)\n```/gm)].map(
    ([, name = "", json = "{}"]): [string, Schema] => [name, JSON.parse(json)],
  )
  // Only their shapes are looked at, so that nothing is asked of what they stand on.
  const nobody = new Proxy({}, { get: () => () => [] })
  const task = taskTool({ agents: () => [], crew: nobody as never, clock: nobody as never })
  const skill = skillTool(nobody as never)
  // One of its parameters is offered only where the sandbox is on.
  const shell = bashTool({
    shell: nobody,
    clock: nobody,
    limits: defaultBashLimits,
    sandbox: { mayLeave: true },
  } as never)
  return new Map([
    ...found,
    ["Bash", shell.schema as Schema],
    ["Task", task.schema as Schema],
    ["Skill", skill.schema as Schema],
  ])
}

const kinds: { readonly [type: string]: string } = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  array: "list",
}

test("the table names every parameter of every tool that it knows, as it is", () => {
  const known = schemas()
  expect(known.size).toBeGreaterThan(15)
  for (const [tool, { parameters, subject }] of Object.entries(toolParameters)) {
    const { properties = {} } = known.get(tool === "Agent" ? "Task" : tool) ?? {}
    const real = Object.fromEntries(
      Object.entries(properties)
        // What rules for these name by itself.
        .filter(([name]) => name !== subject?.parameter && !(tool === "Skill" && name === "skill"))
        .map(([name, { type = "" }]) => [name, kinds[type] ?? type]),
    )
    expect<unknown>({ tool, parameters }).toEqual({ tool, parameters: real })
  }
})

const background: JsonObject = { command: "npm run dev", run_in_background: true }
const agent: JsonObject = { subagent_type: "Explore", description: "look", prompt: "look", model: "opus" }

describe("what a rule about a parameter matches", () => {
  const table: readonly [tool: string, input: JsonObject, rules: RuleLists, behavior: string][] = [
    ["Bash", background, { deny: ["Bash(run_in_background:true)"] }, "deny"],
    ["Bash", background, { deny: ["Bash( run_in_background : true )"] }, "deny"],
    ["Bash", background, { deny: ["Bash(run_in_background:*)"] }, "deny"],
    ["Bash", background, { deny: ["Bash(run_in_background:false)"], allow: ["Bash(npm run:*)"] }, "allow"],
    ["Bash", background, { ask: ["Bash(run_in_background:true)"], allow: ["Bash(npm run:*)"] }, "ask"],
    [
      "Bash",
      { command: "npm run dev" },
      { deny: ["Bash(run_in_background:true)"], allow: ["Bash(npm run:*)"] },
      "allow",
    ],
    // Who leaves it out is not meant.
    ["Bash", { command: "npm run dev" }, { deny: ["Bash(run_in_background:*)"], allow: ["Bash(npm run:*)"] }, "allow"],
    [
      "Bash",
      { command: "npm run a", timeout: 600000 },
      { deny: ["Bash(timeout:6*)"], allow: ["Bash(npm run:*)"] },
      "deny",
    ],
    // `timeout` is a program too, and its prefix rule stays one.
    [
      "Bash",
      { command: "npm run a", timeout: 600000 },
      { deny: ["Bash(timeout:*)"], allow: ["Bash(npm run:*)"] },
      "allow",
    ],
    ["Bash", { command: "timeout 5 npm run a" }, { deny: ["Bash(timeout:*)"], allow: ["Bash(npm run:*)"] }, "deny"],
    ["Task", agent, { deny: ["Agent(model:opus)"] }, "deny"],
    ["Task", agent, { deny: ["Task(model:opus)"] }, "deny"],
    ["Task", agent, { ask: ["Agent(model:o*)"] }, "ask"],
    ["Task", agent, { deny: ["Agent(model:haiku)"] }, "allow"],
    ["Task", agent, { deny: ["Agent(model:opus-4)"] }, "allow"],
    ["Task", { ...agent, isolation: "worktree" }, { deny: ["Agent(isolation:*)"] }, "deny"],
    ["Task", agent, { deny: ["Agent(isolation:*)"] }, "allow"],
    ["Task", { ...agent, subagent_type: "plugin:reviewer" }, { deny: ["Task(plugin:reviewer)"] }, "deny"],
    ["Task", { ...agent, subagent_type: "plugin:reviewer" }, { deny: ["Task(plugin:*)"] }, "deny"],
    ["mcp__git__push", { force: true }, { deny: ["mcp__git__push(force:true)"], allow: ["mcp__git"] }, "deny"],
    ["mcp__git__push", { force: false }, { deny: ["mcp__git__push(force:true)"], allow: ["mcp__git"] }, "allow"],
    ["mcp__git__push", { remote: "origin" }, { allow: ["mcp__git__push(remote:origin)"] }, "allow"],
    ["mcp__git__push", { remote: "other" }, { allow: ["mcp__git__push(remote:origin)"] }, "ask"],
    // Only values of its own, none inside of another.
    [
      "mcp__git__push",
      { options: { force: true } },
      { deny: ["mcp__git__push(force:true)"], allow: ["mcp__git"] },
      "allow",
    ],
  ]
  test.each(table)("%s %j by %j: %s", (tool, input, rules, behavior) => {
    const command = input.command
    const footprint =
      typeof command === "string"
        ? runs(command)
        : tool === "Task"
          ? touchesNothing()
          : { ...touchesNothing(), effect: "unknown" as const }
    expect(decideCase({ tool, input, footprint, rules: rulesFrom(rules) }).behavior as string).toBe(behavior)
  })

  test("a parameter of Read is none of Grep", () => {
    const rules = rulesFrom({ deny: ["Read(offset:5)"] })
    expect(read("/repo/a.ts", { input: { file_path: "a.ts", offset: 5 }, rules }).behavior).toBe("deny")
    expect(decideCase({ tool: "Grep", input: { pattern: "x", offset: 5 }, rules }).behavior).toBe("allow")
  })

  test("rules for commands keep their meaning", () => {
    const rules = rulesFrom({ allow: ["Bash(npm run:*)", "Bash(curl http://localhost:3000)"] })
    expect(bash("npm run x:y", { rules }).behavior).toBe("allow")
    expect(bash("curl http://localhost:3000", { rules }).behavior).toBe("allow")
  })
})
