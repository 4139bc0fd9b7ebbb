/** Finding, choosing, deciding together and sharing on the page, in a real browser at a desk and on a phone. */

import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { axeProblems } from "../../kit/web/axe.ts"
import { until } from "../../kit/until.ts"
import { comesTrue, hasBrowser, screens } from "../../kit/web/browser.ts"
import { evilLine } from "../../kit/web/hostile.ts"
import { linesOf, prompt, said } from "../../kit/web/lines.ts"
import { openPageStories } from "../../kit/web/page-stories.ts"
import { openTurns } from "../../kit/turns.ts"
import { commandAsk, seed } from "../../kit/web/seeds.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import { valueOf } from "../../kit/team/conformance.ts"

const { server, signedIn, go, card, waitingCommand, decidedOf } = openPageStories()
const turn = openTurns()

/** Whoever comes by the keyboard writes at once, and what saves a template covers nothing of it. */
async function saveTemplateBesideTask(page: Page): Promise<void> {
  const task = page.getByRole("textbox", { name: "Task" })
  await page.reload()
  await comesTrue(page, `document.activeElement?.tagName === "TEXTAREA"`)
  await page.keyboard.type("Begin")
  await page.getByRole("button", { name: "Save as template" }).click()
  const [above, below] = [await page.getByRole("button", { name: "Cancel" }).boundingBox(), await task.boundingBox()]
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual((below?.y ?? 0) + 1)
  await page.getByRole("button", { name: "desk", exact: true }).click()
}

