/** Hooks that crash, hang, shout or babble: the agent goes on, the log says what happened, and nothing is left running. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import type { JsonObject } from "#lib/json.ts"
import { isRunning } from "../../kit/is-running.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says as replies } from "../../kit/script.ts"
import { hookRuns, on } from "./hooks.ts"

setDefaultTimeout(300_000)

/** What becomes of a call before which a hook does this. */
async function around(command: string, more: JsonObject = {}) {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), replies("ok")],
    hooks: { PreToolUse: [on(command, more)] },
  })
  const { reason } = await t.prompt("go")
  const run = hookRuns(t)[0]
  return {
    ended: reason,
    made: existsSync(t.path("made")),
    exit: run?.exit,
    failure: run?.failure,
    notices: t.entries().flatMap((entry) => (entry.kind === "notice" ? [`${entry.level} ${entry.text}`] : [])),
    result: String(t.results()[0]?.content ?? ""),
  }
}

const gone = { ended: "completed", made: true }

test("another code than 0 and 2 is told to the person with what it printed, and blocks nothing", async () => {
  const ran = await around("echo oops >&2; echo more >&2; exit 7")
  expect(ran).toMatchObject({ ...gone, exit: 7, failure: "it ended with code 7: oops" })
  expect(ran.notices).toEqual([
    'warning The PreToolUse hook "echo oops >&2; echo more >&2; exit 7" (settings.json) did not work as it should: it ended with code 7: oops.',
  ])
})

test("a hook that dies of a signal, is not there, or stands in no shell", async () => {
  expect(await around("kill -SEGV $$")).toMatchObject({ ...gone, exit: null, failure: "it was ended by SIGSEGV" })
  expect(await around("/nowhere/at-all")).toMatchObject({ ...gone, exit: 127 })
  expect(await around("no-such-program-here", { args: ["x"] })).toMatchObject({
    ...gone,
    exit: null,
    failure: "there is no program no-such-program-here",
  })
  expect(await around("./missing.sh", { args: [] })).toMatchObject({ ...gone, exit: null })
})

test("a failure that is a sentence already gets no second full stop", async () => {
  const { notices } = await around("unused", { type: "http", url: "https://nowhere.invalid/hook" })
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatch(/[^.]\.$/)
})

test("a hook that hangs is ended when its time is over, with its children", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), replies("ok")],
    hooks: {
      PreToolUse: [
        on('trap "" TERM; sleep 8642 & echo $! > "$CLAUDE_PROJECT_DIR/../pid"; wait; sleep 8642', { timeout: 0.3 }),
      ],
    },
  })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(true)
  expect(hookRuns(t)[0]).toMatchObject({ exit: null, failure: "it did not end within 0.3 s" })
  expect(isRunning(Number(t.read("../pid")))).toBe(false)
})

test("100 MB on both streams are no trouble", async () => {
  const shout = "head -c 100000000 /dev/zero | tr '\\0' x"
  expect(await around(`${shout}; ${shout} >&2; exit 0`)).toMatchObject({ ...gone, exit: 0 })
  const refused = await around(`${shout} >&2; exit 2`)
  expect([refused.made, refused.result.length < 12_000]).toEqual([false, true])
  expect(await around(`echo '{"hookSpecificOutput":{"x":"'; ${shout}`)).toMatchObject({
    ...gone,
    failure: "it printed more than can be read",
  })
})

test("what is no JSON, no object, or of other kinds is complained about and breaks nothing", async () => {
  expect(await around("echo '{not json'")).toMatchObject({
    ...gone,
    failure: "what it printed begins like JSON and is none",
  })
  expect(await around("echo '[1,2]'; echo null")).toMatchObject({ ...gone, exit: 0 })
  const odd = await around(
    `echo '{"continue":"no","systemMessage":5,"decision":"maybe","hookSpecificOutput":{"permissionDecision":"deny-ish","updatedInput":"x","additionalContext":[]}}'`,
  )
  expect(odd).toMatchObject(gone)
  expect(odd.notices.map((notice) => notice.slice(notice.indexOf("should: ") + 8))).toEqual([
    "permissionDecision must be allow, deny, ask or defer.",
    "updatedInput must be an object.",
    "decision must be block or approve.",
    "continue must be true or false.",
    "systemMessage must be a string.",
    "additionalContext must be a string.",
  ])
  const other = await around(`echo '{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}'`)
  expect(other).toMatchObject(gone)
  expect(other.notices[0]).toContain('hookSpecificOutput is for "Stop", but this was PreToolUse; it is ignored')
})

