/** The page as people use it all day: quick fingers, many tabs, many sessions, long names. */

import { describe, expect, test } from "bun:test"
import { hasBrowser } from "../../kit/web/browser.ts"
import { openPageStories } from "../../kit/web/page-stories.ts"
import { seed } from "../../kit/web/seeds.ts"

const { server, signedIn, card, waitingCommand, decidedOf } = openPageStories()

describe.skipIf(!hasBrowser)("the page, day by day", () => {
  test("a double click decides one thing, also where the next card moves under the pointer", async () => {
    const ids = ["quick-1", "quick-2", "quick-3"]
    for (const id of ids) await seed(server().store, waitingCommand(id, `make ${id}`))
    const { page, troubles } = await signedIn("operator")
    for (const id of ids) await card(page, id).locator("[data-answer=yes]:enabled").waitFor()
    // As soon as the first card is gone, whatever has moved takes no answer for a moment.
    await page.evaluate(`(() => {
      const cards = () => [...document.querySelectorAll("article")].filter((each) => /quick-/.test(each.textContent))
      new MutationObserver((_, self) => {
        if (cards().length === 3) return
        self.disconnect()
        globalThis.answerable = cards().filter((each) => !each.querySelector("[data-answer=yes]").disabled).length
      }).observe(document.body, { childList: true, subtree: true })
    })()`)
    await card(page, "quick-1").getByRole("button", { name: "Allow" }).click()
    await card(page, "quick-1").waitFor({ state: "detached" })
    expect(await page.evaluate("globalThis.answerable")).toBe(0)
    for (const id of ids.slice(1)) await card(page, id).locator("[data-answer=yes]:enabled").waitFor()
    expect((await Promise.all(ids.map(decidedOf))).map(([each]) => each?.state)).toEqual(["allowed", "open", "open"])
    // What became of it stands where the card was.
    const shelf = page.locator(".shelf", { hasText: "You allowed this." })
    expect(await shelf.count()).toBe(1)
    await card(page, "quick-2").getByRole("button", { name: "Deny" }).click()
    await page.getByText("You denied this.").waitFor()
    expect(await page.getByText("You allowed this.").count()).toBe(0)
    expect(troubles).toEqual([])
  })
})
