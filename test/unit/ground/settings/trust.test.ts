/** Trust is kept by real path, for that very folder, in a private file. */

import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { changedSinceTrust, isTrusted, trustFolder } from "#ground/settings/trust.ts"
import { systemClock } from "#lib/clock.ts"
import type { JsonValue } from "#lib/json.ts"
import { lastingFolder } from "../../../kit/tmp.ts"

const clock = { ...systemClock, now: () => 0 }

function folders(): { readonly state: string; readonly repo: string; readonly top: string } {
  const top = lastingFolder()
  mkdirSync(join(top, "repo/sub"), { recursive: true })
  return { top, state: join(top, "state"), repo: join(top, "repo") }
}

test("a folder is trusted once someone says so, by whatever name it is reached, and its neighbours are not", () => {
  const { top, state, repo } = folders()
  symlinkSync(repo, join(top, "link"))
  expect(isTrusted(state, repo)).toBe(false)
  expect(trustFolder({ state, folder: join(top, "link"), clock })).toEqual({ ok: true, value: repo })
  expect(
    [repo, join(top, "link"), join(repo, "sub"), top, join(top, "gone")].map((folder) => isTrusted(state, folder)),
  ).toEqual([true, true, false, false, false])
})

test("the file is private, whole, and keeps what it held", () => {
  const { top, state, repo } = folders()
  trustFolder({ state, folder: repo, clock })
  trustFolder({ state, folder: join(repo, "sub"), clock })
  expect(JSON.parse(readFileSync(join(state, "trust.json"), "utf8"))).toEqual({
    version: 1,
    folders: {
      [repo]: { at: "1970-01-01T00:00:00.000Z", runs: {} },
      [join(repo, "sub")]: { at: "1970-01-01T00:00:00.000Z", runs: {} },
    },
  })
  expect(statSync(state).mode & 0o777).toBe(0o700)
  expect(statSync(join(state, "trust.json")).mode & 0o777).toBe(0o600)
  expect(readdirSync(state)).toEqual(["trust.json"])
  expect(readdirSync(top).sort()).toEqual(["repo", "state"])
})

test("a broken file trusts nothing and is not written over", () => {
  const { state, repo } = folders()
  mkdirSync(state)
  writeFileSync(join(state, "trust.json"), "{")
  expect(isTrusted(state, repo)).toBe(false)
  const result = trustFolder({ state, folder: repo, clock })
  expect(result.ok ? "" : result.failure).toContain("is not a list of trusted folders")
  expect(readFileSync(join(state, "trust.json"), "utf8")).toBe("{")
})

test("a folder that does not exist cannot be trusted", () => {
  const { state, top } = folders()
  expect(trustFolder({ state, folder: join(top, "gone"), clock }).ok).toBe(false)
})

test("what a project would run counts as trusted only as it was then; what only tightens or looks does not matter", () => {
  const { state, repo } = folders()
  const settings = join(repo, ".claude/settings.json")
  mkdirSync(join(repo, ".claude"))
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "make check" }] }] }
  writeFileSync(settings, JSON.stringify({ hooks, env: { A: "1", B: "2" } }))
  writeFileSync(join(repo, ".mcp.json"), JSON.stringify({ mcpServers: { a: { command: "a" } } }))
  expect(changedSinceTrust(state, repo)).toBeUndefined()
  trustFolder({ state, folder: repo, clock })
  const changed = changedSinceTrust(state, repo)
  const table: readonly (readonly [file: string, key: string, value: JsonValue, changed: boolean])[] = [
    [settings, "hooks", hooks, false],
    [settings, "env", { B: "2", A: "1" }, false],
    [settings, "env", { A: "1" }, true],
    [settings, "hooks", { Stop: [{ hooks: [{ type: "command", command: "make checks" }] }] }, true],
    [settings, "statusLine", { type: "command", command: "x" }, true],
    [settings, "permissions", { allow: ["Bash"] }, false],
    [settings, "model", "x", false],
    [join(repo, ".codewright/settings.json"), "hooks", hooks, true],
    [join(repo, ".mcp.json"), "mcpServers", { a: { command: "a" } }, false],
    [join(repo, ".mcp.json"), "mcpServers", { a: { command: "b" } }, true],
  ]
  for (const [file, key, value, expected] of table)
    expect([file, key, changed?.(file, key, value)]).toEqual([file, key, expected])
})
