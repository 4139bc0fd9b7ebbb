/** All screens of the page, of a fleet in which every kind of thing is there and no more of it than that: what axe finds on them, and what hostile text does. */

import { beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { axeProblems } from "../../kit/web/axe.ts"
import { comesTrue, hasBrowser, screens } from "../../kit/web/browser.ts"
import { evil, evilLine, hostileSessions } from "../../kit/web/hostile.ts"
import { openPageStories } from "../../kit/web/page-stories.ts"
import { partsAsk, reviewAsk, seed } from "../../kit/web/seeds.ts"
import { openTurns } from "../../kit/turns.ts"

const { server, signedIn, go } = openPageStories()

describe.skipIf(!hasBrowser)("every screen of the page", () => {
  beforeAll(async () => {
    // Few rows, but more than the inbox shows: what axe costs is the count of elements.
    const lines = Array.from({ length: 50 }, (_, i) => `export const rate${i} = "${"0".repeat(2_500)}"\n`)
    const asking = { query: "q", stage: "awaiting_tool_approval" } as const
    await seed(server().store, { ...asking, id: "parts", title: "Session parts", asks: [partsAsk] })
    await seed(server().store, { ...asking, id: "cut", title: "Session cut", asks: [await reviewAsk(lines.join(""))] })
    for (const each of hostileSessions) await seed(server().store, each)
  })

  test("nothing that comes from outside does anything but stand there as text", async () => {
    const { page, troubles } = await signedIn("admin")
    const hashes = ["#/", "#/sessions", "#/workers", "#/audit", ...hostileSessions.map(({ id }) => `#/sessions/${id}`)]
    for (const hash of hashes) {
      await go(page, hash)
      await page.locator("main h1").first().waitFor()
      await page.locator("main :is(.item, article, .rows, table)").first().waitFor()
      expect([hash, await harm(page)]).toEqual([hash, harmless])
    }
    // What people choose by and look at as a whole, and what an address may say.
    await server().store.sessions.create(
      {
        id: "hostile-names",
        title: evilLine,
        query: evil,
        mode: "default",
        model: evilLine,
        opening: { workspace: { git: { url: `https://git.example/${evilLine}`, ref: evilLine } }, confined: true },
        labels: [evilLine],
      },
      evilLine,
    )
    const named = new URLSearchParams({ search: evil, by: evilLine, place: evilLine, model: evilLine }).toString()
    const address = encodeURIComponent(evilLine)
    for (const hash of [
      `#/sessions?${named}`,
      `#/sessions?${new URLSearchParams({ by: evilLine }).toString()}`,
      `#/sessions/${address}`,
      `#/sessions/${address}/changes`,
      `#/shared/${address}`,
      "#/sessions/hostile-names",
      "#/usage",
    ]) {
      await go(page, hash)
      await page.locator("main :is(h1, [role=status])").first().waitFor()
      if (hash === "#/usage")
        for (const kind of ["Repository", "Model", "Person"]) {
          await page.getByRole("button", { name: kind }).click()
          await page.getByRole("columnheader", { name: kind }).waitFor()
          if (kind !== "Repository") await page.getByRole("rowheader", { name: "globalThis.pwned=1" }).first().waitFor()
        }
      expect([hash, await harm(page)]).toEqual([hash, harmless])
    }
    await page.keyboard.press("Control+k")
    // Until then it shows the newest.
    const searched = page.waitForResponse((response) => response.url().includes("search=pwned"))
    await page.getByRole("combobox", { name: "Find a session or a screen" }).fill("pwned")
    await searched
    await page.getByRole("option", { name: "globalThis.pwned=1" }).first().waitFor()
    expect(await page.evaluate("globalThis.pwned ?? null")).toBe(null)
    expect(await page.locator("dialog :is(img, svg, iframe, script, a)").count()).toBe(0)
    await page.keyboard.press("Escape")
    await go(page, "#/sessions/hostile-tool")
    const command = page.getByLabel("Command", { exact: true })
    await command.waitFor()
    expect(await command.textContent()).toContain("<U+202E>")
    expect(await page.locator(".item.said").first().textContent()).toContain("<img src=x onerror=")
    expect(troubles).toEqual([])
  })

  test.each(screens)("axe finds nothing, not even moderate, in light and dark: %s", async (screen, viewport) => {
    const { page } = await signedIn("admin", "#/", viewport)
    // As if there were more than fits on one screen.
    await page.route("**/api/audit?*", async (route) => {
      const response = await route.fetch()
      const answered = (await response.json()) as { readonly entries: readonly unknown[] }
      await route.fulfill({ response, json: { ...answered, next: "1" } })
    })
    for (const { hash, heading, looks } of axeScreens) {
      const themes = looks.flatMap(([where, theme]) => (where === screen ? [theme] : []))
      await go(page, hash)
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor()
      await comesTrue(page, `!/^Loading/m.test(document.querySelector("main").innerText)`)
      if (heading === "Audit") await page.getByRole("button", { name: "Load more" }).waitFor()
      await page.evaluate(`document.querySelectorAll("details").forEach((each) => (each.open = true))`)
      await look(page, hash, themes)
      // On a phone, what is beside a conversation is a view of its own.
      const details = page.getByRole("button", { name: "Details" })
      if (!(await details.isVisible())) continue
      await details.click()
      await page.locator(".rail").waitFor()
      await look(page, `${hash}, details`, themes)
    }
    await page.keyboard.press("?")
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor()
    await look(page, "keys", ["light", "dark"], "dialog")
    await page.unrouteAll({ behavior: "ignoreErrors" })
  })
})

async function look(page: Page, where: string, themes: readonly Theme[], part?: string): Promise<void> {
  expect([where, await page.evaluate("document.documentElement.scrollWidth <= innerWidth")]).toEqual([where, true])
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    expect([where, colorScheme, await axeProblems(page, part)]).toEqual([where, colorScheme, []])
  }
}

type Theme = "light" | "dark"

const turn = openTurns()
/** What axe may look at a screen in; whether it fits is seen on both. */
const looks = (["light", "dark"] as const).flatMap((theme) => screens.map(([where]) => [where, theme] as const))

const axeScreens = (
  [
    ["#/", "Inbox"],
    ["#/sessions", "Sessions"],
    ["#/new", "New session"],
    ["#/sessions?search=cart&by=ann", "Sessions"],
    ["#/usage", "Usage"],
    ["#/workers", "Workers"],
    ["#/audit", "Audit"],
    ["#/sessions/s_tool", "Cart: count and taxes"],
    ["#/sessions/s_plan", "Taxes in the cart"],
    ["#/sessions/s_edit", "Fix the total"],
    ["#/sessions/s_failed", "Move to the new API"],
    ["#/sessions/s_tool/team", "Team shop"],
  ] as const
).map(([hash, heading]) => ({ hash, heading, looks: turn(looks) }))

/** What hostile text has done to a page; the words of an address are in `main` only as text. */
const harm = (page: Page): Promise<unknown> =>
  page.evaluate(`({
        pwned: globalThis.pwned ?? null,
        elements: document.querySelectorAll("main img, main iframe, main object, main embed, main script, main style, main form[action], main [onerror], main [onclick]").length,
        links: [...document.querySelectorAll("main a")].map((a) => a.protocol).filter((p) => !["http:", "https:"].includes(p)),
        targets: [...document.querySelectorAll("main a[target]")].filter((a) => a.rel !== "noopener noreferrer").length,
        hidden: /[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u001b]/.test(document.querySelector("main").textContent),
      })`)

const harmless = { pwned: null, elements: 0, links: [], targets: 0, hidden: false }
