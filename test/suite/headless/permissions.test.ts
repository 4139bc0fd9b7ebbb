/** Permissions through the whole program: what a rule, a mode or the lack of a person does to files, commands and the result. */

import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { linesOf, openPlace, type Place, type RunOptions, runCodewright } from "../../kit/run-codewright.ts"
import { resultIn } from "../../kit/sent.ts"

type Call = { readonly tool: string; readonly input: JsonObject }
const read = (path: string): Call => ({ tool: "Read", input: { file_path: path } })
const edit = (path: string): Call => ({
  tool: "Edit",
  input: { file_path: path, old_string: "one", new_string: "two" },
})
const write = (path: string): Call => ({ tool: "Write", input: { file_path: path, content: "new\n" } })
const bash = (command: string): Call => ({ tool: "Bash", input: { command } })

/** Lets the model make the calls one after the other, and tells what came of them. */
async function attempt(place: Place, calls: readonly Call[], argv: readonly string[], more: Partial<RunOptions> = {}) {
  const run = await runCodewright({
    ...more,
    place,
    argv: ["-p", "do it", "--output-format", "stream-json", "--verbose", ...argv],
    scenario: [...calls.map((call) => ({ content: [call] })), "Done."],
  })
  const lines = linesOf(run.stdout)
  const result = lines.at(-1)
  expect(result).toMatchObject({ type: "result", subtype: "success", is_error: false, result: "Done." })
  return {
    ...run,
    denials: result?.permission_denials,
    told: lines.filter(({ subtype }) => subtype === "permission_denied"),
    /** What the model was answered, call by call. */
    results: run.requests.slice(1).map(resultIn),
  }
}

describe("with nobody to ask", () => {
  test.concurrent("an edit is denied, told to the model and to the client, and the turn goes on", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const run = await attempt(place, [read("a.txt"), edit("a.txt")], ["--detailed-exit-codes"])
    expect(run).toMatchObject({
      code: 3,
      stderr: "Not permitted: Edit(a.txt). Allow calls with --allowed-tools or permissions.allow in the settings.\n",
    })
    expect(run.denials).toEqual([
      {
        tool_name: "Edit",
        tool_use_id: expect.stringMatching(/^toolu_/),
        tool_input: { file_path: "a.txt", old_string: "one", new_string: "two" },
      },
    ])
    expect(run.told).toMatchObject([{ type: "system", tool_name: "Edit", decision_reason_type: "no_one_to_ask" }])
    expect(run.told[0]?.message).toBe(run.results[1] ?? "")
    expect(run.results[1]).toContain("Edit would change a.txt, which needs the user's consent")
    expect(await place.read("a.txt")).toBe("one\n")
  })

  test.concurrent("reading outside the workspace is denied, through links too; reading inside is free", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const outside = place.write(join(place.path, "outside/secret.txt"), "the secret\n")
    Bun.spawnSync(["ln", "-s", outside, join(place.work, "link.txt")])
    const run = await attempt(
      place,
      [read("a.txt"), read(outside), read("../outside/secret.txt"), read("link.txt")],
      [],
    )
    expect(run.code).toBe(0)
    expect(run.results[0]).toContain("one")
    expect(run.denials).toHaveLength(3)
    expect(run.results.join()).not.toContain("the secret")
  })
})

