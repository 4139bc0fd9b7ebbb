/** A call that a hook defers was decided as if the hook had said nothing. It waits for a person, also after the run is over. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { bash, calls, says } from "../kit/script.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const decision = JSON.stringify({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "defer",
    permissionDecisionReason: "Ask Ann.",
  },
})
const settings = JSON.stringify({
  permissions: { allow: ["Bash(touch:*)"] },
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: `echo '${decision}'` }] }] },
})

test("a deferred call ends the run, is answered later, and runs when the session continues", async () => {
  using place = openPlace()
  place.write("../settings.json", settings)
  const flags = ["--settings", "../settings.json", "--output-format", "json"]
  const first = await runCodewright({
    place,
    argv: ["-p", "go", ...flags],
    scenario: [calls(bash("touch made"))],
  })
  const result = JSON.parse(first.stdout) as { session_id: string }
  expect(result).toMatchObject({
    subtype: "success",
    stop_reason: "tool_deferred",
    terminal_reason: "tool_deferred",
    deferred_tool_use: { name: "Bash", input: { command: "touch made" } },
  })
  expect(first.code).toBe(0)
  expect(first.stderr).toContain("A hook deferred a call of Bash, so it waits for an answer.")
  expect(existsSync(join(place.work, "made"))).toBe(false)

  const asked = await runCodewright({ place, argv: ["sessions", "questions", result.session_id] })
  expect(asked.stdout).toContain("touch made")
  const answered = await runCodewright({ place, argv: ["sessions", "answer", result.session_id, "--allow"] })
  expect(answered.code).toBe(0)

  const again = await runCodewright({
    place,
    argv: ["-p", "continue", "--resume", result.session_id, ...flags],
    scenario: ["Made.", "Continued."].map((text) => says(text)),
  })
  expect(again.code).toBe(0)
  expect(existsSync(join(place.work, "made"))).toBe(true)
})

test("where the session is not kept nobody can answer later, so the call is denied", async () => {
  using place = openPlace()
  place.write("../settings.json", settings)
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--settings", "../settings.json", "--no-session-persistence"],
    scenario: [calls(bash("touch made")), says("No.")],
  })
  expect(run.stdout).toBe("No.\n")
  expect(existsSync(join(place.work, "made"))).toBe(false)
})
