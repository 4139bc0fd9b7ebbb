/** Hooks in the sandbox: what they need works, what they may not do is refused and told, and without a sandbox none passes. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, says as replies } from "../../kit/script.ts"
import { hookRuns, on, says } from "./hooks.ts"

setDefaultTimeout(300_000)

const open = (
  hooks: NonNullable<TestSessionOptions["hooks"]>,
  more: Partial<TestSessionOptions> = {},
  command = "touch made",
): Promise<TestSession> =>
  openTestSession({
    script: [calls(bash(command)), replies("ok")],
    hooks,
    sandbox: { values: { hooks: true }, sources: [] },
    ...more,
  })

const notices = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "notice" ? [`${entry.level} ${entry.text}`] : []))

/** Inside, /tmp is another folder; what lies here is the same. */
const outside = "/usr/local/codewright-no-hook-writes-here"

test("a hook that writes outside is refused, and the person sees why", async () => {
  await using t = await open({ PreToolUse: [on(`echo x > ${outside}; true`)] })
  await t.prompt("go")
  expect([existsSync(outside), existsSync(t.path("made"))]).toEqual([false, true])
  expect(notices(t)).toEqual([expect.stringContaining(`the sandbox refused writing ${outside}.`)])
})

test("one that fails over it says both", async () => {
  await using t = await open({ PreToolUse: [on(`touch ${outside} || exit 3`)] })
  await t.prompt("go")
  expect(hookRuns(t)[0]).toMatchObject({
    exit: 3,
    failure: expect.stringMatching(/^it ended with code 3: .* \(the sandbox refused writing \/usr\/local\//),
  })
})

test("what hooks are promised works inside: input, answers, the workspace, the log and the file for variables", async () => {
  const start =
    'read -r input; log=$(echo "$input" | jq -r .transcript_path); head -c 1 "$log" > seen; echo export FROM_HOOK=yes >> "$CLAUDE_ENV_FILE"'
  await using t = await open(
    { SessionStart: [on(start)], PreToolUse: [on(says("PreToolUse", { additionalContext: "heard" }))] },
    {},
    "echo $FROM_HOOK",
  )
  await t.prompt("go")
  expect(notices(t)).toEqual([])
  expect([t.read("seen"), String(t.results()[0]?.content)]).toEqual(["{", expect.stringContaining("yes")])
  expect(JSON.stringify(t.requests().at(-1))).toContain("heard")
})

test("a hook is heard in plan mode as well, and may write as in any other", async () => {
  await using t = await open({ PreToolUse: [on("echo x > noted")] }, { mode: "plan" }, "ls")
  await t.prompt("go")
  expect(t.read("noted")).toBe("x\n")
})

test("a no is a no", async () => {
  await using t = await open({ PreToolUse: [on("echo never >&2; exit 2")] })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(false)
  expect(String(t.results()[0]?.content)).toContain("never")
})

const nowhere = { place: { platform: "plan9" } }

test("where the sandbox does not work, no call passes a hook that could have said no", async () => {
  await using t = await open({ PreToolUse: [on("touch ran")] }, nowhere)
  await t.prompt("go")
  expect([existsSync(t.path("ran")), existsSync(t.path("made"))]).toEqual([false, false])
  expect(String(t.results()[0]?.content)).toContain("there is no sandbox for this system yet")
  expect(notices(t)).toEqual([expect.stringContaining("there is no sandbox for this system yet")])
})

test("nor does a prompt", async () => {
  await using t = await open({ UserPromptSubmit: [on("touch ran")] }, nowhere)
  await t.prompt("go")
  expect([existsSync(t.path("ran")), t.requests().length]).toEqual([false, 0])
})

test("a hook that only watches does not run, and the person is told", async () => {
  await using t = await open({ PostToolUse: [on("touch ran")] }, nowhere)
  await t.prompt("go")
  expect([existsSync(t.path("ran")), existsSync(t.path("made"))]).toEqual([false, true])
  expect(notices(t)).toEqual([expect.stringContaining("there is no sandbox for this system yet")])
})

test("without the setting hooks run as ever, also where commands are confined", async () => {
  await using t = await open(
    { PreToolUse: [on('echo x > "$CLAUDE_PROJECT_DIR/../beside"')] },
    { sandbox: { values: { enabled: true }, sources: [] } },
  )
  await t.prompt("go")
  expect(t.read("../beside")).toBe("x\n")
})
