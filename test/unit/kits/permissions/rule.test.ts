/** Rules as they are written, and what is said about those that cannot be understood. */

import { describe, expect, test } from "bun:test"
import type { Behavior } from "#agent/words/permission.ts"
import { hiddenTools } from "#kits/permissions/hidden-tools.ts"
import { parseRules, ruleText } from "#kits/permissions/rules/rule.ts"
import { rulesFrom } from "./judge.ts"

const parse = (text: string, behavior: Behavior = "deny"): ReturnType<typeof parseRules> =>
  parseRules([{ behavior, text, source: "user settings", where: "settings.json:3:5" }])

describe("malformed rules", () => {
  const table: readonly [text: string, behavior: Behavior, says: string][] = [
    ["Bash(npm test", "deny", "its parenthesis is not closed at the end"],
    ["Bash(a)b", "deny", "its parenthesis is not closed at the end"],
    ["Bash)", "deny", "closes a parenthesis that was never opened"],
    ["(npm test)", "deny", "names no tool"],
    ["", "allow", "names no tool"],
    ["Bash()", "allow", "its parentheses are empty; write Bash to mean every call"],
    ["Read File", "allow", "only letters, digits"],
    ["bash(rm:*)", "deny", "did you mean Bash"],
    ["Bsh(rm:*)", "deny", "did you mean Bash"],
    ["Read(a/../b)", "deny", "may go up with .. only at its beginning"],
    ["Read([a)", "deny", "is never closed"],
    ["WebFetch(example.com)", "allow", "write WebFetch(domain:example.com)"],
    ["*", "allow", "only after mcp__server__"],
    ["mcp__*", "allow", "names its server: write mcp__server, or mcp__server__* for all of its tools"],
    ["mcp__*__read", "allow", "names its server"],
    ["mcp__git*", "allow", "names its server"],
    ["TodoWrite(x)", "allow", "write TodoWrite without parentheses"],
    ["WebSearch(x)", "deny", "write WebSearch(query:value)"],
    ["Bash(command:rm *)", "deny", "command cannot be matched as text; write Bash(npm test:*)"],
    ["Read(file_path:.env)", "deny", "file_path cannot be matched as text; write Read(./path)"],
    ["Grep(path:/etc)", "ask", "path cannot be matched as text; write Grep(./path)"],
    ["WebFetch(url:https://example.com)", "deny", "write WebFetch(domain:example.com)"],
    ["Bash(run_in_background:true)", "allow", "can be denied or asked about, but not allowed"],
    ["Read(limit:10)", "allow", "can be denied or asked about, but not allowed"],
    ["Bash(run_in_backgroud:true)", "deny", "did you mean run_in_background?"],
    ["Bash(run_in_background:yes)", "deny", "run_in_background is true or false"],
    ["Bash(run_in_background:)", "deny", "does not say which value of run_in_background"],
    ["Bash(timeout:long)", "ask", "timeout is a number"],
    ["Agent(model:opus, isolation:worktree)", "deny", "it names two parameters; write one rule for each"],
    ["MultiEdit(edits:x)", "deny", "edits is a list"],
    ["WebSearch(allowed_domains:x)", "deny", "allowed_domains is a list"],
  ]
  test.each(table)("%j (%s) says %j", (text, behavior, says) => {
    const { rules, problems } = parse(text, behavior)
    // A rule that allows does not count; one that denies or asks counts for more than it says.
    expect(rules.length === 0).toBe(behavior === "allow")
    expect(problems).toHaveLength(1)
    expect(problems[0]?.level).toBe(behavior === "allow" ? "error" : "wider")
    expect(problems[0]?.message).toContain(says)
    expect(problems[0]?.message).toContain(`The ${behavior} rule "${text}" (user settings, settings.json:3:5)`)
  })

  test.each([
    ["Bash(npm test", "this is denied: all of Bash", ["Bash"]],
    ["Read(a/../b)", "this is denied: all of Read", ["Read"]],
    ["Read secrets/**", "this is denied: all of Read", ["Read"]],
    ["bash(rm:*)", "this is denied: Bash(rm:*)", ["Bash(rm:*)"]],
    ["Bsh(rm:*)", "this is denied: Bash(rm:*), LS(rm:*)", ["Bash(rm:*)", "LS(rm:*)"]],
    ["websearch(x)", "this is denied: all of WebSearch", ["WebSearch"]],
    ["rm -rf *", "this is denied: Bash(rm -rf *)", ["Bash(rm -rf *)"]],
    ["(npm test)", "this is denied: every tool", ["*"]],
    ["./secrets/**", "this is denied: every tool", ["*"]],
    ["", "this is denied: every tool", ["*"]],
  ])("a deny rule that cannot be understood, %j, is read as widely as it could be meant", (text, says, read) => {
    const { rules, problems } = parse(text)
    expect(rules.map(ruleText)).toEqual([...read])
    expect(problems[0]?.message).toEndWith(`${says}.`)
  })

  test.each([
    ["mcp__git__*", "mcp__git__*"],
    ["Edit:*", "Edit"],
    ["mcp__github(create_*)", "mcp__github__create_*"],
    ["mcp__github(*)", "mcp__github"],
    ["mcp__github__push(*)", "mcp__github__push"],
    ["PowerShell(Get-ChildItem:*)", "PowerShell(Get-ChildItem:*)"],
  ])("%j is another way to write %j", (text, usual) => {
    for (const behavior of ["allow", "deny"] as const) {
      const { rules, problems } = parse(text, behavior)
      expect(problems).toEqual([])
      expect(rules.map(ruleText)).toEqual([usual])
    }
  })

  test("a tool that nobody knows is kept and warned about", () => {
    const { rules, problems } = parse("Frobnicate")
    expect(rules).toHaveLength(1)
    expect(problems.map(({ level }) => level)).toEqual(["warning"])
  })

  test("a tool that the session brings along is known", () => {
    const { problems } = parseRules([{ behavior: "deny", text: "Frobnicate", source: "session" }], ["Frobnicate"])
    expect(problems).toEqual([])
  })
})

