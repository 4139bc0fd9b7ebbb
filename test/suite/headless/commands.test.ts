/** The commands beside the agent itself, and what is said to someone who is lost. */

import Anthropic from "@anthropic-ai/sdk"
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { commands } from "#faces/cli/commands.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { protocolVersion, version } from "#lib/version.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { spread } from "../../kit/runs.ts"

describe("help", () => {
  test.concurrent("is one screen: what is used most, and where the rest is, wherever it is asked for", async () => {
    const help = await runCodewright({ argv: ["--help"] })
    expect(help).toMatchObject({ code: 0, stderr: "" })
    const lines = help.stdout.trimEnd().split("\n")
    expect(lines.length).toBeLessThan(40)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    for (const { name } of commands) expect(help.stdout).toMatch(new RegExp(`[ ]${name}[ ,.]`))
    for (const wanted of ["--continue", "--resume", "--print", "--model", "codewright --help all", "codewright docs"])
      expect(help.stdout).toContain(wanted)
    for (const argv of [["help"], ["-h"], ["-p", "--verbos", "-h"]]) expect(await runCodewright({ argv })).toEqual(help)
  })

  test.concurrent("all: names every command and every flag, in groups", async () => {
    const help = await runCodewright({ argv: ["--help", "all"] })
    expect(help).toMatchObject({ code: 0, stderr: "" })
    expect(help.stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
    for (const { name } of commands) expect(help.stdout).toMatch(new RegExp(`^  ${name} `, "m"))
    for (const { name, also = [], hidden } of flags)
      for (const spelled of [`--${name}`, ...also])
        expect([spelled, new RegExp(` ${spelled}(?![\\w-])`).test(help.stdout)]).toEqual([
          spelled,
          hidden === undefined,
        ])
    for (const argv of [
      ["help", "all"],
      ["-h", "all"],
    ])
      expect(await runCodewright({ argv })).toEqual(help)
  })

  test.concurrent("every command has its own, which fits a terminal of eighty columns", async () => {
    const twoWays = spread(commands, 8).map(({ name }) => name)
    for (const { name } of commands) {
      const help = await runCodewright({ argv: [name, "--help"] })
      expect(help).toMatchObject({ code: 0, stderr: "" })
      expect(help.stdout).toStartWith(`Usage: codewright ${name}`)
      expect(help.stdout).toMatch(/^ {2}-h, --help +Show this help\.$/m)
      expect(help.stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
      if (twoWays.includes(name)) expect(await runCodewright({ argv: ["help", name] })).toEqual(help)
    }
    expect(await runCodewright({ argv: ["help", "sesions"] })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "error: Unknown command 'sesions'. Did you mean sessions?\n",
    })
  })

  test.concurrent("a slip in the name of a command is no prompt", async () => {
    const says = async (...argv: string[]) => (await runCodewright({ argv })).stderr
    expect(await says("doctr")).toBe(
      "error: Unknown command 'doctr'. Did you mean doctor? To send it as a prompt: codewright -- doctr\n",
    )
    expect(await says("sesions", "list")).toContain("Did you mean sessions?")
    expect(await says("sessions", "lst")).toEndWith("Did you mean list?\n")
    for (const prompt of [["--", "doctr"], ["replace", "it"], ["sim the city now"], ["Simplify"]])
      expect(await says(...prompt)).toStartWith("error: There is no terminal for a conversation.")
  })

  test.concurrent("--version, alone and among others", async () => {
    const said = { code: 0, stdout: `${version} (Codewright)\n`, stderr: "", requests: [] }
    for (const argv of [["-v"], ["-p", "x", "--version"]]) expect(await runCodewright({ argv })).toEqual(said)
    // An SDK wants to know which protocol it can speak.
    const asked = await runCodewright({ argv: ["-v"], env: { CLAUDE_CODE_ENTRYPOINT: "sdk-py" } })
    expect(asked.stdout).toBe(
      `${protocolVersion} (the protocol of Claude Code ${protocolVersion}, spoken by Codewright ${version})\n`,
    )
  })

  test.concurrent("without a terminal and without -p there is nothing to talk in", async () => {
    const says =
      'error: There is no terminal for a conversation. Use -p to answer one prompt: codewright -p "your prompt"\n'
    const lost = { code: 1, stdout: "", stderr: says, requests: [] }
    expect(await runCodewright({ argv: [], stdin: "hello" })).toEqual(lost)
  })
})

describe("config", () => {
  const open = () => {
    const place = openPlace({
      ".codewright/settings.json": '{\n  "permissions": { "deny": ["Bash(rm:*)"], "allow": ["Edit"] }\n}',
    })
    place.write(join(place.state, "settings.json"), '{"permissions": {"deny": ["WebFetch"]}, "model": "haiku"}')
    return place
  }

  test.concurrent("list, get and explain say each value and where it came from", async () => {
    using place = open()
    const config = async (...argv: string[]) => {
      const run = await runCodewright({ place, argv: ["config", ...argv] })
      expect(run).toMatchObject({ code: 0, requests: [] })
      expect(run.stderr).toStartWith("This folder is not trusted, so these settings were left out: permissions.allow ")
      return run.stdout
    }
    const project = join(place.work, ".codewright/settings.json")
    const user = join(place.state, "settings.json")
    expect(await config("list")).toBe(
      [
        "cleanupPeriodDays = 30  (default)",
        "includeCoAuthoredBy = true  (default)",
        'model = "haiku"  (user settings)',
        "permissions.additionalDirectories = []  (default)",
        "permissions.allow = []  (default)",
        "permissions.ask = []  (default)",
        'permissions.defaultMode = "default"  (default)',
        'permissions.deny = ["Bash(rm:*)","WebFetch"]  (project settings, user settings, default)',
        "",
      ].join("\n"),
    )
    expect(await config("get", "model")).toBe("haiku\n")
    expect(await config("explain", "permissions.deny")).toBe(
      'permissions.deny = ["Bash(rm:*)","WebFetch"]  (project settings, user settings, default)\n' +
        `  ["Bash(rm:*)"] from project settings, ${project}:2:28\n` +
        `  ["WebFetch"] from user settings, ${user}:1:26\n` +
        "  [] from default\n",
    )
    expect(JSON.parse(await config("explain", "model", "--json"))).toEqual({
      key: "model",
      value: "haiku",
      from: [{ source: "user settings", file: user, at: { line: 1, column: 50 }, value: "haiku" }],
    })
  })

  test.concurrent("what is not there, not a verb, or broken", async () => {
    using place = openPlace()
    const says = async (...argv: string[]) => {
      const run = await runCodewright({ place, argv: ["config", ...argv] })
      expect(run).toMatchObject({ code: 1, stdout: "" })
      return run.stderr
    }
    expect(await says("get", "nothing.like.it")).toBe(
      "error: No value for 'nothing.like.it'. List what is set with: codewright config list\n",
    )
    expect(await says("explain", "them")).toBe("error: No value for 'them'; did you mean 'theme'?\n")
    expect(await says("get", "theme")).toBe(
      "error: 'theme' is not set. List what is set with: codewright config list\n",
    )
    expect(await says("set", "theme", "purple")).toStartWith("error: There is no theme 'purple'. Choose one of dark, ")
    expect(await says("set", "permissions.allow", "Edit")).toEndWith(
      "To add one rule: codewright permissions add allow <rule>\n",
    )
    expect(await says("frobnicate")).toStartWith("error: config takes list, get <key>, explain <key>")
    expect(await says("set", "modle", "x")).toContain('There is no setting "modle"; did you mean "model"?')
    expect(await says("set", "cleanupPeriodDays", "soon")).toContain('"cleanupPeriodDays" must be')
    expect(await says("set", "model.name", "x", "--to", "nowhere")).toBe(
      "error: --to takes local, project or user, not 'nowhere'.\n",
    )
    expect(await says("set", "model")).toStartWith("error: config takes list")
    place.write(join(place.state, "settings.json"), "{")
    expect(await says("set", "model", "x")).toContain("Fix it first.")
    expect(await says("list")).toStartWith(`error: ${join(place.state, "settings.json")}:1:2: `)
  })
})

test.concurrent("config set changes one value, and every other byte stays", async () => {
  using place = openPlace()
  const file = join(place.state, "settings.json")
  place.write(file, '{\n  // mine\n  "model": "haiku", "env": {}\n}\n')
  const set = async (...argv: string[]) => {
    const run = await runCodewright({ place, argv: ["config", "set", ...argv] })
    expect(run).toMatchObject({ code: 0, stderr: "" })
  }
  await set("model", "opus")
  await set("permissions.defaultMode", "plan")
  await set("cleanupPeriodDays", "7")
  expect(readFileSync(file, "utf8")).toBe(
    '{\n  // mine\n  "model": "opus", "env": {},\n  "permissions": { "defaultMode": "plan" },\n  "cleanupPeriodDays": 7\n}\n',
  )
})

test.concurrent("trust: from then on the folder's settings count", async () => {
  using place = openPlace({ ".claude/settings.json": '{"model": "haiku"}' })
  const before = await runCodewright({ place, argv: ["config", "get", "model"] })
  expect(before).toMatchObject({ code: 1, stdout: "" })
  expect(await runCodewright({ place, argv: ["trust", "."] })).toMatchObject({
    code: 0,
    stdout: `Trusted: ${place.work}\n`,
    stderr: "",
  })
  const after = await runCodewright({ place, argv: ["config", "get", "model"] })
  expect(after).toMatchObject({ code: 0, stdout: "haiku\n", stderr: "" })
  const gone = await runCodewright({ place, argv: ["trust", "gone"] })
  expect(gone).toMatchObject({ code: 1, stdout: "" })
  expect(gone.stderr).toStartWith("error: gone does not exist")
})

test.concurrent("sim alone serves the official client, from a scenario in a file", async () => {
  using place = openPlace({ "s.yaml": "replies:\n  - content: Good day from a file.\n    times: always\n" })
  const run = await runCodewright({
    place,
    argv: ["sim", "--scenario", "s.yaml", "--port", "0"],
    during: async ({ shows, output, kill }) => {
      await shows("Use it with:")
      const baseURL = /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0] ?? ""
      const client = new Anthropic({ baseURL, apiKey: "any", maxRetries: 0 })
      const ask = { model: "claude-opus-5-5", max_tokens: 100, messages: [{ role: "user" as const, content: "hello" }] }
      const whole = await client.messages.create(ask)
      expect(whole.content).toMatchObject([{ type: "text", text: "Good day from a file." }])
      expect(await client.messages.stream(ask).finalText()).toBe("Good day from a file.")
      kill("SIGTERM")
    },
  })
  expect(run).toMatchObject({ code: 143, stderr: "" })
})

test.concurrent("demo without a terminal mends a copy of the sample", async () => {
  using place = openPlace()
  const run = await runCodewright({ place, argv: ["demo"], env: { TMPDIR: place.path, ANTHROPIC_API_KEY: undefined } })
  expect(run).toMatchObject({ code: 0, requests: [] })
  const folder = /^Copied a sample repository with a failing test to (.*)$/m.exec(run.stdout)?.[1] ?? ""
  expect(folder).toStartWith(place.path)
  expect(run.stdout).toContain("Task: Fix the failing test\n")
  expect(run.stdout).toMatch(/All \d+ tests pass now\./)
  expect(run.stderr).toContain("* Edit ")
  expect(run.stderr).not.toContain("\n\n\n")
  const tests = Bun.spawn(["node", "--test"], { cwd: folder, stdout: "ignore", stderr: "ignore" })
  expect(await tests.exited).toBe(0)
  const extra = await runCodewright({ place, argv: ["demo", "now"] })
  expect(extra).toMatchObject({ code: 1, stdout: "", stderr: "error: demo takes no arguments, but got 'now'.\n" })
  expect(existsSync(join(folder, "package.json"))).toBe(true)
})
