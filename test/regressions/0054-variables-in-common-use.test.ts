/** Variables that users of Claude Code have set: they work here, and from a project's settings only where that is harmless. */

import { expect, test } from "bun:test"
import { bodyOf } from "../kit/sent.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const argv = ["-p", "hi"]

test("DISABLE_PROMPT_CACHING", async () => {
  const usual = await runCodewright({ argv, scenario: ["Hello."] })
  expect(JSON.stringify(bodyOf(usual.requests[0]))).toContain("cache_control")
  const plain = await runCodewright({ argv, scenario: ["Hello."], env: { DISABLE_PROMPT_CACHING: "1" } })
  expect(JSON.stringify(bodyOf(plain.requests[0]))).not.toContain("cache_control")
})

test("CLAUDE_CODE_EXTRA_BODY adds fields, and cannot take ours", async () => {
  const env = { CLAUDE_CODE_EXTRA_BODY: '{"metadata":{"user_id":"ann"}}' }
  const ran = await runCodewright({ argv, scenario: ["Hello."], env })
  expect(bodyOf(ran.requests[0]).metadata).toEqual({ user_id: "ann" })
  for (const [text, words] of [
    ['{"max_tokens":64000}', "CLAUDE_CODE_EXTRA_BODY cannot set max_tokens."],
    ['{"tools":[]}', "CLAUDE_CODE_EXTRA_BODY cannot set tools."],
    ["[1]", "CLAUDE_CODE_EXTRA_BODY must be a JSON object."],
  ] as const) {
    const refused = await runCodewright({ argv, scenario: ["Hello."], env: { CLAUDE_CODE_EXTRA_BODY: text } })
    expect(refused.requests).toEqual([])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain(words)
  }
})

test("a project's settings cannot add fields to requests", async () => {
  using place = openPlace({
    ".claude/settings.json": JSON.stringify({ env: { CLAUDE_CODE_EXTRA_BODY: '{"metadata":{"user_id":"eve"}}' } }),
  })
  const ran = await runCodewright({ place, argv, scenario: ["Hello."], env: { CODEWRIGHT_TRUST: "1" } })
  expect(bodyOf(ran.requests[0]).metadata).toBeUndefined()
})

test("SLASH_COMMAND_TOOL_CHAR_BUDGET bounds the list of skills", async () => {
  const skills = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `.claude/skills/s${n}/SKILL.md`,
      `---\nname: s${n}\ndescription: ${"Does something useful. ".repeat(8)}\n---\nDo it.\n`,
    ]),
  )
  const listed = async (env: { readonly [name: string]: string }): Promise<number> => {
    using place = openPlace(skills)
    const ran = await runCodewright({ place, argv, scenario: ["Hello."], env })
    return JSON.stringify(bodyOf(ran.requests[0]).messages).split("Does something useful.").length - 1
  }
  expect(await listed({})).toBeGreaterThan(await listed({ SLASH_COMMAND_TOOL_CHAR_BUDGET: "1500" }))
})

test("flags that the SDK passes for some options are known", async () => {
  const ignored = await runCodewright({ argv: [...argv, "--debug-to-stderr", "--workload", "x"], scenario: ["Hello."] })
  expect(ignored).toMatchObject({ code: 0, stdout: "Hello.\n" })
  for (const flags of [["--channels", "server"], ["--managed-settings-in-initialize"], ["--desktop"]]) {
    const refused = await runCodewright({ argv: [...argv, ...flags], scenario: ["Hello."] })
    expect(refused.requests).toEqual([])
    expect(refused.stderr).toContain(`${flags[0]} is not supported.`)
  }
})