test.each([
  "Read",
  "Bash(npm run:*)",
  "Bash(echo (a))",
  "Edit(src/(group)/x.ts)",
  "mcp__a__b",
  "mcp__a__*",
  "Task(explore)",
  "Skill(x:*)",
  "Task(plugin:reviewer)",
  "Agent(model:haiku)",
  "Bash(timeout:*)",
  "Bash(command:*)",
  "mcp__a__b(repo:mine/*)",
])("%j is understood and written back as it was", (text) => {
  const { rules, problems } = parse(text, "allow")
  expect(problems).toEqual([])
  expect(rules.map(ruleText)).toEqual([text])
})

describe("what deny rules hide", () => {
  const tools = ["Bash", "Read", "Grep", "Edit", "Write", "Task", "mcp__git__log", "mcp__github__log"].map((name) => ({
    name,
  }))
  const table: readonly [rule: string, hidden: readonly string[]][] = [
    ["Bash", ["Bash"]],
    ["Bash(*)", ["Bash"]],
    ["Bash(rm:*)", []],
    ["Edit", ["Edit", "Write"]],
    ["Read", ["Read", "Grep"]],
    ["Agent", ["Task"]],
    ["mcp__git", ["mcp__git__log"]],
    ["mcp__git__*", ["mcp__git__log"]],
    ["mcp__*", ["mcp__git__log", "mcp__github__log"]],
    ["*", tools.map(({ name }) => name)],
  ]
  test.each(table)("%j hides %j", (rule, hidden) =>
    expect(hiddenTools(rulesFrom({ deny: [rule] }), tools)).toEqual(hidden),
  )

  test("allow and ask hide nothing", () =>
    expect(hiddenTools(rulesFrom({ allow: ["Bash"], ask: ["Edit"] }), tools)).toEqual([]))
})
