/** What a client may ask and change while a session is open: rules, context, files, settings. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { symlinkSync, statSync, writeFileSync } from "node:fs"
import type { JsonObject } from "#lib/json.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, edit, says } from "../../kit/script.ts"

setDefaultTimeout(300_000)

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

test("a file of the workspace is read; one outside and one hidden by a rule are not", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "hello\n", secret: "key\n", "../outside.txt": "no\n", binary: "" },
    script: [],
    deny: ["Read(./secret)"],
  })
  symlinkSync(t.path("../outside.txt"), t.path("link.txt"))
  const read = (path: string) => t.ask({ type: "read_file", path })
  expect(await read("a.txt")).toEqual({
    ok: true,
    value: { path: t.path("a.txt"), text: "hello\n", isCut: false, isLossy: false },
  })
  expect(await t.ask({ type: "read_file", path: "a.txt", most: 2, as: "base64" })).toMatchObject({
    value: { text: "aGU=", isCut: true, isLossy: false },
  })
  expect(await read("../outside.txt")).toEqual({ ok: false, failure: "../outside.txt is not in the workspace." })
  expect(await read("link.txt")).toEqual({ ok: false, failure: "link.txt is not in the workspace." })
  expect(await read("secret")).toEqual({ ok: false, failure: "secret may not be read: a permission rule denies it." })
  writeFileSync(t.path("binary"), new Uint8Array([0x61, 0xff, 0x62]))
  expect(await read("binary")).toMatchObject({ value: { text: "a\ufffdb", isLossy: true } })
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
      permissions: { deny: ["Bash(rm:*)"], defaultMode: "bypassPermissions" },
      hooks: {},
      nonsense: 1,
    },
  })
  expect(done).toEqual({
    ignored: ["hooks", "nonsense"],
    failures: ["Bypass mode must be enabled at start: --allow-dangerously-skip-permissions."],
  })
  expect(await t.ask({ type: "state" })).toMatchObject({ model: "claude-opus-5", mode: "acceptEdits" })
  expect((await t.ask({ type: "thinking" })).chosen).toMatchObject({ effort: "high" })
  const ours = async () => (await t.ask({ type: "rules" })).filter(({ source }) => source === "session")
  expect(await ours()).toEqual([{ rule: "Bash(rm:*)", behavior: "deny", source: "session" }])

  const apply = (settings: JsonObject) => t.ask({ type: "apply_settings", settings })
  // A value of the wrong kind: nothing of the call counts.
  expect(await apply({ model: "other", permissions: { deny: "Bash" } })).toMatchObject({ ignored: [] })
  expect(await t.ask({ type: "state" })).toMatchObject({ model: "claude-opus-5" })
  // A key replaces what was said for it before, and null takes it back.
  await apply({ permissions: { ask: ["Bash(ls)"] }, alwaysThinkingEnabled: false })
  expect(await ours()).toEqual([{ rule: "Bash(ls)", behavior: "ask", source: "session" }])
  expect((await t.ask({ type: "thinking" })).chosen).toMatchObject({ type: "off", effort: "high" })
  await apply({ permissions: null, effortLevel: null, alwaysThinkingEnabled: null })
  expect(await ours()).toEqual([])
  expect((await t.ask({ type: "thinking" })).chosen).toEqual({ type: "auto" })
})
