/** What plugins do in a session beyond their parts: variables, settings, language servers, and when they are left out. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { findPlugins } from "#faces/cli/extensions/plugins.ts"
import { setEnabled } from "#faces/cli/plugins/enabling.ts"
import { installStaged } from "#faces/cli/plugins/install.ts"
import { fetchMarketplace, updateMarketplace } from "#faces/cli/plugins/marketplaces.ts"
import { drop, stage } from "#faces/cli/plugins/stage.ts"
import { contextOf, settingOf, valueOf, writeAll, writeMarket } from "../../kit/plugins/market.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"

const manifest = { name: "helper", version: "1.0.0" }

async function install(place: Place, files: Parameters<typeof writeAll>[1]): Promise<void> {
  const context = await contextOf(place)
  valueOf(
    await fetchMarketplace(context, {
      kind: "folder",
      path: writeMarket(place, [{ name: "helper", about: "", files, becomes: {} }]),
    }),
  )
  const staged = valueOf(await stage(context, "helper"))
  valueOf(installStaged(context, staged, "approved"))
  valueOf(setEnabled(context.setting, staged.id, "user", true))
  await context.close()
}

test("texts know where the plugin is and where it may keep something, and an agent of its settings speaks", async () => {
  using place = openPlace()
  await install(place, {
    ".claude-plugin/plugin.json": manifest,
    "settings.json": { agent: "pirate" },
    "agents/pirate.md":
      "---\nname: pirate\ndescription: Sails\n---\nYou sail from ${CODEWRIGHT_PLUGIN_ROOT} to ${CLAUDE_PLUGIN_DATA}.",
    "commands/go.md": "Go from ${CLAUDE_PLUGIN_ROOT} to ${CODEWRIGHT_PLUGIN_DATA}.",
  })
  const run = await runCodewright({ argv: ["-p", "/helper:go"], place, scenario: ["Done."] })
  const root = `${place.state}/plugins/installed/helper@shapes/`
  const sent = JSON.stringify(run.requests[0]?.body)
  expect(sent).toMatch(new RegExp(`You sail from ${root}[0-9a-f]{24} to ${place.state}/plugins/data/helper\\.`))
  expect(sent).toMatch(new RegExp(`Go from ${root}[0-9a-f]{24} to ${place.state}/plugins/data/helper\\.`))
})

test("language servers are handed on as written, with their variables", async () => {
  using place = openPlace()
  const go = { command: "${CLAUDE_PLUGIN_ROOT}/gopls", extensionToLanguage: { ".go": "go" } }
  await install(place, { ".claude-plugin/plugin.json": manifest, ".lsp.json": { go } })
  const { languageServers } = await findPlugins({ list: () => [] }, await settingOf(place))
  expect(languageServers).toEqual([
    {
      plugin: "helper",
      root: expect.any(String),
      name: "go",
      value: go,
      variables: expect.objectContaining({ CLAUDE_PLUGIN_DATA: join(place.state, "plugins/data/helper") }),
    },
  ])
})

test("safe mode, bare runs and other setting sources leave installed plugins out", async () => {
  using place = openPlace()
  const mark = join(place.path, "ran")
  const hooks = { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `touch ${mark}` }] }] } }
  await install(place, { ".claude-plugin/plugin.json": manifest, "hooks/hooks.json": hooks })
  for (const flags of [
    ["--safe-mode"],
    ["--bare"],
    ["--setting-sources", "project"],
    ["--settings", '{"disableAllHooks":true}'],
  ]) {
    const run = await runCodewright({ argv: ["-p", "go", ...flags], place, scenario: ["Done."] })
    expect({ flags, code: run.code, ran: existsSync(mark) }).toEqual({ flags, code: 0, ran: false })
  }
  await runCodewright({ argv: ["-p", "go"], place, scenario: ["Done."] })
  expect(existsSync(mark)).toBe(true)
})

test("repositories by branch, tag, commit and folder; a marketplace's plugins are of the commit that its list is from", async () => {
  using place = openPlace()
  const root = join(place.path, "repository")
  const git = (...argv: readonly string[]): string =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd: root })
      .stdout.toString()
      .trim()
  const commit = (version: string): string => {
    writeAll(root, {
      ".claude-plugin/marketplace.json": { name: "m", plugins: [{ name: "helper", source: "./tools/helper" }] },
      "tools/helper/.claude-plugin/plugin.json": { name: "helper", version },
    })
    if (!existsSync(join(root, ".git"))) git("init", "-q", "-b", "main", ".")
    git("add", "-A")
    git("commit", "-qm", version)
    return git("rev-parse", "HEAD")
  }
  const first = commit("1.0.0")
  git("tag", "v1")
  const context = await contextOf(place)
  valueOf(await fetchMarketplace(context, { kind: "git", url: `file://${root}` }))
  const second = commit("2.0.0")
  const versionOf = async (text: string): Promise<string> => {
    const staged = valueOf(await stage(context, text))
    drop(staged)
    return `${staged.view.plugin.version} ${staged.pin.commit}`
  }
  expect(await versionOf(`file://${root}#main:tools/helper`)).toBe(`2.0.0 ${second}`)
  expect(await versionOf(`file://${root}#v1:tools/helper`)).toBe(`1.0.0 ${first}`)
  expect(await versionOf(`file://${root}#${first}:tools/helper`)).toBe(`1.0.0 ${first}`)
  expect(await versionOf("helper@m")).toBe(`1.0.0 ${first}`)
  valueOf(await updateMarketplace(context, "m"))
  expect(await versionOf("helper@m")).toBe(`2.0.0 ${second}`)
  expect(await stage(context, `file://${root}#nowhere`)).toMatchObject({ ok: false })
  await context.close()
})

test("offline, nothing is fetched", async () => {
  using place = openPlace()
  writeAll(place.state, { "settings.json": { offline: true } })
  for (const source of ["acme/tools", "git@example.com:a/b.git", "https://example.com/a.zip", "npm:tools"]) {
    const run = await runCodewright({ argv: ["plugin", "install", source], place })
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("is not contacted") })
  }
})
