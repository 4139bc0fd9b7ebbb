/** A command of several lines was its first line in the lists, one line full of marks where several are decided together, and nothing at all once it had run. */

import { describe, expect, test } from "bun:test"
import { called, ended, prompt } from "../kit/web/lines.ts"
import { hasBrowser } from "../kit/web/browser.ts"
import { openPageStories } from "../kit/web/page-stories.ts"
import { seed } from "../kit/web/seeds.ts"

const { server, signedIn, go, card, waitingCommand } = openPageStories()

const command = "set -eu\nfor each in a b; do\n\trm -r $each\u200b\ndone"

describe.skipIf(!hasBrowser)("a command of several lines", () => {
  test("says in lists how many it has, and is whole where it is decided and after it has run", async () => {
    await seed(server().store, waitingCommand("lines", command))
    const display = { kind: "terminal", command, output: "gone", exitCode: 0 } as const
    const run = called("m1", { id: "c1", tool: "Bash", input: { command }, title: "Bash", text: "gone", display })
    const entries = [prompt("Clean up", "p1"), ...run, ended("m1", 10, 10, 0)]
    await seed(server().store, { id: "ran", title: "Ran", query: "Clean up", stage: "completed", entries })
    const { page, troubles } = await signedIn("operator")
    await card(page, "lines").waitFor()
    const outline = page.getByRole("complementary", { name: "What waits" })
    await outline.getByRole("button", { name: "Session lines Bash (4 lines): set -eu" }).waitFor()
    const shown = command.replace("\u200b", "<U+200B>")
    await card(page, "lines").getByLabel("Select").check()
    await page.getByRole("button", { name: "Allow…" }).click()
    const dialog = page.getByRole("dialog", { name: "Allow 1 action?" })
    expect(await dialog.locator("code").allTextContents()).toEqual([shown])
    await page.keyboard.press("Escape")
    await go(page, "#/sessions")
    await page
      .getByRole("link", { name: /Session lines/ })
      .getByText("Bash (4 lines): set -eu")
      .waitFor()
    await go(page, "#/sessions/ran")
    await page.locator(".item.call summary").click()
    expect(await page.getByLabel("Command that ran").textContent()).toBe(shown)
    expect(troubles).toEqual([])
  })
})
