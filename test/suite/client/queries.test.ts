/** What a client may ask and change while a session is open: rules, context, files, settings. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { symlinkSync, statSync, writeFileSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, edit, says } from "../../kit/script.ts"

setDefaultTimeout(60_000)

test("the rules in force are listed with where they come from, grants included", async () => {
  await using t = await openTestSession({ script: [], allow: ["Bash(ls:*)"], deny: ["Read(./secret)"] })
  await t.session.submit({ type: "add_rule", behavior: "ask", rule: "Bash(rm:*)", destination: "session" })
  await t.session.submit({ type: "add_rule", behavior: "allow", rule: "Bash(pwd)", destination: "session" })
  expect(await t.ask({ type: "rules" })).toEqual([
    { rule: "Bash(ls:*)", behavior: "allow", source: "command line" },
    { rule: "Read(./secret)", behavior: "deny", source: "command line" },
    { rule: "Bash(rm:*)", behavior: "ask", source: "session" },
    { rule: "Bash(pwd)", behavior: "allow", source: "session" },
  ])
})

test("the context is told part by part: tools, memory files and agents", async () => {
  await using t = await openTestSession({ files: { "AGENTS.md": "Always be brief.\n" }, script: [says("ok")] })
  await t.prompt("hello")
  const { tools, memory, agents } = await t.ask({ type: "context_details" })
  expect(tools.find(({ name }) => name === "Read")?.tokens).toBeGreaterThan(20)
  expect(memory).toEqual([{ path: t.path("AGENTS.md"), tokens: 5 }])
  expect(agents.find(({ type }) => type === "general-purpose")).toMatchObject({ source: "built-in" })
})

test("a file of the workspace is read; one outside, one hidden by a rule and one that is no text are not", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "hello\n", secret: "key\n", "../outside.txt": "no\n", binary: "\u0000\u0001\u0002" },
    script: [],
    deny: ["Read(./secret)"],
  })
  symlinkSync(t.path("../outside.txt"), t.path("link.txt"))
  const read = (path: string) => t.ask({ type: "read_file", path })
  expect(await read("a.txt")).toEqual({ ok: true, value: { path: t.path("a.txt"), text: "hello\n" } })
  expect(await read("../outside.txt")).toEqual({ ok: false, failure: "../outside.txt is not in the workspace." })
  expect(await read("link.txt")).toEqual({ ok: false, failure: "link.txt is not in the workspace." })
  expect(await read("secret")).toEqual({ ok: false, failure: "secret may not be read: a permission rule denies it." })
  expect(await read("binary")).toEqual({ ok: false, failure: "binary is not text." })
  expect((await read("missing.txt")).ok).toBe(false)
})

test("a file that the client vouches for may be edited without reading it again, unless it changed since", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "one\n", "b.txt": "one\n" },
    script: [calls(edit("a.txt", "one", "two")), calls(edit("b.txt", "one", "two")), says("Done.")],
  })
  const now = statSync(t.path("a.txt")).mtimeMs
  expect(await t.session.submit({ type: "seed_read", path: "a.txt", readAt: now })).toMatchObject({ ok: true })
  writeFileSync(t.path("b.txt"), "one more\n")
  expect(await t.session.submit({ type: "seed_read", path: "b.txt", readAt: now - 1_000 })).toEqual({
    ok: false,
    failure: { kind: "file", message: "b.txt has changed since then, so it must be read again." },
  })
  await t.prompt("go")
  expect(t.read("a.txt")).toBe("two\n")
  expect(t.results().map(({ isError }) => isError)).toEqual([false, true])
})

test("settings are applied as far as they can change; others are named, refused ones with the reason", async () => {
  await using t = await openTestSession({
    script: [],
    model: { resolve: (name) => (name === "big" ? "claude-opus-5" : name) },
  })
  const done = await t.ask({
    type: "apply_settings",
    settings: {
      model: "big",
      effortLevel: "high",
      permissions: { deny: ["Bash(rm:*)"], defaultMode: "bypassPermissions", allow: "Bash" },
      hooks: {},
      nonsense: 1,
    },
  })
  expect(done).toEqual({
    ignored: ["permissions.allow", "hooks", "nonsense"],
    failures: ["Bypass mode must be enabled at start: --allow-dangerously-skip-permissions."],
  })
  expect(await t.ask({ type: "state" })).toMatchObject({ model: "claude-opus-5", mode: "acceptEdits" })
  expect((await t.ask({ type: "thinking" })).chosen).toMatchObject({ effort: "high" })
  expect(await t.ask({ type: "rules" })).toContainEqual({ rule: "Bash(rm:*)", behavior: "deny", source: "session" })
})
