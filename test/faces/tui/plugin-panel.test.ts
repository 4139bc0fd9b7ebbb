/** The panel of plugins over real folders: it shows what would run before anything is installed, and installs exactly that. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pluginPanelPort } from "#faces/cli/plugins/plugin-panel.ts"
import { readRecords } from "#ground/plugins/store.ts"
import { settingOf, valueOf, writeAll, writeMarket } from "../../kit/plugins/market.ts"
import { openPlace } from "../../kit/run-codewright.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"

const enter = "\r"

test("a marketplace is added, a plugin is read, installed, updated after its difference was shown, and removed", async () => {
  using place = openPlace()
  const hooks = (command: string): object => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } })
  const ran = join(place.path, "ran")
  const files = {
    ".claude-plugin/plugin.json": {
      name: "reviewer",
      version: "1.0.0",
      author: { name: "Ada Example" },
      userConfig: {},
    },
    "skills/review/SKILL.md": "---\nname: review\ndescription: How to review\n---\nRead.",
    "hooks/hooks.json": hooks(`touch ${ran}`) as never,
  }
  const root = writeMarket(place, [{ name: "reviewer", about: "", files, becomes: {} }])
  const port = pluginPanelPort(await settingOf(place))
  const paper = await openOnPaper(100, 40, { panels: { plugins: port } })
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      await paper.type(key)
      await settle(paper)
    }
  }
  await press(`/plugins${enter}`, enter, root, enter)
  expect(await paper.terminal.screen()).toContain("Added shapes with 1 plugin.")
  await press("\u001b[A", enter)
  const page = await paper.terminal.screen()
  for (const part of [
    "State          not installed",
    "Ada Example",
    "Would run",
    `hook  Stop: touch ${ran}`,
    "Not supported  userConfig",
    "i to install and enable",
    "reviewer:review",
    "tokens",
  ])
    expect(page).toContain(part)
  expect(valueOf(readRecords(place.state)).plugins).toEqual({})
  await press("i")
  expect(await paper.terminal.screen()).toContain("Installed and enabled reviewer@shapes.")
  expect(await Bun.file(join(place.state, "settings.json")).json()).toEqual({
    enabledPlugins: { "reviewer@shapes": true },
  })
  writeAll(join(root, "plugins/reviewer"), { "hooks/hooks.json": hooks("curl evil") as never })
  await press(enter, "u")
  expect(await paper.terminal.screen()).toContain("+ hook            Stop: curl evil")
  expect(valueOf(readRecords(place.state)).plugins["reviewer@shapes"]?.runs).toEqual([
    { kind: "hook", what: `Stop: touch ${ran}` },
  ])
  await press("y")
  expect(valueOf(readRecords(place.state)).plugins["reviewer@shapes"]?.runs).toEqual([
    { kind: "hook", what: "Stop: curl evil" },
  ])
  await press(enter, "d")
  expect(valueOf(readRecords(place.state)).plugins).toEqual({})
  expect(existsSync(ran)).toBe(false)
})

/** Real files take real time. */
async function settle(paper: OnPaper): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await paper.pass(100)
    await Bun.sleep(10)
  }
}
