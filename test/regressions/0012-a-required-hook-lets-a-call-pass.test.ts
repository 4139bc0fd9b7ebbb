/** A hook that is required did not do its work, and the call ran: it was not waited for, not understood, or left out of the configuration. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import type { JsonObject } from "#lib/json.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

const command = (text: string, more: JsonObject = {}): JsonObject => ({ type: "command", command: text, ...more })
const prints = (answer: JsonObject): string => `echo '${JSON.stringify(answer)}'`
const deciding = (permissionDecision: string, more: JsonObject = {}): JsonObject => ({
  hookSpecificOutput: { permissionDecision, ...more },
})

const ways: readonly (readonly [string, JsonObject])[] = [
  ["does not want to be waited for", { hooks: [command("exit 7", { async: true })] }],
  ["says that it goes on by itself", { hooks: [command(`${prints({ async: true })}; exit 7`)] }],
  [
    "has a twin that is not waited for",
    { hooks: [{ ...command("exit 2", { async: true }), required: false }, command("exit 2")] },
  ],
  ["gives an answer that there is not", { hooks: [command(prints(deciding("Deny")))] }],
  ["answers for another moment", { hooks: [command(prints(deciding("deny", { hookEventName: "Stop" })))] }],
  ["is of a type that there is not", { hooks: [{ type: "shell", command: "exit 2" }] }],
  ["has a timeout that is no number", { hooks: [command("exit 2", { timeout: "5s" })] }],
  ["has a rule that cannot be read", { hooks: [command("exit 2", { if: "Bash(" })] }],
  ["has a matcher that cannot be read", { matcher: "Bash(", hooks: [command("exit 2")] }],
]

test.each(ways)("a required hook that %s lets no call pass", async (_way, group) => {
  const hooks = (group.hooks as readonly JsonObject[]).map((hook) => ({ required: true, ...hook }))
  await using t = await openTestSession({
    script: [calls(bash("touch made")), says("Understood.")],
    hooks: { PreToolUse: [{ ...group, hooks }] },
  })
  expect(await t.prompt("go")).toMatchObject({ reason: "completed" })
  expect(existsSync(t.path("made"))).toBe(false)
  expect(t.results()).toMatchObject([{ tool: "Bash", isError: true, denied: {} }])
})

test("one that says required in a way that cannot be read is taken for required", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), says("Understood.")],
    hooks: { PreToolUse: [{ hooks: [command("exit 1", { required: "yes" })] }] },
  })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(false)
})

test("one that goes on by itself is waited for, and its answer counts", async () => {
  const late = `${prints({ async: true })}; sleep 0.1; ${prints(deciding("allow"))}`
  await using t = await openTestSession({
    script: [calls(bash("touch made")), says("Done.")],
    allow: [],
    hooks: { PreToolUse: [{ hooks: [command(late, { required: true, async: true })] }] },
  })
  await t.prompt("go")
  expect(t.story()).toContain("decision allow Bash by hook")
  expect(existsSync(t.path("made"))).toBe(true)
})
