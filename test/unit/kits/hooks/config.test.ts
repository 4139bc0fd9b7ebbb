/** Hooks as they stand in settings, with everything that can be wrong with them. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { type HookSource, readHooks } from "#kits/hooks/config.ts"
import { matcherOf } from "#kits/hooks/match.ts"
import type { JsonObject } from "#lib/json.ts"

const abilities = { ruleProblem: (rule: string) => (rule.includes("(") ? undefined : "it is no rule.") }
const source = (hooks: JsonObject, more: Partial<HookSource> = {}): HookSource => ({
  source: "user settings",
  file: "settings.json",
  isProject: false,
  hooks,
  ...more,
})
const read = (hooks: JsonObject) => readHooks([source(hooks)], abilities)
const one = (hook: JsonObject, event = "PreToolUse") => read({ [event]: [{ hooks: [hook] }] })

test("a hook with everything that may be said of one", () => {
  const { hooks, problems } = one({
    type: "command",
    command: "check --now",
    args: ["a"],
    shell: "bash",
    timeout: 2.5,
    if: "Bash(git:*)",
    async: true,
    once: true,
    required: true,
    name: "the check",
    statusMessage: "checking",
  })
  expect(problems).toEqual([])
  expect(hooks[0] as unknown).toEqual({
    matches: expect.any(Function),
    event: "PreToolUse",
    matcher: "",
    work: { type: "command", command: "check --now", args: ["a"], interpreter: "bash" },
    name: "the check",
    source: "user settings",
    file: "settings.json",
    isProject: false,
    order: 0,
    timeoutMs: 2500,
    rule: "Bash(git:*)",
    status: "checking",
    // Not waited for and required cannot both be.
    isAsync: false,
    rewakes: false,
    isQuiet: false,
    once: true,
    required: true,
  })
  expect(one({ type: "command", command: "x", async: true }).hooks[0]?.isAsync).toBe(true)
})

test("ten minutes for a program without a timeout, one for anything else, names from the work, the order of sources and of files", () => {
  const command = (text: string): JsonObject => ({ hooks: [{ type: "command", command: text }] })
  const { hooks } = readHooks(
    [
      source({ Stop: [command("one\ntwo")], PreToolUse: [command("x".repeat(200))] }, { source: "managed" }),
      source({
        Stop: [
          {
            hooks: [
              { type: "http", url: " https://example.com/x " },
              { type: "prompt", prompt: "Is it well?" },
            ],
          },
        ],
      }),
    ],
    abilities,
  )
  expect(hooks.map(({ source: from, order, name, timeoutMs }) => [from, order, name.slice(0, 30), timeoutMs])).toEqual([
    ["managed", 0, "one", 600_000],
    ["managed", 1, "x".repeat(30), 600_000],
    ["user settings", 2, "https://example.com/x", 60_000],
    ["user settings", 3, "prompt: Is it well?", 60_000],
  ])
  expect(hooks[1]?.name).toHaveLength(80)
})

test("every mistake is named with its place, and leaves out nothing else", () => {
  const mistakes: readonly (readonly [JsonObject, string])[] = [
    [
      { type: "shell" },
      'has the type "shell", which is not supported. Use command, http, prompt, agent or mcp_tool. It is left out.',
    ],
    [{}, "has the type null, which is not supported. Use command, http, prompt, agent or mcp_tool. It is left out."],
    [{ type: "command" }, "has the type command and no command. It is left out."],
    [{ type: "command", command: " " }, "has the type command and no command. It is left out."],
    [{ type: "command", command: 5 }, "has the type command and no command. It is left out."],
    [{ type: "command", command: "x", args: "y" }, "has args that are no list of texts. It is left out."],
    [{ type: "command", command: "x", shell: "fish" }, "has a shell that is neither sh nor bash. It is left out."],
    [{ type: "http", url: "ftp://x" }, "has the type http and no http address. It is left out."],
    [{ type: "http", url: "https://x", headers: { a: 1 } }, "has headers that are not all texts. It is left out."],
    [
      { type: "http", url: "https://x", allowedEnvVars: "A" },
      "has allowedEnvVars that are no list of names. It is left out.",
    ],
    [{ type: "prompt" }, "has the type prompt and no prompt. It is left out."],
    [
      { type: "command", command: "x", timeout: 0 },
      "has a timeout that is no positive number of seconds. It is left out.",
    ],
    [
      { type: "command", command: "x", timeout: "60" },
      "has a timeout that is no positive number of seconds. It is left out.",
    ],
    [{ type: "command", command: "x", once: "yes" }, "has a once that is neither true nor false. It is left out."],
    [{ type: "command", command: "x", if: 5 }, "has an if that is no permission rule. It is left out."],
    [{ type: "command", command: "x", if: "git" }, "has an if that cannot be followed: it is no rule. It is left out."],
  ]
  for (const [hook, message] of mistakes) {
    const { hooks, problems } = read({ PreToolUse: [{ hooks: [hook, { type: "command", command: "good" }] }] })
    expect([hooks.map(({ name }) => name), problems]).toEqual([
      ["good"],
      [`settings.json: hooks.PreToolUse[0].hooks[0] ${message}`],
    ])
  }
  expect(one({ type: "command", command: "x", if: "Bash(a)" }, "Stop").problems).toEqual([
    "settings.json: hooks.Stop[0].hooks[0] has an if, but Stop is about no tool. It is left out.",
  ])
  expect(read({ PreToolUse: [{ matcher: "(", hooks: [] }] }).problems[0]).toStartWith(
    "settings.json: hooks.PreToolUse[0] has a matcher that is no regular expression (",
  )
  expect(one({ type: "command", command: "x" }, "Whatever\u001b[31m").problems).toEqual([
    "settings.json: hooks.Whatever is not a hook event. It is left out.",
  ])
})

test("a mistake in one that is required leaves it in, as one that cannot do its work", () => {
  const refuses = "It is required, so nothing that it is about happens until that is fixed."
  const { hooks, problems } = one({ type: "shell", required: true, name: "the check" })
  const why = 'has the type "shell", which is not supported. Use command, http, prompt, agent or mcp_tool.'
  expect(hooks).toMatchObject([{ name: "the check", work: { type: "broken", why }, required: true, isAsync: false }])
  expect(problems).toEqual([`settings.json: hooks.PreToolUse[0].hooks[0] ${why} ${refuses}`])
  const [x, y] = [
    { type: "command", command: "x" },
    { type: "command", command: "y", required: true },
  ]
  const everywhere = read({ PreToolUse: [{ matcher: "(", hooks: [x, y] }] })
  expect(everywhere.hooks).toMatchObject([{ matcher: "", work: { type: "broken" }, required: true }])
  expect(everywhere.hooks[0]?.matches(["Anything"])).toBe(true)
  expect(everywhere.problems[0]).toEndWith(refuses)
  // What is not said clearly counts as said.
  expect(one({ type: "command", command: "x", required: 1 }).hooks).toMatchObject([{ work: { type: "broken" } }])
  expect(one({ type: "shell", required: false }).hooks).toEqual([])
})

test("whatever stands there is read without a throw, and each hook or mistake is accounted for", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("PreToolUse", "Stop", "Nonsense"), fc.jsonValue()), (hooks) => {
      const { hooks: found, problems } = readHooks([source(hooks as JsonObject)], abilities)
      expect(Array.isArray(found) && problems.every((problem) => problem.startsWith("settings.json: hooks."))).toBe(
        true,
      )
    }),
  )
})

test("matchers: all, exact, lists, patterns anywhere", () => {
  const fits = (matcher: string, ...subjects: string[]): boolean => {
    const matches = matcherOf(matcher)
    return matches.ok && matches.value(subjects)
  }
  for (const all of ["", "*", " "]) expect(fits(all, "Anything")).toBe(true)
  expect(fits("")).toBe(true)
  expect([fits("Write", "Write"), fits("Write", "Writer"), fits("write", "Write")]).toEqual([true, false, false])
  expect([fits("Write|Edit", "Edit"), fits("Write, Edit", "Edit"), fits("Write|Edit", "MultiEdit")]).toEqual([
    true,
    true,
    false,
  ])
  expect([fits("mcp__memory__.*", "mcp__memory__read"), fits("Edit.", "Edit1"), fits("^Ed", "NotebookEdit")]).toEqual([
    true,
    true,
    false,
  ])
  expect(fits(".*Edit", "MultiEdit")).toBe(true)
  expect(fits("Agent", "Task", "Agent")).toBe(true)
  expect(matcherOf("[").ok).toBe(false)
})
