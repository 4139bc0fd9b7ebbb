/** Hooks through the whole program: settings, trust, what is announced, and the command that tries them. */

import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { isRunning } from "../../kit/is-running.ts"
import { linesOf, openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"

const hooked = (event: string, command: string, more: JsonObject = {}): string =>
  JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command, ...more }] }] } })

const user = (place: Place, text: string): void => void place.write(join(place.state, "settings.json"), text)
const go = (place: Place, ...argv: string[]) =>
  runCodewright({
    place,
    argv: ["-p", "go", "--allowed-tools", "Bash(touch:*)", ...argv],
    scenario: [{ content: [{ tool: "Bash", input: { command: "touch made" } }] }, "Done."],
  })

describe("in a run", () => {
  test.concurrent("hooks of the person guard every run, without a word about it", async () => {
    using place = openPlace()
    user(place, hooked("PreToolUse", "echo not here >&2; exit 2"))
    const run = await go(place)
    expect(run).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
    expect(existsSync(join(place.work, "made"))).toBe(false)
  })

  test.concurrent("hooks of a project wait for trust, and are named; with it they run", async () => {
    using place = openPlace({ ".claude/settings.json": hooked("PreToolUse", 'touch "$CLAUDE_PROJECT_DIR/ran"') })
    const before = await go(place)
    expect(before.stderr).toContain("This folder is not trusted, so these settings were left out: hooks")
    expect([existsSync(join(place.work, "ran")), existsSync(join(place.work, "made"))]).toEqual([false, true])
    const trusted = await go(place, "--trust")
    expect(trusted.stderr).toBe("")
    expect(existsSync(join(place.work, "ran"))).toBe(true)
  })

  test.concurrent(
    "hooks that changed since the folder was trusted are left out until it is trusted again",
    async () => {
      using place = openPlace({ ".claude/settings.json": hooked("PreToolUse", "true") })
      expect((await runCodewright({ place, argv: ["trust"] })).code).toBe(0)
      place.write(".claude/settings.json", hooked("PreToolUse", "touch ran"))
      const run = await go(place)
      expect(run.stderr).toContain("New or changed since you trusted this folder, so left out: hooks")
      expect(existsSync(join(place.work, "ran"))).toBe(false)
    },
  )

  test.concurrent("disableAllHooks turns off the person's own; a project cannot turn those off", async () => {
    using place = openPlace({ ".claude/settings.json": '{"disableAllHooks": true}' })
    user(place, hooked("PreToolUse", "exit 2"))
    await go(place, "--trust")
    expect(existsSync(join(place.work, "made"))).toBe(false)
    await go(place, "--settings", '{"disableAllHooks": true}')
    expect(existsSync(join(place.work, "made"))).toBe(true)
  })

  test.concurrent("a prompt that is refused ends the run with its reason; nothing is sent", async () => {
    using place = openPlace()
    user(place, hooked("UserPromptSubmit", "echo no secrets please >&2; exit 2"))
    const run = await runCodewright({
      place,
      argv: ["-p", "go", "--output-format", "stream-json", "--verbose"],
      scenario: ["never said"],
    })
    expect(run.requests).toEqual([])
    expect(run.code).toBe(1)
    const result = linesOf(run.stdout).at(-1)
    expect(result).toMatchObject({ type: "result", is_error: true, terminal_reason: "hook_stopped" })
    expect(JSON.stringify(result)).toContain("no secrets please")
  })

  test.concurrent("what is misspelt or of a type that there is not is said at the start", async () => {
    using place = openPlace()
    const group = [{ hooks: [{ type: "command", command: "true" }] }]
    user(place, JSON.stringify({ hooks: { PreTolUse: group, Stop: [{ hooks: [{ type: "shell" }] }] } }))
    const run = await runCodewright({ place, argv: ["-p", "go"], scenario: ["ok"] })
    expect(run.code).toBe(0)
    expect(run.stderr).toContain("2 entries of your settings and files are ignored")
    const { stdout } = await runCodewright({ place, argv: ["doctor"] })
    expect(stdout).toContain("hooks.PreTolUse is not a hook event; did you mean PreToolUse?")
    expect(stdout).toContain('hooks.Stop[0].hooks[0] has the type "shell", which is not supported')
  })

  test.concurrent("a hook that hangs at the end of a session holds it up for a moment only", async () => {
    using place = openPlace()
    user(place, hooked("SessionEnd", 'echo $$ > "$CLAUDE_PROJECT_DIR/pid"; sleep 8648'))
    const run = await runCodewright({ place, argv: ["-p", "go"], scenario: ["ok"] })
    expect(run).toMatchObject({ code: 0, stdout: "ok\n" })
    const pid = (await place.read("pid")).trim()
    expect(existsSync(`/proc/${pid}/cmdline`) && (await Bun.file(`/proc/${pid}/cmdline`).text()).includes("8648")).toBe(
      false,
    )
  })
})