test("bytes that are no text, and escape sequences, reach nobody as they are", async () => {
  const ran = await around("printf '\\377\\376 \\033[31mred\\n' >&2; exit 2")
  expect(ran.made).toBe(false)
  expect(ran.result).toContain("\ufffd\ufffd red")
  expect(ran.result).not.toContain("\u001b")
  const plain = await around("printf '\\377 plain\\n'")
  expect(plain).toMatchObject(gone)
  expect(plain.notices[0]).toContain("\ufffd plain")
})

test("what a hook leaves running is ended, and not waited for", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), replies("ok")],
    hooks: { PreToolUse: [on('sleep 8643 & echo $! > "$CLAUDE_PROJECT_DIR/../pid"')] },
  })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(true)
  const pid = Number(t.read("../pid"))
  while (isRunning(pid)) await Bun.sleep(10)
})

test("the same command twice runs once, and is required when one of the two is", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), replies("Understood.")],
    hooks: { PreToolUse: [on("echo ran >> ../runs; exit 1"), on("echo ran >> ../runs; exit 1", { required: true })] },
  })
  await t.prompt("go")
  expect([existsSync(t.path("made")), t.read("../runs")]).toEqual([false, "ran\n"])
  expect(t.results()[0]?.content).toContain("is required, and")
})

test("a required hook that fails in any of these ways blocks, and says why", async () => {
  const required = { required: true }
  for (const [command, why, more] of [
    ["exit 7", "it ended with code 7", {}],
    ["kill -9 $$", "it was ended by SIGKILL", {}],
    ["sleep 8644", "it did not end within 0.2 s", { timeout: 0.2 }],
    ["echo '{'", "what it printed begins like JSON and is none", {}],
    ["not-a-program", "there is no program not-a-program", { args: [] }],
  ] as const) {
    const ran = await around(command, { ...required, ...more })
    expect([ran.ended, ran.made]).toEqual(["completed", false])
    expect(ran.result).toContain(`is required, and ${why}.`)
  }
  expect(await around("exit 0", required)).toMatchObject(gone)
})

test("a hook that fails at every call is complained about once", async () => {
  await using t = await openTestSession({
    script: [calls(bash("true"), bash("echo 2")), calls(bash("echo 3")), replies("ok")],
    hooks: { PreToolUse: [on("exit 9")] },
  })
  await t.prompt("go")
  expect(hookRuns(t)).toHaveLength(3)
  expect(t.entries().filter(({ kind }) => kind === "notice")).toHaveLength(1)
})

test("where the folder is gone that commands stood in, hooks run in the project", async () => {
  await using t = await openTestSession({
    files: { "sub/x": "1" },
    script: [calls(bash("cd sub")), calls(bash("rm -r ../sub")), calls(read("a.txt")), replies("ok")],
    answers: () => ({ kind: "allow" }),
    hooks: { PreToolUse: [on('pwd >> "$CLAUDE_PROJECT_DIR/../folders"')] },
  })
  await t.prompt("go")
  expect(t.read("../folders").trim().split("\n")).toEqual([t.root, t.path("sub"), t.root])
})

test("an interrupt ends the hook and the call with it", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), replies("ok")],
    hooks: {
      PreToolUse: [on('echo $$ > "$CLAUDE_PROJECT_DIR/../pid"; touch "$CLAUDE_PROJECT_DIR/../begun"; sleep 8645')],
    },
  })
  t.say("go")
  while (!existsSync(t.path("../begun"))) await Bun.sleep(5)
  void t.session.submit({ type: "interrupt" })
  await t.settled()
  expect(existsSync(t.path("made"))).toBe(false)
  const pid = Number(t.read("../pid"))
  while (isRunning(pid)) await Bun.sleep(10)
  expect(t.entries().findLast(({ kind }) => kind === "turn_end")).toMatchObject({ reason: "aborted" })
})
