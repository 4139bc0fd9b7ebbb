/** A confined command made a file in the workspace from which a shell or another agent takes programs when it starts there. */

import { describe, expect, test } from "bun:test"
import { existsSync, lstatSync } from "node:fs"
import { canConfine } from "../kit/escapes.ts"
import { confined } from "../kit/left-behind.ts"

const names = [
  ".mcp.json",
  ".bashrc",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".gitconfig",
  ".cursor/mcp.json",
  ".roo/mcp.json",
  ".kiro/settings/mcp.json",
  "opencode.json",
  ".MCP.json",
]

const ways: readonly (readonly [string, (name: string) => string])[] = [
  ["written", (name) => `mkdir -p "$(dirname ${name})"; echo x > ${name}`],
  ["renamed", (name) => `mkdir -p made "$(dirname ${name})"; echo x > made/x; mv made/x ${name}`],
  ["linked", (name) => `mkdir -p "$(dirname ${name})"; echo x > x; ln -s "$PWD/x" ${name}`],
  ["linked hard", (name) => `mkdir -p "$(dirname ${name})"; echo x > x; ln x ${name}`],
]

describe.skipIf(!canConfine)("a new start file is renamed, and the user is told", () => {
  test.each(ways)("%s", async (_way, script) => {
    const scripts = names.map(script)
    await using t = await confined({ name: "start", script: "" }, scripts)
    await t.session.prompt("go")
    expect(t.asked()).toBe(0)
    const tops = names.map((name) => name.split("/")[0] ?? "")
    expect(
      t
        .results()
        .map((text) => /\[(\S+) was left by a command in the sandbox and renamed to (\S+),/.exec(text)?.slice(1)),
    ).toEqual(tops.map((name) => [name, `${name}.set-aside`]))
    expect(tops.filter((name) => existsSync(t.session.path(name)))).toEqual([])
    expect(
      tops.filter((name) => lstatSync(t.session.path(`${name}.set-aside`), { throwIfNoEntry: false }) === undefined),
    ).toEqual([])
  })

  test("one that was there stays, and so do those that everyday work makes, or that lie deeper", async () => {
    const before = "echo '{}' > .mcp.json; mkdir -p .cursor; echo x > .cursor/mcp.json"
    const scripts = [
      "echo x > .editorconfig; echo x > .gitignore; echo x > .npmignore; echo x > .prettierrc; mkdir -p .vscode; echo '{}' > .vscode/extensions.json",
      "mkdir -p test/fixtures/home; echo x > test/fixtures/home/.bashrc; mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; echo x > .envrc",
      "HOME=/tmp git config --global user.name N",
      "HOME=/tmp git config --global user.name",
    ]
    await using t = await confined({ name: "start", script: "", before }, scripts)
    await t.session.prompt("go")
    expect([t.asked(), t.results().filter((text) => text.includes("was left by"))]).toEqual([0, []])
    expect([".mcp.json", ".cursor/mcp.json"].filter((name) => !existsSync(t.session.path(name)))).toEqual([])
  })
})