test.concurrent(
  "killed in the middle of a hook, the agent leaves no process behind, and the prompt is named and not sent unseen",
  async () => {
    using place = openPlace()
    user(place, hooked("UserPromptSubmit", 'echo $$ > "$CLAUDE_PROJECT_DIR/pid"; exec sleep 8649'))
    const id = crypto.randomUUID()
    const killed = await runCodewright({
      place,
      argv: ["-p", "the first words", "--session-id", id],
      scenario: ["never said"],
      async during({ kill }) {
        while (!existsSync(join(place.work, "pid"))) await Bun.sleep(10)
        kill("SIGKILL")
      },
    })
    expect(killed.requests).toEqual([])
    const pid = Number(await place.read("pid"))
    while (isRunning(pid)) await Bun.sleep(10)
    user(place, "{}")
    const run = await runCodewright({ place, argv: ["-p", "and now", "--resume", id], scenario: ["one"] })
    const stderr = "Not sent, still queued from an earlier run: the first words\n"
    expect(run).toMatchObject({ code: 0, stdout: "one\n", stderr })
    expect(JSON.stringify(run.requests[0]?.body)).not.toContain("the first words")
  },
)

test.concurrent("a replay runs the hooks of today, and comes out the same when they say the same", async () => {
  using place = openPlace({ "a.txt": "1\n" })
  const guard = "if grep -q secret; then echo leave it >&2; exit 2; fi; echo seen"
  user(
    place,
    JSON.stringify({
      hooks: {
        PreToolUse: [{ hooks: [{ type: "command", command: guard }] }],
        UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo mind the tests" }] }],
      },
    }),
  )
  const calls = ["a.txt", "secret.txt"].map((file_path) => ({ content: [{ tool: "Read", input: { file_path } }] }))
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--output-format", "stream-json", "--verbose"],
    scenario: [...calls, "Done."],
  })
  const id = String(linesOf(run.stdout).at(-1)?.session_id)
  const again = async () =>
    JSON.parse((await runCodewright({ place, cwd: "/", argv: ["replay", id, "--json"] })).stdout) as JsonObject
  expect(await again()).toMatchObject({ same: true, requests: 3, results: 2 })
  user(place, hooked("PreToolUse", "exit 2"))
  expect(await again()).toMatchObject({ same: false })
})