describe("rules", () => {
  test.concurrent("a command is allowed exactly, or by its prefix at a word; anything more is not", async () => {
    using place = openPlace()
    const commands = [
      "touch exact.txt",
      "touch exact.txt other.txt",
      "mkdir -p made/deep",
      "mkdirs x",
      "mkdir d; touch e",
    ]
    const run = await attempt(place, commands.map(bash), ["--allowed-tools", "Bash(touch exact.txt)", "Bash(mkdir:*)"])
    expect(run.denials).toMatchObject(
      [commands[1], commands[3], commands[4]].map((command) => ({ tool_input: { command } })),
    )
    const names = ["exact.txt", "other.txt", "made/deep", "d", "e"]
    expect(names.filter((name) => existsSync(join(place.work, name)))).toEqual(["exact.txt", "made/deep"])
  })

  test.concurrent("deny beats allow, whoever says it, and a denial by rule is no missing permission", async () => {
    using place = openPlace({ "a.txt": "one\n", "b.txt": "one\n" })
    place.write(join(place.state, "settings.json"), '{"permissions": {"deny": ["Edit(./a.txt)", "Bash(touch:*)"]}}')
    const run = await attempt(
      place,
      [read("a.txt"), edit("a.txt"), read("b.txt"), edit("b.txt"), bash("touch c.txt")],
      ["--allowed-tools=Edit,Bash", "--detailed-exit-codes"],
    )
    expect(run.code).toBe(0)
    expect(run.told).toMatchObject([
      { tool_name: "Edit", decision_reason_type: "rule" },
      { tool_name: "Bash", decision_reason_type: "rule" },
    ])
    expect([await place.read("a.txt"), await place.read("b.txt")]).toEqual(["one\n", "two\n"])
    expect(existsSync(join(place.work, "c.txt"))).toBe(false)
  })

  test.concurrent("protected files are not written in any mode, by no rule", async () => {
    using place = openPlace({ ".git/config": "one\n", ".git/HEAD": "ref: refs/heads/main\n", ".env": "one\n" })
    const calls = [read(".git/config"), edit(".git/config"), write(".env.local"), write(".claude/settings.json")]
    const bypass = await attempt(place, calls, ["--permission-mode", "bypassPermissions", "--allowed-tools", "Edit"], {
      env: { IS_SANDBOX: "1" },
    })
    expect(bypass.denials).toMatchObject([
      { tool_input: { file_path: ".git/config" } },
      { tool_input: { file_path: ".env.local" } },
      { tool_input: { file_path: ".claude/settings.json" } },
    ])
    expect(await place.read(".git/config")).toBe("one\n")
    expect(existsSync(join(place.work, ".claude"))).toBe(false)
  })

  test.concurrent(
    "a malformed deny rule denies its whole tool, loudly; a malformed allow rule is named and left out",
    async () => {
      using place = openPlace({ "a.txt": "one\n" })
      const settings = '{"permissions": {"allow": ["Edit"], "deny": ["Edit(secret"]}}'
      const denied = await attempt(place, [read("a.txt"), edit("a.txt")], ["--settings", settings])
      expect(await place.read("a.txt")).toBe("one\n")
      expect(denied.stderr).toContain(
        'The deny rule "Edit(secret" (command line, --settings:1:46) cannot be understood',
      )
      expect(denied.stderr).toContain("Until it is fixed, this is denied: all of Edit.")
      const warned = await runCodewright({ argv: ["-p", "x", "--allowed-tools", "Bash(a:*"], scenario: ["Done."] })
      expect(warned).toMatchObject({ code: 0, stdout: "Done.\n" })
      expect(warned.stderr).toMatch(/^.*Bash\(a:\*.*\n$/)
    },
  )
})

describe("a folder that is not trusted", () => {
  const settings = JSON.stringify({
    permissions: { allow: ["Edit", "Bash(touch:*)"], deny: ["Read(./secret.txt)"], defaultMode: "acceptEdits" },
    env: { FROM_PROJECT: "yes" },
  })
  const calls = [read("a.txt"), edit("a.txt"), read("secret.txt")]
  const files = { "a.txt": "one\n", "secret.txt": "the secret\n", ".codewright/settings.json": settings }

  test.concurrent("its allow rules are left out and named once, its deny rules apply", async () => {
    using place = openPlace(files)
    const run = await attempt(place, calls, [])
    expect(await place.read("a.txt")).toBe("one\n")
    expect(run.denials).toHaveLength(2)
    expect(run.results.join()).not.toContain("the secret")
    expect(run.stderr).toBe(
      "This folder is not trusted, so these settings were left out: 2 permissions.allow, env.FROM_PROJECT (.codewright/settings.json). " +
        `To use them, run with --trust or CODEWRIGHT_TRUST=1, or trust it for good: codewright trust ${place.work}\n` +
        "These are never taken from a project's files: permissions.defaultMode (.codewright/settings.json). " +
        `Put them into ${place.state}/settings.json or on the command line.\n` +
        "Not permitted: Edit(a.txt), Read(secret.txt). Allow calls with --allowed-tools or permissions.allow in the settings.\n",
    )
  })

  test.concurrent("with --trust they count, but for what a project never decides", async () => {
    using place = openPlace(files)
    const run = await attempt(place, [...calls, bash("touch b.txt")], ["--trust"])
    expect(await place.read("a.txt")).toBe("two\n")
    expect(existsSync(join(place.work, "b.txt"))).toBe(true)
    expect(run.denials).toMatchObject([{ tool_name: "Read", tool_input: { file_path: "secret.txt" } }])
    expect(run.stderr).toStartWith("These are never taken from a project's files: permissions.defaultMode")
  })
})

test.concurrent("a command does not see the agent's keys", async () => {
  using place = openPlace()
  const run = await attempt(place, [bash("env")], ["--allowed-tools", "Bash(env)"], {
    env: { ANTHROPIC_API_KEY: "sk-hidden", ANTHROPIC_AUTH_TOKEN: "tok-hidden", MY_OWN: "kept" },
  })
  expect(run.results[0]).toContain("MY_OWN=kept")
  expect(run.results[0]).not.toContain("-hidden")
})
