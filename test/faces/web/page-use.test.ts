/** The page as people use it all day: quick fingers, many tabs, many sessions, long names. */

import { describe, expect, test } from "bun:test"
import type { Page, Request } from "playwright-core"
import type { QuestionAsk } from "#agent/words/question.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { comesTrue, desktop, hasBrowser, phone, screens } from "../../kit/web/browser.ts"
import { called, linesOf, prompt, said } from "../../kit/web/lines.ts"
import { hunksOf } from "#lib/diff.ts"
import { openPageStories } from "../../kit/web/page-stories.ts"
import { openTurns } from "../../kit/turns.ts"
import { commandAsk, planAsk, seed, type Seeded } from "../../kit/web/seeds.ts"

const { server, signedIn, go, card, waitingCommand, decidedOf } = openPageStories()
const turn = openTurns()

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
    const shelf = page.locator(".pending-approval", { hasText: "You allowed this." })
    expect(await shelf.count()).toBe(1)
    await card(page, "quick-2").getByRole("button", { name: "Deny" }).click()
    await page.getByText("You denied this.").waitFor()
    expect(await page.getByText("You allowed this.").count()).toBe(0)
    expect(troubles).toEqual([])
  })

  test("workers, teams and what sessions cost change as they do, without being asked for again and again", async () => {
    const news: Seeded = { id: "costly", title: "Costly", query: "q", stage: "executing", isHeld: true }
    const lease = await seed(server().store, news)
    const { page, troubles } = await signedIn("operator", "#/workers", desktop, { isAlone: true })
    // From here on no timer of the page fires, so that it hears of something or does not know it.
    await page.clock.install()
    await page.reload()
    // A part of the page that comes later is shown by a timer when it has come.
    await go(page, "#/sessions/s_tool/team")
    await page.getByRole("heading", { name: "Team shop" }).waitFor()
    await go(page, "#/workers")
    await page.getByRole("heading", { name: "Workers" }).waitFor()
    await page.getByText("build-2").waitFor()
    await page.clock.pauseAt(new Date("2100-01-01"))
    const newcomer = { id: "w_new", pid: 12, host: "build-9", slots: 3, labels: [] }
    await server().store.leases.beat(newcomer, [], 60_000)
    await page.getByText("build-9").waitFor()
    await page.getByText("of 15 slots in use").waitFor()
    await server().store.leases.leave("w_new")
    await page.getByText("of 12 slots in use").waitFor()
    await go(page, "#/sessions")
    const row = page.getByRole("link", { name: "Costly" })
    await row.waitFor()
    valueOf(await server().store.leases.report(lease, { costUsd: 7.25 }))
    await row.getByText("$7.25").waitFor()
    await go(page, "#/sessions/costly")
    await page.locator(".facts").getByText("$7.25").waitFor()
    valueOf(await server().store.leases.report(lease, { costUsd: 8.5 }))
    await page.locator(".facts").getByText("$8.50").waitFor()
    await go(page, "#/sessions/s_tool/team")
    await page.getByRole("heading", { name: "Team shop" }).waitFor()
    await server().team.board.create({ subject: "Celebrate", description: "d", blockedBy: ["5"] })
    await page.getByText("Celebrate").waitFor()
    expect(troubles).toEqual([])
  })

  test("a tab that nobody looks at holds no connection, counts what waits, and misses nothing", async () => {
    const lease = await seed(server().store, {
      id: "hidden",
      title: "Hidden",
      query: "Go",
      stage: "executing",
      isHeld: true,
    })
    const { page, troubles } = await signedIn("operator", "#/sessions/hidden", desktop, { isAlone: true })
    await page.clock.install()
    const streams = new Set<string>()
    const pathOf = (request: Request): string => new URL(request.url()).pathname
    page.on("request", (request) => {
      if (/\/(?:events|changes)$/.test(pathOf(request))) streams.add(pathOf(request))
    })
    page.on("requestfailed", (request) => void streams.delete(pathOf(request)))
    await page.reload()
    await page.locator("[data-connection=live]").waitFor({ state: "attached" })
    while (streams.size < 2) await page.waitForTimeout(20)
    const look = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} })
        document.dispatchEvent(new Event("visibilitychange"))`)
    const title = await page.title()
    await look(true)
    while (streams.size > 0) await page.waitForTimeout(20)
    valueOf(await server().store.lines.ship(lease, 2, linesOf("hidden", [said("m1", "Said to nobody.")], 1)))
    await seed(server().store, waitingCommand("unseen", "make unseen"))
    while ((await page.title()) === title) await page.clock.fastForward(30_000)
    expect(await page.title()).toMatch(/^\(\d+\) /)
    expect(await page.getByText("Said to nobody.").count()).toBe(0)
    await look(false)
    await page.getByText("Said to nobody.").waitFor()
    expect(await page.locator("[data-connection]").getAttribute("data-connection")).toBe("live")
    expect(troubles).toEqual([])
  })

  test("four sessions are followed side by side, a fifth one waits for its turn, and decisions get through", async () => {
    await seed(server().store, waitingCommand("beside", "make beside"))
    const { page, context, troubles } = await signedIn("operator", "#/sessions/beside", desktop, { isAlone: true })
    await page.locator("[data-connection=live]").waitFor({ state: "attached" })
    let listeners = 0
    context.on("request", (request) => (listeners += request.url().endsWith("/api/changes") ? 1 : 0))
    const others: Page[] = []
    for (const id of ["s_tool", "s_plan", "s_edit"]) {
      const other = await context.newPage()
      others.push(other)
      await other.goto(`${server().url}/#/sessions/${id}`)
      await other.locator("[data-connection=live]").waitFor({ state: "attached" })
    }
    const fifth = await context.newPage()
    await fifth.goto(`${server().url}/#/sessions/beside`)
    await fifth.getByText("Four other windows follow sessions").waitFor()
    expect(listeners).toBe(0)
    await fifth.getByRole("button", { name: "Allow" }).click()
    await page.getByText("the operator allowed this.").or(page.getByText("You allowed this.")).waitFor()
    await others[2]?.evaluate(`location.hash = "#/workers"`)
    await others[2]?.getByText("build-2").waitFor()
    // Whoever has the stream goes, and one of the others takes it.
    await page.close()
    while (listeners < 1) await Bun.sleep(20)
    await fifth.locator("[data-connection=live]").waitFor({ state: "attached" })
    await server().store.leases.beat({ id: "w_side", pid: 12, host: "build-7", slots: 1, labels: [] }, [], 60_000)
    await others[2]?.getByText("build-7").waitFor()
    await server().store.leases.leave("w_side")
    expect(listeners).toBe(1)
    expect(troubles).toEqual([])
  })

  test("a shortcut of two keys works, also where something changes between them", async () => {
    const { page } = await signedIn("operator")
    await page.locator("[data-approval]").first().waitFor()
    await page.keyboard.press("g")
    await seed(server().store, waitingCommand("between", "make between"))
    await card(page, "between").waitFor()
    await page.keyboard.press("n")
    await page.getByRole("heading", { name: "New session" }).waitFor()
  })

  test("what waits is in the list and has its name in the inbox, however many sessions came after it", async () => {
    const { store } = server()
    await seed(store, waitingCommand("ancient", "make ancient"))
    for (let nth = 0; nth < 55; nth++)
      await seed(store, {
        id: `later-${nth}`,
        title: `Later ${nth}`,
        query: `Later ${nth}`,
        stage: "failed",
        news: { result: { ok: false, text: "3 of 120 tests fail.\nSee above." } },
      })
    const more = { title: "Fix the login", query: "Fix the login. Keep it small.\nThanks." }
    await seed(store, { id: "asked-more", ...more, stage: "completed" })
    const { page, troubles } = await signedIn("operator", "#/sessions")
    const waiting = page.getByRole("region", { name: "Waiting for a decision" })
    await waiting.getByRole("link", { name: "Session ancient" }).waitFor()
    const finished = page.getByRole("region", { name: "Finished" })
    await finished.getByRole("heading", { name: "Finished 50+" }).waitFor()
    // Why it failed says more than the task again, and the repository has a name.
    const row = finished.getByRole("link", { name: "Later 54", exact: false })
    expect(await row.locator(".row-query").textContent()).toBe("3 of 120 tests fail.")
    // Nor is the title said twice.
    const asked = finished.getByRole("link", { name: "Fix the login" }).locator(".row-query")
    expect(await asked.textContent()).toBe("Keep it small.")
    const links = finished.locator("li", { hasText: "Later 54" }).locator(".row-filters a")
    expect(await links.allTextContents()).toEqual(["shop", "sim/demo", "ann"])
    await finished.getByRole("button", { name: "Load more" }).click()
    await finished.getByRole("link", { name: "Later 0 ", exact: false }).waitFor()
    await page.getByLabel("Stage").selectOption("Cancelled")
    await page.getByRole("link", { name: "Try another database" }).waitFor()
    expect(await page.locator(".row-link").count()).toBe(1)
    await go(page, "#/")
    await card(page, "ancient").waitFor()
    expect(troubles).toEqual([])
  })

  test("a session that is over says how it ended, with its lines, under a title of two lines at most", async () => {
    const title = "The total of the cart ignores the count of items. ".repeat(8).trim()
    await seed(server().store, {
      id: "ended",
      title,
      query: "Fix it",
      stage: "failed",
      news: { clarifiedQuery: "Fix the total.\nAdd taxes.", result: { ok: false, text: "3 tests fail.\nSee above." } },
    })
    const { page, troubles } = await signedIn("operator", "#/sessions/ended")
    const failed = page.locator(".note.failed")
    await failed.waitFor()
    expect(await failed.innerText()).toBe("3 tests fail.\nSee above.")
    const clarified = page.getByRole("region", { name: "Task, as clarified" }).locator("p")
    expect(await clarified.innerText()).toBe("Fix the total.\nAdd taxes.")
    expect(await page.locator(".facts").textContent()).toBe("Failedasksim/demoshop")
    const lines = `(({ clientHeight }, { lineHeight }) => Math.round(clientHeight / parseFloat(lineHeight)))(
      document.querySelector("h1"), getComputedStyle(document.querySelector("h1")))`
    expect(await page.evaluate(lines)).toBe(2)
    await untilCalled(page, `${title} · Codewright`)
    await go(page, "#/workers")
    await untilCalled(page, "Workers · Codewright")
    expect(troubles).toEqual([])
  })

  test.each(turn(screens))(
    "at a %s a long prompt is folded, and what waits below it is in sight",
    async (where, view) => {
      const id = `long-prompt-${where}`
      const query = Array.from({ length: 90 }, (_, nth) => `Line ${nth + 1} of what somebody wants.`).join("\n")
      await seed(server().store, { ...waitingCommand(id, "make it"), query })
      const { page, troubles } = await signedIn("operator", `#/sessions/${id}`, view)
      const shown = page.locator(".item.prompt")
      const more = shown.getByRole("button", { name: "Show all 90 lines" })
      await more.waitFor()
      expect(await shown.textContent()).not.toContain("Line 20 of")
      // Together with the head of the page, it leaves room for what is asked.
      expect(await page.evaluate(`document.querySelector(".item.prompt").clientHeight < innerHeight / 2`)).toBe(true)
      await more.click()
      expect(await shown.textContent()).toContain("Line 90 of what somebody wants.")
      await shown.getByRole("button", { name: "Show less" }).click()
      expect(await shown.textContent()).not.toContain("Line 90 of")
      expect(troubles).toEqual([])
    },
  )

  test.each(turn(screens))(
    "at a %s n and p go from change to change, and the focus goes with them",
    async (where, view) => {
      const id = `changes-${where}`
      const words = Array.from({ length: 30 }, (_, nth) => `Line ${nth} of what was said.`).join("\n")
      const changes = await Promise.all(
        ["src/a.ts", "src/b.ts", "src/c.ts"].map(async (path, nth) => [
          said(`w${nth}`, words),
          ...called(`m${nth}`, {
            id: `c${nth}`,
            tool: "Edit",
            input: { file_path: path },
            title: `Edit ${path}`,
            text: "Edited.",
            display: { kind: "diff", path, hunks: await hunksOf("before\n", "after\n"), created: false },
          }),
        ]),
      )
      const entries = [prompt("Go", "p1"), ...changes.flat(), said("end", words)]
      await seed(server().store, { id, title: id, query: "Go", stage: "completed", entries })
      const { page, troubles } = await signedIn("operator", `#/sessions/${id}`, view)
      await page.getByRole("group", { name: "Changes to src/c.ts" }).waitFor()
      const reached = async (key: string, path: string): Promise<void> => {
        await page.keyboard.press(key)
        await page.locator(`[aria-label="Changes to ${path}"]:focus`).waitFor()
        await untilSeen(page, `[aria-label="Changes to ${path}"]`)
      }
      // A session opens at its end.
      await reached("p", "src/c.ts")
      await reached("p", "src/b.ts")
      await reached("p", "src/a.ts")
      await reached("n", "src/b.ts")
      expect(troubles).toEqual([])
    },
  )

  test("a session says that nobody can take it and why, and who else works in its folder", async () => {
    const { store } = server()
    for (const [id, labels] of [
      ["nobody-takes", ["arm"]],
      ["same-folder", ["nobody", "else"]],
    ] as const)
      await store.sessions.create(
        {
          id,
          title: `Title of ${id}`,
          query: "Do it",
          mode: "default",
          model: "sim/demo",
          opening: { workspace: { path: "/srv/both" }, confined: true },
          labels,
        },
        "ann",
      )
    const { page, troubles } = await signedIn("operator", "#/sessions/nobody-takes")
    await page.getByText("No worker that runs has the labels arm.").waitFor()
    await page.getByText("Another session works in /srv/both too").waitFor()
    await page.getByRole("link", { name: "Title of same-folder" }).waitFor()
    expect(await page.locator(".session-head .pill").textContent()).toBe("No worker")
    await go(page, "#/sessions")
    const row = page.getByRole("link", { name: "Title of nobody-takes" })
    expect(await row.locator(".pill").textContent()).toBe("No worker")
    expect(troubles).toEqual([])
  })

  test("parts of a long command are shortened, and what leaves the machine is marked", async () => {
    const push = "git push origin HEAD:release --force-with-lease --set-upstream --atomic"
    const command = `npm run build && ${push}`
    const asks: readonly QuestionAsk[] = [
      {
        ...commandAsk(command),
        parts: [
          { text: "npm run build", needsConsent: true, why: "may change files or run code" },
          { text: push, needsConsent: true, why: "sends commits to origin", leaves: true },
        ],
      } as QuestionAsk,
    ]
    await seed(server().store, { ...waitingCommand("leaving", command), asks })
    const { page } = await signedIn("operator", "#/sessions/leaving")
    const parts = page.getByRole("list", { name: "Parts that need approval" })
    await parts.waitFor()
    expect(await parts.getByRole("listitem").allTextContents()).toEqual([
      "npm run build may change files or run code",
      "git push origin HEAD:release --force-with-lease … sends commits to origin",
    ])
    expect(await parts.locator(".leaves").allTextContents()).toEqual(["sends commits to origin"])
    // The command itself is there, once and whole.
    expect(await page.getByLabel("Command", { exact: true }).textContent()).toBe(command)
  })

  test.each(turn(screens))(
    "at a %s a long plan opens at its beginning, and the bar covers nothing of what is written",
    async (where, view) => {
      const id = `long-plan-${where}`
      const steps = Array.from({ length: 80 }, (_, i) => `- step ${i}`).join("\n")
      const ask = { ...planAsk, plan: `# Many steps\n\n${steps}` }
      await seed(server().store, { id, title: id, query: "q", stage: "awaiting_plan_approval", asks: [ask] })
      const { page, troubles } = await signedIn("operator", `#/sessions/${id}`, view)
      await page.locator("[data-answer=yes]:enabled").waitFor()
      await untilSeen(page, "article h2")
      await go(page, "#/sessions/s_tool")
      await page.getByRole("article", { name: "Run this command?" }).locator("[data-answer=yes]:enabled").waitFor()
      await untilSeen(page, ".composer textarea")
      expect(troubles).toEqual([])
    },
  )

  test("a session opens at its end, also where the browser tells late that the page was scrolled", async () => {
    const { page } = await signedIn("operator", "#/sessions", phone)
    // Browsers tell with the next picture; by then the page may have grown.
    await page.evaluate(`new MutationObserver(() => dispatchEvent(new Event("scroll")))
      .observe(document.body, { childList: true, subtree: true })`)
    await go(page, "#/sessions/s_tool")
    await page.getByRole("article", { name: "Run this command?" }).locator("[data-answer=yes]:enabled").waitFor()
    await page.locator(".conversation .item").first().waitFor()
    await untilSeen(page, ".composer textarea")
  })
})

/** Until it is in the window and nothing lies over its corners; the page may still be moving. */
const untilSeen = (page: Page, selector: string): Promise<void> =>
  comesTrue(
    page,
    `(() => {
    const found = document.querySelector(${JSON.stringify(selector)})
    const { left, right, top, bottom } = found.getBoundingClientRect()
    const isOwn = (x, y) => found.contains(document.elementFromPoint(x, y))
    return isOwn(left + 6, top + 6) && isOwn(right - 6, bottom - 6)
  })()`,
  )

const untilCalled = (page: Page, title: string): Promise<void> =>
  comesTrue(page, `document.title.endsWith(${JSON.stringify(title)})`)
