/** The page in a real browser: stories at a desk and on a phone, over a fleet in which something of everything happens. */

import { describe, expect, test } from "bun:test"
import { messageOp } from "#fleet/ops.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import type { Lease } from "#fleet/records.ts"
import { secretOf } from "../../kit/fleet/web-server.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { hasBrowser, phone, screens } from "../../kit/web/browser.ts"
import { linesOf, said } from "../../kit/web/lines.ts"
import { openPageStories } from "../../kit/web/page-stories.ts"
import { openTurns } from "../../kit/turns.ts"
import { choiceAsk, editAsk, partsAsk, planAsk, reviewAsk, type Seeded, seed } from "../../kit/web/seeds.ts"
import { until } from "../../kit/until.ts"

const { server, browsing, signedIn, go, card, waitingCommand, decidedOf } = openPageStories()
const turn = openTurns()

describe.skipIf(!hasBrowser)("the page, in Chromium", () => {
  test("without a sign-in it says what to do, refuses a wrong token, and opens with a right one", async () => {
    const { page, troubles } = await browsing.look(server().url)
    await page.getByRole("heading", { name: "Sign in to Codewright" }).waitFor()
    expect(await page.textContent("main")).toContain("codewright serve")
    await page.getByLabel("Or sign in with your token").fill("x".repeat(20))
    await page.getByRole("button", { name: "Sign in" }).click()
    expect(await page.getByRole("alert").textContent()).toContain("not valid")
    await page.getByLabel("Or sign in with your token").fill(secretOf("operator"))
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Inbox" }).waitFor()
    // No script can read what signs the browser in.
    expect(await page.evaluate("document.cookie")).toBe("")
    expect(troubles).toEqual([])
  })

  test("a link signs in once, and signing out ends it", async () => {
    const { page } = await browsing.look(server().signInLink())
    await page.getByRole("heading", { name: "Inbox" }).waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in to Codewright" }).waitFor()
  })

  test("its files come with a strict policy, and are kept by their names", async () => {
    const index = await fetch(server().url)
    const html = await index.text()
    const policy = index.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain("unsafe")
    expect(html).not.toMatch(/<script>|<style|style=|\son\w+=/)
    expect(index.headers.get("x-content-type-options")).toBe("nosniff")
    expect(index.headers.get("referrer-policy")).toBe("no-referrer")
    const [, script = ""] = /src="([^"]+)"/.exec(html) ?? []
    const asset = await fetch(new URL(script, server().url))
    expect(asset.headers.get("cache-control")).toContain("immutable")
    expect(asset.headers.get("content-type")).toContain("javascript")
    for (const path of ["/main.tsx", "/index.html", "/../package.json", "/%2e%2e/package.json", "/style.css"])
      expect((await fetch(`${server().url}${path}`)).status).toBe(401)
  })

  test.each(turn(screens))(
    "at a %s a command is shown once and whole, and runs after one press",
    async (id, viewport) => {
      const command = `npm version minor\nnpm publish --tag ${id}`
      await seed(server().store, waitingCommand(id, command))
      const { page, troubles } = await signedIn("operator", "#/", viewport)
      const own = card(page, id)
      await own.getByRole("heading", { name: "Run this command?" }).waitFor()
      expect((await own.textContent())?.split(`npm publish --tag ${id}`)).toHaveLength(2)
      expect(await own.getByLabel("Risks").textContent()).toBe("Publishes a package")
      await own.getByRole("button", { name: "Allow" }).click()
      await page.getByText("You allowed this.").first().waitFor()
      await own.waitFor({ state: "detached" })
      const [decided] = await decidedOf(id)
      expect([decided?.state, decided?.decidedBy, decided?.answer]).toEqual([
        "allowed",
        "the operator",
        { decision: "allow" },
      ])
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      expect(troubles).toEqual([])
    },
  )

  test("a command can be edited, remembered, and denied with words", async () => {
    await seed(server().store, waitingCommand("edited", "rm -r build"))
    await seed(server().store, waitingCommand("worded", "rm -r dist"))
    const { page } = await signedIn("operator", "#/sessions/edited")
    const edited = page.getByRole("article", { name: "Run this command?" })
    await edited.getByText("Options").click()
    expect(await edited.getByLabel("If you allow it").locator("option").allTextContents()).toEqual([
      "Only this time",
      "And don't ask again for npm publish:* in this session",
    ])
    await edited.getByLabel("If you allow it").selectOption("session")
    await edited.getByRole("button", { name: "Edit the command" }).click()
    await edited.getByLabel("Command to run instead").fill("rm -r build/tmp")
    await edited.getByLabel("Add instructions for the model").fill("Keep the folder")
    await edited.getByRole("button", { name: "Allow the edited command" }).click()
    await edited.waitFor({ state: "detached" })
    await go(page, "#/")
    const worded = card(page, "worded")
    await worded.getByText("The model says: Publish the package", { exact: true }).waitFor()
    expect(await worded.getByText("description", { exact: true }).count()).toBe(0)
    await worded.getByText("Options").click()
    // The inbox offers the same.
    expect(await worded.getByLabel("If you allow it").locator("option").count()).toBe(2)
    // An admin may also save it for others.
    const admin = await signedIn("admin", "#/sessions/worded")
    const lasting = admin.page.getByRole("article", { name: "Run this command?" })
    await lasting.getByText("Options").click()
    expect(await lasting.getByLabel("If you allow it").locator("option").last().textContent()).toBe(
      "And don't ask again for npm publish:* in this project, for everyone",
    )
    await worded.getByLabel("Add instructions for the model").fill("Use the script instead")
    await worded.getByRole("button", { name: "Deny" }).click()
    await worded.waitFor({ state: "detached" })
    expect((await decidedOf("edited"))[0]?.answer).toEqual({
      decision: "allow",
      remember: "session",
      input: { command: "rm -r build/tmp", description: "Publish the package" },
      message: "Keep the folder",
    })
    expect((await decidedOf("worded"))[0]?.answer).toEqual({ decision: "deny", message: "Use the script instead" })
  })

  test("in the inbox, parts of a command are remembered, edits accepted from now on, and new files kept or sent back", async () => {
    const asking = (id: string, ask: QuestionAsk): Seeded => ({
      id,
      title: `Session ${id}`,
      query: "q",
      stage: "awaiting_tool_approval",
      asks: [ask],
    })
    await seed(server().store, asking("parted", partsAsk))
    await seed(server().store, asking("accepted", await editAsk()))
    await seed(server().store, asking("reviewed", await reviewAsk()))
    const { page, troubles } = await signedIn("operator")
    const parted = card(page, "parted")
    await parted.waitFor()
    expect(
      await parted.getByRole("list", { name: "Parts that need approval" }).locator("code").allTextContents(),
    ).toEqual(["npm install", "npm run build"])
    await parted.getByText("Options").click()
    await parted.getByLabel("If you allow it").selectOption("And don't ask again for the checked parts in this session")
    await parted.getByRole("group", { name: "Don't ask again for" }).getByLabel("npm run build:*").uncheck()
    await parted.getByRole("button", { name: "Allow" }).click()
    await parted.waitFor({ state: "detached" })
    const accepted = card(page, "accepted")
    await accepted.getByRole("heading", { name: "Apply this edit to src/cart.js?" }).waitFor()
    await accepted.getByText("Options").click()
    await accepted.getByLabel("If you allow it").selectOption("And accept all edits this session")
    await accepted.getByRole("button", { name: "Allow" }).click()
    await accepted.waitFor({ state: "detached" })
    const reviewed = card(page, "reviewed")
    await reviewed.getByRole("heading", { name: "Keep the new file src/tax.js?" }).waitFor()
    const changes = reviewed.getByRole("button", { name: "Keep and ask for changes" })
    expect(await changes.isDisabled()).toBe(true)
    await reviewed.getByLabel("Tell the model what to change").fill("Name it rates.js")
    await changes.click()
    await reviewed.waitFor({ state: "detached" })
    const answers = await Promise.all(["parted", "accepted", "reviewed"].map(decidedOf))
    expect(answers.map(([decided]) => decided?.answer)).toEqual([
      { decision: "allow", remember: "session", rules: ["Bash(npm install:*)"] },
      { decision: "allow", mode: "acceptEdits" },
      { decision: "deny", message: "Name it rates.js", keep: true },
    ])
    expect(troubles).toEqual([])
  })

  test("a new file that is too large for the inbox is cut there, and says so", async () => {
    // Long lines, and not many: whoever looks at the inbox later in this file has them in it.
    const lines = Array.from({ length: 300 }, (_, i) => `export const rate${i} = 0.19 // ${"as it is ".repeat(60)}\n`)
    const asks = [await reviewAsk(lines.join(""))]
    await seed(server().store, {
      id: "large",
      title: "Session large",
      query: "q",
      stage: "awaiting_tool_approval",
      asks,
    })
    const { page, troubles } = await signedIn("operator")
    const cut = card(page, "large")
    await cut.getByText("rate0 = ").waitFor()
    const shown = await cut.locator("tr.added").count()
    expect(await cut.getByRole("note").textContent()).toBe(`${lines.length - shown} lines are not shown here.`)
    expect(await cut.locator(".counts").textContent()).toContain("+300")
    expect(troubles).toEqual([])
  })

  test("of two people one decides, and the other is told who and what", async () => {
    await seed(server().store, waitingCommand("both", "make deploy"))
    const [ann, ben] = [await signedIn("operator"), await signedIn("admin")]
    await card(ben.page, "both").waitFor()
    await card(ann.page, "both").getByRole("button", { name: "Deny" }).click()
    await ben.page.getByText("the operator denied this.").waitFor()
    await card(ben.page, "both").waitFor({ state: "detached" })
  })

  test("who decides second is told that the first decision stands", async () => {
    await seed(server().store, waitingCommand("late", "make release"))
    const { page } = await signedIn("admin")
    let isDeaf = false
    await page.route(/\/api\/approvals/, async (route) => {
      const response = await route.fetch()
      if (!isDeaf) await route.fulfill({ response })
    })
    await page.reload()
    const own = card(page, "late")
    await own.getByRole("button", { name: "Allow" }).waitFor()
    // From here on this browser hears nothing new, also not what it has asked for already.
    isDeaf = true
    const [open] = await decidedOf("late")
    valueOf(
      await server().store.approvals.decide({
        sessionId: "late",
        approvalId: open?.id ?? "",
        digest: open?.digest ?? "",
        allows: false,
        answer: { decision: "deny" },
        by: "the operator",
      }),
    )
    await own.getByRole("button", { name: "Allow" }).click()
    await page.getByText("Your decision came second and changes nothing: the operator denied this.").waitFor()
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await page.evaluate(`localStorage.setItem("codewright.theme", "dark")`)
  })

  test("a viewer sees everything and decides nothing", async () => {
    await seed(server().store, waitingCommand("seen", "make test"))
    const { page } = await signedIn("viewer")
    // Whoever had this browser before has left nothing in it.
    expect(await page.evaluate(`localStorage.getItem("codewright.theme")`)).toBe("system")
    const own = card(page, "seen")
    await own.getByText("Your role is viewer").waitFor()
    expect(await own.getByRole("button", { name: "Allow" }).isDisabled()).toBe(true)
    expect(await page.getByRole("link", { name: "Audit" }).count()).toBe(0)
  })

  test("the audit begins with the latest, goes on where asked, and can be that of one person", async () => {
    const { store } = server()
    await store.note("an early bird", "came first")
    for (let i = 0; i < 250; i++) await store.note("a busy one", `act ${i}`)
    const { page } = await signedIn("admin", "#/audit")
    const rows = page.getByRole("region", { name: "Audit entries" }).locator("tbody tr")
    await page.getByText("act 249", { exact: true }).waitFor()
    expect(await rows.count()).toBe(200)
    expect(await page.getByText("act 0", { exact: true }).count()).toBe(0)
    await page.getByRole("button", { name: "Load more" }).click()
    await page.getByText("came first", { exact: true }).waitFor()
    expect(await rows.count()).toBeGreaterThan(250)
    await page.getByLabel("User").selectOption("an early bird")
    await page.getByText("act 249", { exact: true }).waitFor({ state: "detached" })
    await rows.first().waitFor()
    expect(await rows.count()).toBe(1)
    expect(await rows.textContent()).toContain("came first")
    expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0)
  })

  test("questions are answered by choices and in one's own words", async () => {
    await seed(server().store, {
      id: "asked",
      title: "Session asked",
      query: "q",
      stage: "awaiting_answer",
      asks: [choiceAsk],
    })
    const { page } = await signedIn("operator")
    const own = card(page, "asked")
    const send = own.getByRole("button", { name: "Send answer" })
    await own.getByLabel("The settings").check()
    expect(await send.isDisabled()).toBe(true)
    await own.getByLabel("Germany").check()
    await own.getByLabel("Austria").check()
    await own.getByRole("group", { name: "Which countries at first?" }).getByLabel("Another answer").fill("Italy")
    await send.click()
    await own.waitFor({ state: "detached" })
    expect((await decidedOf("asked"))[0]?.answer).toEqual({
      answers: {
        "Where should the tax rates come from?": "The settings",
        "Which countries at first?": "Germany, Austria, Italy",
      },
    })
  })

  test("a plan is read with what it names, edited and approved, or sent back", async () => {
    const planned = (id: string): Seeded => ({
      id,
      title: `Session ${id}`,
      query: "q",
      stage: "awaiting_plan_approval",
      asks: [planAsk],
    })
    await seed(server().store, planned("approved"))
    await seed(server().store, planned("rejected"))
    const { page, troubles } = await signedIn("operator", "#/sessions/approved")
    const own = page.getByRole("article", { name: "Approve this plan?" })
    await own.getByRole("heading", { name: "Add taxes to the cart" }).waitFor()
    await own.getByText("Creates 1 file, changes 2 files, runs 1 command.").waitFor()
    // Each of them once.
    expect(await own.locator("code").allTextContents()).toEqual([
      "total",
      "src/cart.js",
      "src/checkout.js",
      "test/cart.test.js",
      "npm test",
    ])
    await own.getByRole("button", { name: "Edit", exact: true }).click()
    const less = "# Less\n\n1. Only the total\n\n## Commands\n- `make test`\n\n## Tests\n- `the total`"
    await own.getByLabel("Plan", { exact: true }).fill(less)
    // What the plan names follows what is written.
    await own.getByText("Runs 1 command, 1 test.").waitFor()
    await own.getByRole("button", { name: "Preview" }).click()
    await own.getByRole("heading", { name: "Less" }).waitFor()
    const wishes = own.getByRole("group", { name: "If you approve, don't ask before" })
    expect(await wishes.locator("label").allTextContents()).toEqual([
      "run the tests npm test",
      "install dependencies npm install",
      "tidy up not understood; allows nothing",
    ])
    expect(await wishes.getByLabel("tidy up").isDisabled()).toBe(true)
    await wishes.getByLabel("install dependencies").uncheck()
    await own.getByLabel("After approval").selectOption("default")
    await own.getByRole("button", { name: "Approve the edited plan" }).click()
    await page.getByText("You approved this.").waitFor()
    expect((await decidedOf("approved"))[0]?.answer).toEqual({ mode: "default", plan: less, wishes: ["run the tests"] })
    await go(page, "#/")
    const other = card(page, "rejected")
    await other.waitFor()
    expect(await other.locator("li code").allTextContents()).toEqual([
      "total",
      "src/cart.js",
      "src/checkout.js",
      "test/cart.test.js",
      "npm test",
    ])
    await other.getByLabel(/Add instructions/).fill("Keep the old total")
    await other.getByRole("button", { name: "Keep planning" }).click()
    await other.waitFor({ state: "detached" })
    const [rejected] = await decidedOf("rejected")
    expect([rejected?.state, rejected?.answer]).toEqual(["denied", { feedback: "Keep the old total" }])
    expect(troubles).toEqual([])
  })

  test("a message and an interrupt reach the session", async () => {
    await seed(server().store, { id: "steered", title: "Steered", query: "q", stage: "executing", isHeld: true })
    const { page } = await signedIn("operator", "#/sessions/steered")
    await page.getByLabel("Message").fill("Use the other file")
    await page.keyboard.press("Control+Enter")
    await page.getByRole("button", { name: "Interrupt" }).click()
    await page.getByRole("button", { name: "Send" }).waitFor()
    const ordered = async () =>
      (await server().store.ops.waiting("steered")).flatMap(({ op, by }) => (by === "ann" ? [] : [{ op, by }]))
    await until(async () => (await ordered()).length >= 2)
    expect(await ordered()).toEqual([
      { op: messageOp("Use the other file"), by: "the operator" },
      { op: { type: "interrupt" }, by: "the operator" },
    ])
    expect(await page.getByLabel("Message").inputValue()).toBe("")
  })

  test("a new session is asked for whole, and opened", async () => {
    const { page } = await signedIn("operator", "#/new", phone)
    await page.getByRole("button", { name: "Start session" }).click()
    expect(await page.getByRole("alert").textContent()).toBe("Write the task.")
    await page.getByRole("textbox", { name: "Task" }).fill("Make it fast")
    await page.getByLabel("Repository").fill("https://git.example.com/app.git")
    await page.getByLabel("Branch or tag").fill("main")
    await page.getByLabel("Budget in US dollars").fill("2.5")
    await page.getByLabel("Mode", { exact: true }).selectOption("plan")
    await page.getByLabel("Have me approve a plan before anything changes").check()
    await page.getByRole("button", { name: "Start session" }).click()
    await page.getByRole("heading", { name: "Make it fast" }).waitFor()
    const [made] = await server().store.sessions.list({ limit: 1, createdBy: "the operator" })
    expect([made?.mode, made?.query, made?.opening]).toEqual([
      "plan",
      "Make it fast",
      {
        workspace: { git: { url: "https://git.example.com/app.git", ref: "main" } },
        budgetUsd: 2.5,
        gates: { plan: true },
        confined: true,
      },
    ])
  })

  test("an edit is shown as a difference with its lines, in its session and in the inbox", async () => {
    await seed(server().store, {
      id: "change",
      title: "Session change",
      query: "q",
      stage: "awaiting_tool_approval",
      asks: [await editAsk()],
    })
    const { page, troubles } = await signedIn("operator", "#/sessions/change")
    const diff = page.locator("article figure.diff")
    await diff.waitFor()
    expect(await diff.locator("mark").allTextContents()).toContain(", taxRate = 0")
    expect(await diff.locator("tr.added").count()).toBe(3)
    await go(page, "#/")
    const inInbox = card(page, "change").locator("figure.diff")
    await inInbox.waitFor()
    expect(await inInbox.locator("mark").allTextContents()).toContain(", taxRate = 0")
    expect(await inInbox.locator("tr.added .number").allTextContents()).toEqual(["1", "3", "4"])
    expect(troubles).toEqual([])
  })

  test("a session is followed live, through being offline, and nothing is missed or shown twice", async () => {
    const lease: Lease = await seed(server().store, {
      id: "live",
      title: "Live one",
      query: "Go",
      stage: "executing",
      isHeld: true,
    })
    const { page, context, troubles } = await signedIn("operator", "#/sessions/live")
    const say = async (nth: number, words: string): Promise<void> => {
      valueOf(await server().store.lines.ship(lease, nth + 1, linesOf("live", [said(`m${nth}`, words)], nth)))
    }
    const delta = { type: "model_delta", messageId: "m1", delta: { type: "text_delta", index: 0, text: "Half a sen" } }
    // Live text is written only while somebody looks.
    await until(() => server().store.lines.isWatched("live"))
    valueOf(await server().store.lines.pass(lease, [JSON.stringify(delta)]))
    await page.getByText("Half a sen").waitFor()
    await say(1, "Half a sentence, and the **rest**.")
    await page.locator("strong", { hasText: "rest" }).waitFor()
    await context.setOffline(true)
    await page.getByText("Offline. What you see may be out of date").waitFor()
    await say(2, "Said while nobody heard it.")
    await context.setOffline(false)
    await page.getByText("Said while nobody heard it.").waitFor()
    await say(3, "And after that.")
    await page.getByText("And after that.").waitFor()
    const items = await page.locator(".item.said").allTextContents()
    expect(items).toEqual(["Half a sentence, and the rest.", "Said while nobody heard it.", "And after that."])
    await page.getByText("Offline. What you see").waitFor({ state: "hidden" })
    expect(troubles).toEqual([])
  })

  test("what an approval became is seen in its session", async () => {
    await seed(server().store, waitingCommand("seen-there", "make it"))
    const [ann, ben] = [await signedIn("operator"), await signedIn("admin", "#/sessions/seen-there")]
    await ben.page.getByRole("heading", { name: "Run this command?" }).waitFor()
    await card(ann.page, "seen-there").getByRole("button", { name: "Allow" }).click()
    await ben.page.getByText("the operator allowed this.").waitFor()
    expect(await ben.page.getByRole("region", { name: "Decisions" }).textContent()).toContain("Allowed by the operator")
  })

  test("everything can be done with the keyboard alone, and no letter decides anything", async () => {
    await seed(server().store, waitingCommand("keys", "make keys"))
    const { page, troubles } = await signedIn("operator")
    await card(page, "keys").waitFor()
    await page.keyboard.press("?")
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor({ state: "detached" })
    // To the card of this test, whatever else waits.
    const all = await page.locator("[data-approval]").count()
    for (let presses = 0; presses <= all; presses++) {
      await page.keyboard.press("j")
      if ((await card(page, "keys").and(page.locator(":focus-within")).count()) > 0) break
    }
    await card(page, "keys").locator("[data-answer=yes]:enabled").waitFor()
    await page.keyboard.press("a")
    expect(await page.locator(":focus").textContent()).toBe("Allow")
    expect((await decidedOf("keys"))[0]?.state).toBe("open")
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid")
    // A card that has just moved takes no answer for a moment, and its button is no longer chosen.
    const allow = card(page, "keys").locator("[data-answer=yes]:enabled")
    const isGone = (): Promise<boolean> =>
      card(page, "keys")
        .waitFor({ state: "detached", timeout: 3_000 })
        .then(
          () => true,
          () => false,
        )
    await page.keyboard.press("Enter")
    while (!(await isGone())) await allow.focus().then(() => page.keyboard.press("Enter"))
    expect((await decidedOf("keys"))[0]?.state).toBe("allowed")
    await page.keyboard.press("g")
    await page.keyboard.press("n")
    await page.getByRole("heading", { name: "New session" }).waitFor()
    await page.getByRole("textbox", { name: "Task" }).focus()
    await page.keyboard.type("a d j g i ?")
    expect(await page.getByRole("textbox", { name: "Task" }).inputValue()).toBe("a d j g i ?")
    await page.keyboard.press("Escape")
    await page.keyboard.press("g")
    await page.keyboard.press("s")
    await page.getByRole("heading", { name: "Sessions" }).waitFor()
    // "New session" is a link as well, and is there before the sessions are.
    await page.locator("main [data-row]").first().waitFor()
    await page.keyboard.press("j")
    await page.locator("[data-row]:focus").waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Conversation" }).waitFor()
    expect(troubles).toEqual([])
  })

  test("the graph of a team changes while one looks", async () => {
    const { page, troubles } = await signedIn("operator", "#/sessions/s_tool")
    await page.getByRole("link", { name: "shop: tasks and members" }).click()
    await page.getByRole("heading", { name: "Team shop" }).waitFor()
    const graph = page.getByRole("region", { name: "Graph of tasks" })
    expect(await graph.locator("svg path").count()).toBe(5)
    expect(await graph.locator("li").first().textContent()).toContain("done")
    await graph.locator("li", { hasText: "Tax rates from the settings" }).getByText("to do").waitFor()
    valueOf(await server().team.board.claim("noah", { id: "3" }))
    const taken = graph.locator("li", { hasText: "Tax rates from the settings" })
    await taken.getByText("in progress").waitFor()
    expect(await taken.textContent()).toContain("noah")
    expect(troubles).toEqual([])
    await go(page, "#/sessions/s_plan/team")
    await page.getByRole("heading", { name: "No team" }).waitFor()
  })

  test("a session that is not there, and an address without a screen, say what to do", async () => {
    const { page } = await signedIn("operator", "#/sessions/none")
    await page.getByRole("heading", { name: "No such session" }).waitFor()
    await go(page, "#/nowhere")
    await page.getByRole("heading", { name: "Nothing here" }).waitFor()
  })
})
