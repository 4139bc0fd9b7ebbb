import { expect, test } from "bun:test"
import { deniedWords } from "#faces/headless/denied-words.ts"
import type { JsonObject } from "#lib/json.ts"

const denial = (tool_name: string, tool_input: JsonObject) => ({ tool_name, tool_use_id: "c", tool_input })

test("nothing is said where everything was permitted", () => {
  expect(deniedWords({ denials: [], unanswered: 0 })).toBeUndefined()
})

test("each call once, a few of them, on one line", () => {
  expect(
    deniedWords({
      unanswered: 1,
      denials: [
        denial("Bash", { command: "npm install\nrm -rf x", description: "d" }),
        denial("Bash", { command: "npm install\nrm -rf x" }),
        denial("Write", { file_path: "/work/a\u001b[31m.ts", content: "x" }),
        denial("mcp__db__drop", {}),
        denial("Bash", { command: "y".repeat(200) }),
      ],
    }),
  ).toBe(
    "Not permitted: Bash(npm install), Write(/work/a<U+001B>[31m.ts), mcp__db__drop and 1 more. Allow calls with --allowed-tools or permissions.allow in the settings.",
  )
  expect(deniedWords({ unanswered: 0, denials: [denial("Bash", { command: "y".repeat(200) })] })).toBe(
    `Not permitted: Bash(${"y".repeat(79)}…).`,
  )
})