describe("the command", () => {
  const guard = `if grep -q push; then echo 'do not push' >&2; exit 2; else echo '{"hookSpecificOutput":{"additionalContext":"all quiet"}}'; fi`

  test.concurrent("list shows each hook with its place, and complains about the rest", async () => {
    using place = openPlace()
    const file = join(place.state, "settings.json")
    user(
      place,
      JSON.stringify({
        hooks: {
          PreToolUse: [
            { matcher: "Bash", hooks: [{ type: "command", command: "guard.sh", required: true }, { type: "shell" }] },
          ],
        },
      }),
    )
    const run = await runCodewright({ place, argv: ["hooks", "list"] })
    expect(run).toMatchObject({ code: 0, stdout: `PreToolUse (Bash)  guard.sh  user settings, ${file}  required\n` })
    expect(run.stderr).toContain(`${file}: hooks.PreToolUse[0].hooks[1] has the type "shell"`)
    const json = await runCodewright({ place, argv: ["hooks", "list", "--json"] })
    expect(JSON.parse(json.stdout)).toMatchObject([{ event: "PreToolUse", matcher: "Bash", timeoutMs: 600_000 }])
    using empty = openPlace()
    expect((await runCodewright({ place: empty, argv: ["hooks"] })).stdout).toBe("No hooks.\n")
  })

  test.concurrent("test runs the hooks of an event and shows what each and all say", async () => {
    using place = openPlace()
    user(place, hooked("PreToolUse", guard, { name: "guard", if: "Bash(git:*)" }))
    const tried = (...argv: string[]) => runCodewright({ place, argv: ["hooks", "test", "PreToolUse", ...argv] })
    const denied = await tried("--tool", "Bash", "--input", '{"command": "git push"}')
    expect(denied.code).toBe(0)
    expect(denied.stdout.replace(/\d+ ms/, "N ms")).toBe(
      "guard  (user settings)\n  exit 2, N ms, deny\nDecision: deny, by guard: do not push\n",
    )
    const quiet = await tried("--input", '{"command": "git status"}')
    expect(quiet.stdout).toContain("For the model: all quiet")
    expect((await tried("--input", '{"command": "ls"}')).stdout).toBe("No hook runs at PreToolUse with this input.\n")
    const json = JSON.parse((await tried("--input", '{"command": "git push"}', "--json")).stdout) as JsonObject
    expect(json).toMatchObject({ verdict: "deny", reason: "do not push", runs: [{ exit: 2, decision: "deny" }] })
  })

  test.concurrent("every event can be pretended, and leaves nothing behind", async () => {
    using place = openPlace()
    const events = [
      "SessionStart",
      "UserPromptSubmit",
      "Stop",
      "PreCompact",
      "Notification",
      "SubagentStop",
      "SessionEnd",
    ]
    user(
      place,
      JSON.stringify({
        hooks: Object.fromEntries(
          events.map((event) => [
            event,
            [{ hooks: [{ type: "command", command: 'cat >> "$CLAUDE_PROJECT_DIR/inputs"' }] }],
          ]),
        ),
      }),
    )
    for (const event of events)
      expect((await runCodewright({ place, argv: ["hooks", "test", event.toLowerCase()] })).code).toBe(0)
    const inputs = linesOf(await place.read("inputs"))
    expect(inputs.map(({ hook_event_name }) => hook_event_name)).toEqual(events)
    expect(inputs[0]).toMatchObject({ source: "startup", cwd: place.work })
  })

  test.concurrent("bad words get a sentence and a code", async () => {
    for (const [argv, words] of [
      [["hooks", "tset"], "hooks takes list or test <event>, not 'tset'"],
      [["hooks", "test"], "hooks test takes one event"],
      [["hooks", "test", "PreTool"], "Unknown event PreTool; did you mean PreToolUse?"],
      [["hooks", "test", "Stop", "--input", "[1]"], "--input must be a JSON object"],
      [["hooks", "test", "Stop", "--input", "{"], "--input must be a JSON object"],
      [
        ["hooks", "test", "PreToolUse", "--tool", "Edit", "--input", '{"x":1}'],
        "The input of Edit needs the string `file_path`.",
      ],
      [["hooks", "list", "--bogus"], "unknown option '--bogus'"],
      [["hooks", "list", "more"], "hooks list takes no arguments."],
    ] as const) {
      const run = await runCodewright({ argv })
      expect([argv, run.code, run.stdout]).toEqual([argv, 1, ""])
      expect(run.stderr).toContain(words)
    }
    expect((await runCodewright({ argv: ["hooks", "--help"] })).stdout).toContain("codewright hooks <verb>")
  })
})
