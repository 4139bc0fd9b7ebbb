/** The review of a session's changes in a real browser: by file, unified and side by side, with comments, and however much there is. */

import { describe, expect, test } from "bun:test"
import { comesTrue, hasBrowser, screens } from "../../kit/web/browser.ts"
import { axeProblems } from "../../kit/web/axe.ts"
import { evil, evilLine } from "../../kit/web/hostile.ts"
import { openPageStories } from "../../kit/web/page-stories.ts"
import { openTurns } from "../../kit/turns.ts"
import { until } from "../../kit/until.ts"
import { changedText, createdText, seedChanges } from "../../kit/web/seed-changes.ts"
import { seed } from "../../kit/web/seeds.ts"

const { server, signedIn } = openPageStories()
const turn = openTurns()

const before = Array.from({ length: 90 }, (_, nth) => `export const value${nth} = compute(${nth}, "old")`).join("\n")
const after = before
  .replace('compute(4, "old")', 'compute(4, "new", { strict: true })')
  .replace('compute(60, "old")', 'compute(61, "old")')

/** Returns how to keep other changes of it. */
async function reviewed(
  id: string,
  files: Parameters<typeof seedChanges>[2],
): Promise<(files: Parameters<typeof seedChanges>[2]) => Promise<void>> {
  const lease = await seed(server().store, {
    id,
    title: `Review ${id}`,
    query: "Change it",
    stage: "completed",
    isHeld: true,
  })
  await seedChanges(server().store, lease, files)
  await server().store.leases.report(lease, { stage: "completed" })
  return (others) => seedChanges(server().store, lease, others)
}

