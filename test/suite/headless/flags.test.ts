/** What each flag does to a run: to the request, to the files, to the result. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bodyOf, resultIn, sentIn, toolsIn } from "../../kit/sent.ts"

const json = ["--output-format", "json"]
const read = (path: string) => ({ content: [{ tool: "Read", input: { file_path: path } }] })
const write = (path: string) => ({ content: [{ tool: "Write", input: { file_path: path, content: "new\n" } }] })
const bash = (command: string) => ({ content: [{ tool: "Bash", input: { command } }] })

describe("the model", () => {
  const asked = async (argv: readonly string[], env: { readonly [name: string]: string }, settings = "{}") => {
    using place = openPlace()
    place.write(join(place.state, "settings.json"), settings)
    const run = await runCodewright({ place, argv: ["-p", "hello", ...argv], env, scenario: ["Yes."] })
    expect(run).toMatchObject({ code: 0, stdout: "Yes.\n", stderr: "" })
    return run.requests.map((request) => bodyOf(request).model)
  }

  test.concurrent("a full id goes out as it is; ANTHROPIC_MODEL is stronger than the settings", async () => {
    const id = "claude-sonnet-4-5-20250929"
    expect(await asked([], { ANTHROPIC_MODEL: id }, '{"model": "haiku"}')).toEqual([id])
  })

  test.concurrent("the environment says what an alias means; the flag is stronger than ANTHROPIC_MODEL", async () => {
    const env = { ANTHROPIC_MODEL: "haiku", ANTHROPIC_DEFAULT_SONNET_MODEL: "claude-sonnet-4-6" }
    expect(await asked(["--model=sonnet"], env)).toEqual(["claude-sonnet-4-6"])
  })

  test.concurrent("sim is the built-in simulator, whatever is configured, and says so", async () => {
    const run = await runCodewright({ argv: ["-p", "hello", "--model", "sim", ...json] })
    expect(run).toMatchObject({ code: 0, requests: [] })
    expect(run.stderr).toMatch(
      /^Using the built-in simulator, which follows fixed rules\. To connect a real model: \S*codewright login\n$/,
    )
    expect(linesOf(run.stdout)).toMatchObject([{ subtype: "success", is_error: false, total_cost_usd: 0 }])
  })

  test.concurrent("overloaded three times in a row, the fallback goes on and one line says so", async () => {
    const run = await runCodewright({
      argv: ["-p", "hello", "--fallback-model", "haiku"],
      scenario: ["Here I am."],
      faults: [{ name: "overloaded", times: 3 }],
    })
    expect(run.requests.map((request) => bodyOf(request).model)).toEqual([
      "claude-opus-5-5",
      "claude-opus-5-5",
      "claude-opus-5-5",
      "claude-haiku-5-5",
    ])
    expect(run).toMatchObject({ code: 0, stdout: "Here I am.\n" })
    const waits = /^.* Retrying in \d s \(\d of \d+\)\.\n/gm
    expect(run.stderr.replaceAll(waits, "")).toBe(
      "claude-opus-5-5 is overloaded; continuing with claude-haiku-5-5 for the rest of the session.\n",
    )
  })
})

describe("limits", () => {
  test.concurrent("--max-turns 3 makes three requests and counts four turns", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const run = await runCodewright({
      place,
      argv: ["-p", "look", "--max-turns=3", ...json],
      scenario: () => read("a.txt"),
    })
    expect(run.requests).toHaveLength(3)
    expect(run.code).toBe(1)
    expect(linesOf(run.stdout)).toMatchObject([
      { subtype: "error_max_turns", is_error: true, num_turns: 4, terminal_reason: "max_turns" },
    ])
    expect(linesOf(run.stdout)[0]).not.toHaveProperty("result")
    expect(linesOf(run.stdout)[0]?.errors).toEqual([run.stderr.trimEnd()])
  })

  test.concurrent("--max-tool-calls 2 runs two calls and ends with the third", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const run = await runCodewright({
      place,
      argv: ["-p", "look", "--max-tool-calls=2", ...json],
      scenario: () => read("a.txt"),
    })
    expect(run.requests).toHaveLength(3)
    expect(run.code).toBe(1)
    expect(run.stderr).toBe("Stopped after 2 calls of tools, the limit set for this session.\n")
    expect(linesOf(run.stdout)).toMatchObject([{ subtype: "error_max_turns", is_error: true, num_turns: 3 }])
  })

  test.concurrent("--max-budget-usd 0 sends nothing", async () => {
    const run = await runCodewright({ argv: ["-p", "hello", "--max-budget-usd", "0", ...json] })
    expect(run).toMatchObject({ code: 1, requests: [] })
    expect(linesOf(run.stdout)).toMatchObject([
      { subtype: "error_max_budget_usd", is_error: true, num_turns: 0, terminal_reason: "budget_exhausted" },
    ])
    expect(run.stderr).toMatch(
      /^The budget does not cover the next request: .* Raise it with \/budget, or resume with a larger --max-budget-usd\.\n$/,
    )
  })

  test.concurrent("a budget cannot be kept for a model without a price, so nothing is sent", async () => {
    const run = await runCodewright({ argv: ["-p", "hello", "--model", "my-own-model", "--max-budget-usd", "5"] })
    expect(run).toMatchObject({ code: 1, stdout: "", requests: [] })
    expect(run.stderr).toStartWith("No price is known for my-own-model, so a budget in dollars cannot be kept.")
  })
})

describe("the permission mode", () => {
  const asRoot = process.getuid?.() === 0
  const none = { made: [], denied: ["Write", "Bash"] }
  const both = { made: ["a.txt", "b.txt"], denied: [], stderr: "" }
  const said = "Not permitted: Write(a.txt), Bash(touch b.txt)."
  const modes = {
    default: { ...none, stderr: `${said} Allow calls with --allowed-tools or permissions.allow in the settings.\n` },
    acceptEdits: both,
    plan: { ...none, stderr: `${said}\n` },
    dontAsk: { ...none, stderr: `${said} Allow calls with --allowed-tools or permissions.allow in the settings.\n` },
    bypassPermissions: both,
  }
  for (const [mode, { made, denied, stderr }] of Object.entries(modes))
    test.concurrent(mode, async () => {
      using place = openPlace()
      const run = await runCodewright({
        place,
        argv: ["-p", "make them", "--permission-mode", mode, ...json],
        env: asRoot ? { IS_SANDBOX: "1" } : {},
        scenario: [write("a.txt"), bash("touch b.txt"), "Done."],
      })
      expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr })
      expect(["a.txt", "b.txt"].filter((name) => existsSync(join(place.work, name)))).toEqual(made)
      const [result] = linesOf(run.stdout)
      expect(result).toMatchObject({ is_error: false, result: "Done.", num_turns: 3 })
      expect(result?.permission_denials).toMatchObject(denied.map((tool_name) => ({ tool_name })))
    })

  test.concurrent("--dangerously-skip-permissions is refused for root, unless in a sandbox", async () => {
    using place = openPlace()
    const argv = ["-p", "make it", "--dangerously-skip-permissions"]
    const run = await runCodewright({ place, argv, scenario: [bash("touch b.txt"), "Done."] })
    expect(existsSync(join(place.work, "b.txt"))).toBe(!asRoot)
    if (!asRoot) return expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(run).toMatchObject({ code: 1, stdout: "", requests: [] })
    expect(run.stderr).toBe(
      "error: Root cannot bypass permissions: one wrong command could ruin the machine. Run as another user, or set IS_SANDBOX=1 inside a container made for it.\n",
    )
    const sandboxed = await runCodewright({
      place,
      argv,
      env: { IS_SANDBOX: "1" },
      scenario: [bash("touch b.txt"), "Done."],
    })
    expect(sandboxed).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
    expect(existsSync(join(place.work, "b.txt"))).toBe(true)
  })

  test.concurrent("a managed machine or a person may switch bypassing off", async () => {
    const run = await runCodewright({
      argv: [
        "-p",
        "x",
        "--permission-mode=bypassPermissions",
        "--settings",
        '{"permissions":{"disableBypassPermissionsMode":"disable"}}',
      ],
      env: { IS_SANDBOX: "1" },
    })
    expect(run).toMatchObject({ code: 1, requests: [] })
    expect(run.stderr).toContain("permissions.disableBypassPermissionsMode")
  })
})

describe("tools and prompts", () => {
  test.concurrent("a bare denial hides a tool from the model; a rule with content does not", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const run = await runCodewright({
      place,
      argv: ["-p", "make them", "--disallowed-tools", "Bash,Edit(./secret/**)", "Grep", "--allowedTools=Write(./a/**)"],
      scenario: [write("a/1.txt"), write("b/1.txt"), "Done."],
    })
    expect({ code: run.code, stdout: run.stdout, stderr: run.stderr }).toEqual({
      code: 0,
      stdout: "Done.\n",
      stderr: "Not permitted: Write(b/1.txt). Allow calls with --allowed-tools or permissions.allow in the settings.\n",
    })
    const offered = toolsIn(run.requests[0])
    expect(offered).toEqual(expect.arrayContaining(["Read", "Write", "Edit", "Glob"]))
    expect(offered.filter((name) => name === "Bash" || name === "Grep")).toEqual([])
    expect(sentIn(run.requests[0]).system).not.toContain("Bash")
    expect(["a/1.txt", "b/1.txt"].map((name) => existsSync(join(place.work, name)))).toEqual([true, false])
  })

  test.concurrent("--system-prompt replaces ours, --append-system-prompt adds to it", async () => {
    const replaced = await runCodewright({
      argv: ["-p", "hello", "--system-prompt", "- You are a pirate.", "--append-system-prompt", "Be brief."],
      scenario: ["Arr."],
    })
    expect(sentIn(replaced.requests[0]).system).toBe("- You are a pirate.\n\nBe brief.")
    const appended = await runCodewright({
      argv: ["-p", "hello", "--append-system-prompt=Be brief."],
      scenario: ["Hi."],
    })
    expect(sentIn(appended.requests[0]).system).toMatch(/Codewright[\s\S]*Be brief\.$/)
  })

  test.concurrent("--add-dir opens further folders, also those with spaces in their names", async () => {
    using place = openPlace()
    const further = join(place.path, "another, folder")
    mkdirSync(further)
    place.write(join(further, "a.txt"), "from afar\n")
    const run = await runCodewright({
      place,
      argv: ["-p", "look", "--add-dir", "../another, folder", "--output-format=stream-json", "--verbose"],
      scenario: [read(join(further, "a.txt")), "Seen."],
    })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    expect(resultIn(run.requests[1])).toContain("from afar")
    expect(linesOf(run.stdout)[0]).toMatchObject({ subtype: "init", additional_directories: [further] })
  })
})

describe("settings", () => {
  test.concurrent("--settings takes a file, with comments, stronger than the user's", async () => {
    using place = openPlace({
      "my.json": '{\n  // for tests\n  "model": "haiku",\n  "env": { "FOR_TOOLS": "yes" },\n}',
    })
    place.write(
      join(place.state, "settings.json"),
      '{"model": "sonnet", "permissions": {"allow": ["Bash(echo:*)", "Bash(printenv:*)"]}}',
    )
    const run = await runCodewright({
      place,
      argv: ["-p", "go", "--settings", "my.json"],
      scenario: [bash("printenv FOR_TOOLS"), "Done."],
    })
    expect(run).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
    expect(bodyOf(run.requests[0]).model).toBe("claude-haiku-5-5")
    expect(resultIn(run.requests[1])).toContain("yes")
  })

  test.concurrent(
    "--setting-sources chooses; empty leaves out every file, and inline settings still count",
    async () => {
      using place = openPlace({ ".codewright/settings.json": '{"permissions": {"deny": ["Read"]}}' })
      place.write(join(place.state, "settings.json"), '{"model": "sonnet"}')
      const argv = ["-p", "go", '--settings={"permissions":{"deny":["Grep"]}}']
      const none = await runCodewright({ place, argv: [...argv, "--setting-sources="], scenario: ["Done."] })
      expect(none).toMatchObject({ code: 0, stderr: "" })
      expect(bodyOf(none.requests[0]).model).toBe("claude-opus-5-5")
      expect(toolsIn(none.requests[0]).filter((name) => name === "Read" || name === "Grep")).toEqual(["Read"])
      const project = await runCodewright({
        place,
        argv: [...argv, "--setting-sources", "project"],
        scenario: ["Done."],
      })
      expect(bodyOf(project.requests[0]).model).toBe("claude-opus-5-5")
      expect(toolsIn(project.requests[0]).filter((name) => name === "Read" || name === "Grep")).toEqual([])
    },
  )

  test.concurrent("--no-session-persistence keeps nothing, --debug writes a log and names it", async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const run = await runCodewright({
      place,
      argv: ["-p", "look", "--no-session-persistence", "--debug", "--allowed-tools", "Bash(seq:*)"],
      env: { TMPDIR: place.home },
      scenario: [bash("seq 1 60000"), "Seen."],
    })
    expect(run).toMatchObject({ code: 0, stdout: "Seen.\n" })
    expect(existsSync(join(place.state, "projects"))).toBe(false)
    expect(readdirSync(place.home)).toEqual([])
    const path = /^Debug log: (.*\.log)\n$/.exec(run.stderr)?.[1] ?? ""
    expect(path).toStartWith(join(place.state, "logs"))
    const kinds = ["turn_start", "prompt", "request_start", "reply", "tool_start", "decision", "result", "turn_end"]
    expect(await kindsIn(path)).toEqual(expect.arrayContaining(kinds))
    expect(await kindsIn(path)).not.toContain("model_delta")
  })

  test.concurrent("--debug=filter writes only what is named", async () => {
    using place = openPlace()
    const run = await runCodewright({ place, argv: ["-p", "--debug=prompt,turn_end", "hello"], scenario: ["Hi."] })
    const path = /^Debug log: (.*)\n$/.exec(run.stderr)?.[1] ?? ""
    expect(await kindsIn(path)).toEqual(["prompt", "turn_end"])
  })
})

async function kindsIn(path: string): Promise<readonly string[]> {
  const lines = (await Bun.file(path).text()).trimEnd().split("\n")
  return lines.map((line) => line.split(" ")[1] ?? "")
}

test.concurrent("--profile-startup says where the time went, on standard error", async () => {
  const run = await runCodewright({ argv: ["-p", "hi", "--profile-startup"], scenario: ["Hello."] })
  expect(run).toMatchObject({ code: 0, stdout: "Hello.\n" })
  const [total = "", ...stages] = run.stderr.trim().split("\n")
  expect(stages.map((line) => line.replace(/^ +\d+ ms  /, ""))).toEqual([
    "program and prompt",
    "settings",
    "agents, servers and options",
    "conversation and model",
    "session",
  ])
  const took = stages.reduce((sum, line) => sum + Number.parseInt(line, 10), 0)
  expect(Math.abs(took - Number(/\d+/.exec(total)?.[0]))).toBeLessThanOrEqual(stages.length)
})