describe.skipIf(!hasBrowser)("on the page", () => {
  test.each(turn(screens))(
    "a palette finds sessions and screens; a search and its filters are a link: %s",
    async (name, viewport) => {
      await seed(server().store, {
        id: `mentions-${name}`,
        title: "Rules",
        query: "As the linter has",
        stage: "completed",
      })
      const { page, troubles } = await signedIn("operator", "#/", viewport)
      await page.getByRole("heading", { name: "Inbox" }).waitFor()
      if (name === "desk") await page.keyboard.press("Control+k")
      else {
        await page.getByRole("button", { name: "More" }).click()
        await page.getByRole("button", { name: "Find" }).click()
      }
      const field = page.getByRole("combobox", { name: "Find a session or a screen" })
      // A server that is busy at first does not leave the list empty.
      await page.route("**/api/sessions?*search=*", (route) => route.fulfill({ status: 503, body: "{}" }), { times: 1 })
      await field.fill("linter")
      const option = page.getByRole("option", { name: "Upgrade the linter" })
      await option.waitFor()
      expect(await axeProblems(page, "dialog")).toEqual([])
      // By its name, above newer ones that only mention the word.
      expect(await page.locator(".palette li").first().textContent()).toBe("Upgrade the linterCompleted")
      await comesTrue(page, `document.querySelector(".palette li").getAttribute("aria-selected") === "true"`)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "Upgrade the linter" }).waitFor()
      await go(page, "#/sessions")
      const search = page.getByRole("searchbox", { name: "Search sessions" })
      await search.waitFor()
      // The key counts once the screen listens, which is after it is drawn.
      while (!(await page.evaluate<boolean>(`document.activeElement?.hasAttribute("data-search")`)))
        await page.keyboard.press("/")
      await page.keyboard.type("taxes cart")
      await page.getByRole("link", { name: "Taxes in the cart" }).waitFor()
      await comesTrue(page, `location.hash === "#/sessions?search=taxes+cart"`)
      await page.getByRole("link", { name: "ann", exact: true }).first().click()
      await comesTrue(page, `location.hash === "#/sessions?by=ann"`)
      await page.getByRole("link", { name: "Remove the filter by ann" }).waitFor()
      await page.reload()
      await page.getByRole("link", { name: "Remove the filter by ann" }).click()
      await page.getByRole("region", { name: "Finished" }).waitFor()
      expect(troubles).toEqual([])
    },
  )

  test.each(turn(screens))(
    "several approvals are decided together after one more look, and no key does it: %s",
    async (name, viewport) => {
      const ids = ["a", "b", "c"].map((each) => `many-${name}-${each}`)
      for (const id of ids) await seed(server().store, waitingCommand(id, `make ${id}`))
      const { page, troubles } = await signedIn("operator", "#/", viewport)
      for (const id of ids.slice(0, 2)) await card(page, id).getByLabel("Select").check()
      await page.getByText("2 approvals selected").waitFor()
      await page.getByRole("button", { name: "Allow…" }).click()
      const dialog = page.getByRole("dialog", { name: "Allow 2 actions?" })
      // Whose sessions they are, where they are not one's own.
      expect(
        await card(page, ids[0] ?? "")
          .locator("header")
          .textContent(),
      ).toContain("by ann")
      expect(await dialog.textContent()).toContain(`Session ${ids[0]} by ann`)
      expect(await dialog.locator("code").allTextContents()).toEqual(ids.slice(0, 2).map((id) => `make ${id}`))
      expect(await axeProblems(page, "dialog")).toEqual([])
      // Enter is on Cancel.
      await page.keyboard.press("Enter")
      await dialog.waitFor({ state: "detached" })
      expect((await Promise.all(ids.map(decidedOf))).map(([each]) => each?.state)).toEqual(["open", "open", "open"])
      await page.getByRole("button", { name: "Allow…" }).click()
      await page.getByRole("button", { name: "Allow all 2" }).click()
      await comesTrue(
        page,
        `document.querySelectorAll("article").length >= 0 && !document.body.textContent.includes("2 approvals selected")`,
      )
      const states = async () => (await Promise.all(ids.map(decidedOf))).map(([each]) => each?.state)
      // They are decided one after the other.
      await until(async () => (await states()).filter((state) => state === "allowed").length >= 2)
      expect(await states()).toEqual(["allowed", "allowed", "open"])
      expect(troubles).toEqual([])
    },
  )

  test.each(turn(screens))(
    "before a rule is saved, the inbox shows what it would have covered: %s",
    async (name, viewport) => {
      const id = `rule-${name}`
      const commands = [`npm test --tag ${name}`, "npm test -- --watch", "npm run build", `npm test ${name}`]
      await seed(server().store, {
        ...waitingCommand(id, ""),
        title: evilLine,
        asks: commands.map((each) => ({ ...commandAsk(each), suggestedRule: "Bash(npm test:*)" }) as QuestionAsk),
      })
      for (const [nth, each] of (await decidedOf(id)).slice(0, 3).entries()) {
        const allows = nth !== 1
        const answer = { decision: allows ? "allow" : "deny" }
        const { id: approvalId, digest } = each
        valueOf(
          await server().store.approvals.decide({ sessionId: id, approvalId, digest, allows, answer, by: evilLine }),
        )
      }
      const { page, troubles } = await signedIn("operator", "#/", viewport)
      const own = page.locator("article", { has: page.getByText(`npm test ${name}`, { exact: true }) })
      await own.getByText("Options").click()
      await own.getByLabel("If you allow it").selectOption("session")
      const covered = own.getByRole("region", { name: "What it would have covered" })
      await covered.getByText("It would have answered 2 of the last 3 decisions in this session.").waitFor()
      await covered.getByText("One of them was denied.").waitFor()
      expect(await covered.locator("code").allTextContents()).toEqual(["npm test -- --watch", `npm test --tag ${name}`])
      const part = `[data-approval="${await own.getAttribute("data-approval")}"]`
      expect(await axeProblems(page, part)).toEqual([])
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      expect(await page.evaluate("globalThis.pwned")).toBe(undefined)
      // A wider one, written by hand; what it may not be is said at once.
      await own.getByText("Edit the rule", { exact: true }).click()
      const rule = own.getByRole("textbox", { name: "Rule", exact: true })
      await rule.fill("Bash(*)")
      await own.getByText("would allow nearly everything that Bash can do").waitFor()
      await rule.fill("Bash(cargo:*)")
      await own.getByText("Bash(cargo:*) does not cover this action.").waitFor()
      expect(await axeProblems(page, part)).toEqual([])
      await rule.fill("Bash(npm:*)")
      await covered.getByText("It would have answered all of the last 3 decisions in this session.").waitFor()
      expect(await axeProblems(page, part)).toEqual([])
      if (name === "phone") {
        await rule.fill("")
        await covered.getByText("It would have answered 2 of the last 3 decisions in this session.").waitFor()
      }
      expect(await covered.locator("img, svg, iframe, a:not([href^='#/sessions/'])").count()).toBe(0)
      await own.getByRole("button", { name: "Allow" }).click()
      await own.waitFor({ state: "detached" })
      expect((await decidedOf(id)).at(-1)?.answer).toEqual({
        decision: "allow",
        remember: "session",
        ...(name === "desk" && { rules: [], written: ["Bash(npm:*)"] }),
      })
      expect(troubles).toEqual([])
    },
  )

  test.each(turn(screens))(
    "a session is begun by choosing, with a pasted picture and a dropped file: %s",
    async (name, viewport) => {
      const own = { as: "admin" as const, headers: { "content-type": "application/json" } }
      const body = {
        prompt: "Before",
        workspace: { git: { url: `https://git.example/${name}.git`, ref: "next" } },
        model: "sim/demo",
      }
      expect((await server().ask("POST", "/api/sessions", { ...own, body })).status).toBe(201)
      await server().ask("POST", "/api/templates", {
        ...own,
        body: { name: `${name}-tests`, prompt: `Fix ${evilLine}`.slice(0, 300) },
      })
      const { page, troubles } = await signedIn("admin", "#/new", viewport)
      await page.getByRole("button", { name, exact: true }).click()
      if (name === "desk") await saveTemplateBesideTask(page)
      expect(await page.getByLabel("Repository", { exact: true }).inputValue()).toBe(`https://git.example/${name}.git`)
      await page.getByLabel("Template").first().selectOption(`${name}-tests`)
      expect(await page.getByRole("textbox", { name: "Task" }).inputValue()).toStartWith("Fix <img")
      await page.getByRole("textbox", { name: "Task" }).fill("Look at this")
      await page.evaluate(`(() => {
      const files = new DataTransfer()
      const bytes = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="), (each) => each.charCodeAt(0))
      files.items.add(new File([bytes], "shot.png", { type: "image/png" }))
      files.items.add(new File(["a\\n\`\`\`\\nb\\n"], "notes.txt", { type: "text/plain" }))
      files.items.add(new File([new Uint8Array([0, 1, 2])], "tool.bin"))
      document.querySelector(".attaching").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }))
    })()`)
      await page.getByRole("button", { name: "Remove shot.png" }).waitFor()
      await page.getByText("tool.bin is not a text file.").waitFor()
      expect(await axeProblems(page)).toEqual([])
      if (name === "phone") await page.getByRole("button", { name: "Start session" }).click()
      else await page.getByRole("textbox", { name: "Task" }).press("Control+Enter")
      await page.getByRole("heading", { level: 1, name: "Look at this" }).waitFor()
      const id = /sessions\/([^/]+)$/.exec(page.url())?.[1] ?? ""
      const [first] = await server().store.ops.waiting(id)
      expect(first?.op).toMatchObject({
        content: [
          { type: "text", text: "Look at this\n\nnotes.txt:\n````\na\n```\nb\n````" },
          { type: "image", source: { type: "base64", media_type: "image/png" } },
        ],
      })
      expect(troubles).toEqual([])
    },
  )

  test.each(turn(screens))(
    "a session is shared by a link, commented on, and handed over; usage is drawn: %s",
    async (name, viewport) => {
      const id = `to-share-${name}`
      const details = async (page: Page): Promise<void> => {
        if (name === "phone") await page.getByRole("button", { name: "Details" }).click()
      }
      await server().store.sessions.create(
        {
          id,
          title: "To share",
          query: "q",
          mode: "default",
          model: "sim/demo",
          opening: { workspace: { path: "/srv/x" }, confined: true },
          labels: ["none"],
        },
        "the operator",
      )
      const { page, troubles } = await signedIn("operator", `#/sessions/${id}`, viewport)
      await details(page)
      const share = page.getByRole("region", { name: "Share" })
      await share.getByRole("button", { name: "Share or hand over" }).click()
      await share.getByLabel("Whoever opens the link").selectOption("can decide and steer")
      await share.getByRole("button", { name: "Make a link" }).click()
      const link = (await share.getByLabel("Link", { exact: true }).textContent()) ?? ""
      expect(link).toMatch(/#\/shared\/[0-9a-f]{64}$/)
      // Nobody has to find it with the pointer first.
      expect(await page.evaluate(`getComputedStyle(document.querySelector(".copied .copy")).opacity`)).toBe("1")
      expect(await axeProblems(page)).toEqual([])
      const other = await signedIn("viewer", new URL(link).hash, viewport)
      await other.page.getByRole("heading", { level: 1, name: "To share" }).waitFor()
      expect(other.page.url()).toEndWith(`#/sessions/${id}`)
      await details(other.page)
      const comments = other.page.getByRole("region", { name: "Comments" })
      await comments.getByRole("button", { name: "Add a comment" }).click()
      await comments.getByLabel("Comment").fill(evilLine)
      await comments.getByRole("button", { name: "Add comment" }).click()
      await page.getByRole("region", { name: "Comments" }).getByText("globalThis.pwned=1").waitFor()
      await share.getByLabel("Hand it to").selectOption("the admin")
      await share.getByRole("button", { name: "Hand it to the admin" }).click()
      await until(async () => (await server().store.sessions.get(id))?.createdBy === "the admin")
      await go(page, "#/usage")
      await page.getByRole("img", { name: /sessions? in 30 days/ }).waitFor()
      await page.getByRole("button", { name: "Model" }).click()
      await page.getByRole("rowheader", { name: "sim/demo" }).waitFor()
      expect([...troubles, ...other.troubles]).toEqual([])
    },
  )

  test("of a long session the end is there first, and then all of it", async () => {
    const lease = await seed(server().store, {
      id: "long",
      title: "Long",
      query: "Go",
      stage: "executing",
      isHeld: true,
    })
    const bodies = Array.from({ length: 400 }, (_, nth) => [
      prompt(`Question ${nth}`, `q${nth}`),
      said(`m${nth}`, `Answer ${nth}.`),
    ]).flat()
    for (let at = 0; at < bodies.length; at += 500)
      valueOf(await server().store.lines.ship(lease, at + 2, linesOf("long", bodies.slice(at, at + 500), at + 1)))
    const looking = await signedIn("operator", "#/workers")
    const { page, troubles } = looking
    let isHeld = true
    await page.route("**/api/sessions/long/events**", async (route) => {
      while (isHeld) await Bun.sleep(20)
      await route.continue()
    })
    await go(page, "#/sessions/long")
    // The stream has given nothing yet.
    await page.getByText("Answer 399.", { exact: true }).waitFor()
    await page.getByText("Loading what came before…").waitFor()
    expect(await page.locator(".conversation .item").count()).toBeLessThan(200)
    isHeld = false
    await page.getByRole("button", { name: "Show earlier" }).waitFor()
    expect(await page.getByText("Answer 399.", { exact: true }).count()).toBe(1)
    while ((await page.getByRole("button", { name: "Show earlier" }).count()) > 0)
      await page.getByRole("button", { name: "Show earlier" }).click()
    await page.getByText("Answer 0.", { exact: true }).waitFor()
    expect(troubles).toEqual([])
  })
})
