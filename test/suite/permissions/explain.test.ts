/** `codewright permissions` through the whole program: what is asked of it, and what it changes. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync } from "node:fs"
import { join } from "node:path"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"

test.concurrent("cases are answered line by line, in order, and a bad line only spoils itself", async () => {
  using place = openPlace({ "a.txt": "one\n" })
  const cwd = place.work
  const cases = [
    { id: 1, mode: "default", rules: {}, tool: "Bash", input: { command: "cat a.txt" }, cwd },
    { mode: "default", tool: "Bash", input: { command: "touch ran" }, cwd },
    "no case",
    { id: "x", mode: "never", tool: "Bash", input: {}, cwd },
    {
      id: "d",
      mode: "bypassPermissions",
      rules: { allow: ["Bash"], deny: ["Bash(touch:*)"] },
      tool: "Bash",
      input: { command: "ls; touch ran" },
      cwd,
    },
    {
      id: "h",
      mode: "default",
      rules: { allow: ["Read(~/n.txt)"] },
      tool: "Read",
      input: { file_path: "~/n.txt" },
      cwd,
    },
    {
      id: "r",
      tool: "WebFetch",
      rules: { allow: ["WebFetch"] },
      input: { url: "https://a.example", resolved: ["::1"] },
      cwd,
    },
  ]
  const stdin = `${cases.map((each) => JSON.stringify(each)).join("\n")}\n{"id": 9,\n\n`
  const run = await runCodewright({ place, argv: ["permissions", "explain", "--json"], stdin })
  expect(run).toMatchObject({ code: 0, stderr: "", requests: [] })
  // Whoever only looks at the behaviour must not take a broken line for one that may pass.
  const refused = {
    behavior: "deny",
    reason: { kind: "tool_check", check: expect.any(String) },
    trace: expect.any(Array),
  }
  expect(linesOf(run.stdout)).toEqual([
    { id: 1, behavior: "allow", reason: { kind: "read_only" }, trace: expect.any(Array) },
    { behavior: "ask", reason: { kind: "default" }, trace: expect.any(Array) },
    { ...refused, error: expect.any(String) },
    { ...refused, id: "x", error: expect.stringContaining("mode") },
    {
      id: "d",
      behavior: "deny",
      reason: { kind: "rule", rule: "Bash(touch:*)", source: "session" },
      trace: expect.any(Array),
    },
    {
      id: "h",
      behavior: "allow",
      reason: { kind: "rule", rule: "Read(~/n.txt)", source: "session" },
      trace: expect.any(Array),
    },
    {
      id: "r",
      behavior: "deny",
      reason: { kind: "tool_check", check: expect.stringContaining("::1") },
      trace: expect.any(Array),
    },
    { ...refused, error: expect.any(String) },
  ])
  expect(existsSync(join(cwd, "ran"))).toBe(false)
})

test.concurrent("rules are added, listed, explained and removed", async () => {
  using place = openPlace()
  const run = (...argv: readonly string[]) => runCodewright({ place, argv: ["permissions", ...argv] })
  expect(await run("add", "deny", "Bash(rm:*)", "--to", "user")).toMatchObject({ code: 0, stderr: "" })
  expect(await run("add", "allow", "Bash(npm test)")).toMatchObject({ code: 0 })
  expect(JSON.parse(await place.read(".codewright/settings.local.json"))).toEqual({
    permissions: { allow: ["Bash(npm test)"] },
  })
  const listed = await run("list")
  expect(listed.stdout).toContain("deny  Bash(rm:*)  (user settings, ")
  // The folder is not trusted, so its own allow rules do not count, and that is said.
  expect(listed.stdout).not.toContain("npm test")
  expect(listed.stderr).toContain("permissions.allow")
  const explained = await run("explain", "Bash", "ls && rm x")
  expect(explained.stdout).toStartWith("Deny: The rule Bash(rm:*) (user settings) denies it")
  const asJson = await run("explain", "--json", "--mode", "plan", "Edit", "a.txt")
  expect(JSON.parse(asJson.stdout)).toMatchObject({ behavior: "deny", reason: { kind: "mode", mode: "plan" } })
  expect(await run("remove", "deny", "Bash(rm:*)", "--to", "user")).toMatchObject({ code: 0 })
  expect((await run("list")).stdout).toBe("No rules.\n")
  expect(await run("remove", "deny", "Bash(rm:*)", "--to", "user")).toMatchObject({ code: 1 })
  expect(await run("add", "deny", "Bash(rm")).toMatchObject({ code: 1 })
  expect(await run("nonsense")).toMatchObject({ code: 1, stdout: "" })
})

test.concurrent("what a trusted project runs since it changed is left out again, and named", async () => {
  const settings = (command: string): string =>
    JSON.stringify({ env: { GREETING: command }, permissions: { allow: ["Bash(env)"] } })
  using place = openPlace({ ".claude/settings.json": settings("one") })
  const script = {
    place,
    argv: ["-p", "go"],
    scenario: [{ content: [{ tool: "Bash", input: { command: "env" } }] }, "Done."],
  }
  expect(await runCodewright({ place, argv: ["trust"] })).toMatchObject({ code: 0 })
  const before = await runCodewright(script)
  expect(before.stderr).toBe("")
  expect(JSON.stringify(before.requests[1]?.body)).toContain("GREETING=one")
  place.write(".claude/settings.json", settings("two"))
  const after = await runCodewright(script)
  expect(after.stderr).toContain(
    "New or changed since you trusted this folder, so left out: env.GREETING (.claude/settings.json)",
  )
  expect(JSON.stringify(after.requests[1]?.body)).not.toContain("GREETING")
  expect(JSON.stringify(after.requests[1]?.body)).toContain("PATH=")
})

test.concurrent("a line that cannot be read allows nothing, and every line has its answer in order", async () => {
  using place = openPlace()
  const cwd = place.work
  const ls = { tool: "Bash", input: { command: "ls" }, cwd }
  const lines = [
    JSON.stringify({ id: 0, ...ls }),
    "null",
    "[]",
    "{}",
    `${"[".repeat(20_000)}`,
    JSON.stringify({ id: 5, ...ls, cwd: "/a\0b" }),
    JSON.stringify({ id: 6, ...ls, rules: { allow: "Bash" } }),
    JSON.stringify({ id: 7, ...ls, input: [] }),
    JSON.stringify({ id: 8, tool: "Read", input: { file_path: "a/".repeat(20_000) }, cwd }),
    JSON.stringify({ id: 9, tool: "WebFetch", input: { url: "https://a.example", resolved: [1] }, cwd }),
    JSON.stringify({ id: 10, ...ls, rules: null }),
  ]
  const run = await runCodewright({ place, argv: ["permissions", "explain", "--json"], stdin: lines.join("\n") })
  expect(run).toMatchObject({ code: 0, stderr: "" })
  expect(linesOf(run.stdout).map((line) => (line as { behavior?: string }).behavior)).toEqual([
    "allow",
    ...Array.from({ length: 9 }, () => "deny"),
    "allow",
  ])
})

test.concurrent("programs are looked for on the PATH of whoever asks", async () => {
  using place = openPlace({ "shims/node": "#!/bin/sh\nexec asdf exec node\n", "a.txt": "a\n" })
  chmodSync(join(place.work, "shims/node"), 0o755)
  const cwd = join(place.work, "project")
  const explain = async (PATH: string): Promise<readonly unknown[]> => {
    const cases = ["node --version", "ls"].map((command) => JSON.stringify({ tool: "Bash", input: { command }, cwd }))
    const argv = ["permissions", "explain", "--json"]
    return linesOf((await runCodewright({ place, argv, stdin: cases.join("\n"), env: { PATH } })).stdout)
  }
  const usual = process.env["PATH"] ?? ""
  expect(await explain(`${join(place.work, "shims")}:${usual}`)).toMatchObject([
    { behavior: "ask" },
    { behavior: "allow" },
  ])
})