describe.skipIf(!hasBrowser)("the review of a session", () => {
  test.each(turn(screens))("files, both views, a comment on a line, sent once: %s", async (name, viewport) => {
    const id = `review-${name}`
    await reviewed(id, [
      await changedText("src/shop/values.ts", before, after),
      createdText("src/tax.ts", "export const rate = 0.19\n"),
    ])
    const { page, troubles } = await signedIn("operator", `#/sessions/${id}/changes`, viewport)
    await page.getByRole("heading", { level: 1, name: "Changes in" }).waitFor()
    const files = page.getByRole("region", { name: "Changed files" })
    expect(await files.getByRole("button").allTextContents()).toEqual(["src/shop/values.ts+2 -2", "src/tax.ts+1"])
    await page.locator("tr.added", { hasText: "rate = 0.19" }).waitFor()
    expect(await page.locator("tr.added mark").first().textContent()).toContain("new")
    expect(await page.getByText("unchanged lines above").first().textContent()).toMatch(/\d+ unchanged lines above/)
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole("button", { name: "Side by side" }).click()
    await page.locator("table.split td.removed", { hasText: 'compute(4, "old")' }).waitFor()
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole("button", { name: "Unified" }).click()
    await page.locator("tr.added", { hasText: "rate = 0.19" }).getByRole("button").click()
    await page.getByLabel("Comment", { exact: true }).fill("Take it from the settings")
    await page.keyboard.press("Control+Enter")
    await page.locator(".comment", { hasText: "Take it from the settings" }).waitFor()
    await page.getByRole("button", { name: "1 comment not sent" }).click()
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole("button", { name: "Send to the model" }).click()
    await page.getByText("Sent 1 comment to the model.").waitFor()
    const sent = (await server().store.ops.waiting(id)).at(-1)
    expect(sent?.op).toEqual({
      type: "prompt",
      when: "steer",
      as: "text",
      content: [
        {
          type: "text",
          text: "Review comments on the changes so far. Address each of them.\n\n1. src/tax.ts, line 1 (the operator):\n> +export const rate = 0.19\nTake it from the settings",
        },
      ],
    })
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
    expect(troubles).toEqual([])
  })

  test("keys go from file to file and from change to change, and none of them decides", async () => {
    const many = await Promise.all(Array.from({ length: 30 }, (_, nth) => changedText(`src/f${nth}.ts`, before, after)))
    await reviewed("keys", many)
    const { page, troubles } = await signedIn("operator", "#/sessions/keys/changes")
    await page.locator(".block.file").first().waitFor()
    const current = (): Promise<string> =>
      page
        .locator(".file-list [aria-current]")
        .textContent()
        .then((text) => text ?? "")
    await comesTrue(page, `document.querySelector(".file-list [aria-current]") !== null`)
    for (let nth = 0; nth < 12; nth++) {
      const was = await current()
      await page.keyboard.press("j")
      await comesTrue(
        page,
        `document.querySelector(".file-list [aria-current]")?.textContent !== ${JSON.stringify(was)}`,
      )
    }
    expect(await current()).toStartWith("src/f12.ts")
    await page.keyboard.press("n")
    await page.keyboard.press("n")
    await page.keyboard.press("k")
    await page.keyboard.press("f")
    await page.locator(".fold[aria-expanded=false]").first().waitFor()
    await page.keyboard.press("c")
    await page.getByLabel("Comment", { exact: true }).waitFor()
    expect((await server().store.ops.waiting("keys")).map(({ op }) => op?.type)).toEqual(["prompt"])
    expect(troubles).toEqual([])
  })

  test("2,000 files and a very large one: only what is in sight is drawn, and all of it can be reached", async () => {
    const small = Array.from({ length: 2_000 }, (_, nth) =>
      createdText(`lib/part-${String(nth).padStart(4, "0")}.ts`, `export const n = ${nth}\n`.repeat(20)),
    )
    const large = createdText(
      "zz-large.txt",
      Array.from({ length: 60_000 }, (_, nth) => `row ${nth} ${"x".repeat(80)}`).join("\n"),
    )
    const keep = await reviewed("many", [...small, large])
    const { page, troubles } = await signedIn("operator", "#/sessions/many/changes")
    const lists: string[] = []
    page.on("response", async (response) => {
      const { pathname, searchParams } = new URL(response.url())
      if (pathname === "/api/sessions/many/changes" && searchParams.get("limit") !== "0" && response.ok())
        lists.push(await response.text())
    })
    await page.locator("tr.added", { hasText: "export const n = 0" }).first().waitFor()
    const rows = (): Promise<number> => page.locator(".column tr").count()
    expect(await rows()).toBeLessThan(400)
    await page.getByRole("searchbox", { name: "Filter files" }).fill("part-1777")
    await page.keyboard.press("Enter")
    await page.locator("tr.added", { hasText: "export const n = 1777" }).first().waitFor()
    expect(await rows()).toBeLessThan(400)
    // Of one part that is kept, only its file is read again.
    const [first, ...rest] = small
    if (!first) throw new Error("no files")
    const whole = lists.splice(0).join("").length
    await keep([{ ...first, hunks: first.hunks.map((each) => ({ ...each, state: "kept" })) }, ...rest, large])
    // As after an act of one's own.
    await page.evaluate(`dispatchEvent(new Event("focus"))`)
    await page.getByRole("searchbox", { name: "Filter files" }).fill("part-0000")
    await page.locator(".file-list button.done", { hasText: "part-0000" }).waitFor()
    // The page may draw an answer before its text has come here.
    await until(() => lists.length > 0)
    const again = lists.join("").length
    expect([lists.length, again * 500 < whole, whole > 400_000]).toEqual([1, true, true])
    await page.getByRole("searchbox", { name: "Filter files" }).fill("zz-large")
    await page.keyboard.press("Enter")
    await page.getByText("row 0 xxx").waitFor()
    // Its name is there in full.
    const cut = `[...document.querySelectorAll(".file-list .path > *")].filter((each) => each.scrollWidth > each.clientWidth).length`
    expect(await page.evaluate(cut)).toBe(0)
    // To the end of it, page by page.
    for (let nth = 0; nth < 12; nth++) {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
      await page.waitForTimeout(60)
    }
    expect(await rows()).toBeLessThan(400)
    const last = await page.locator(".column tr.added .text").last().textContent()
    expect(Number(/row (\d+)/.exec(last ?? "")?.[1])).toBeGreaterThan(5_000)
    expect(troubles).toEqual([])
  }, 200_000)

  test("whatever a path, a line or a comment says is only text", async () => {
    await reviewed("evil-review", [
      createdText(`${evilLine}.ts`, evil),
      await changedText("b.ts", evil, `${evil}\nmore`),
    ])
    const place = { path: "b.ts", side: "new", line: 1, quote: evilLine }
    for (const body of [{ text: evil, place }, { text: evil }])
      expect(
        (
          await server().ask("POST", "/api/sessions/evil-review/comments", {
            as: "viewer",
            body,
            headers: { "content-type": "application/json" },
          })
        ).status,
      ).toBe(201)
    const { page, troubles } = await signedIn("operator", "#/sessions/evil-review/changes")
    await page.getByText("globalThis.pwned=1").first().waitFor()
    await page.getByRole("button", { name: "2 comments not sent" }).click()
    expect(await page.evaluate("globalThis.pwned")).toBe(undefined)
    expect(await page.locator(".review img, .review iframe, .review script, .review svg").count()).toBe(0)
    expect(await page.locator(".review a[href^='javascript'], .review a[href*='evil.example']").count()).toBe(0)
    expect(troubles).toEqual([])
  })
})
