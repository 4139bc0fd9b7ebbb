/** Being told on a phone and at a desk, in a real browser: the app that is installed, its worker, the settings, and links that decide. */

import { afterAll, describe, expect, test } from "bun:test"
import type { CDPSession, Page, Worker } from "playwright-core"
import { axeProblems } from "../../kit/web/axe.ts"
import { until } from "../../kit/until.ts"
import { comesTrue, desktop, hasBrowser, phone } from "../../kit/web/browser.ts"
import { evil } from "../../kit/web/hostile.ts"
import { openPageStories } from "../../kit/web/page-stories.ts"
import { openTurns } from "../../kit/turns.ts"
import { openPushService } from "../../kit/push-service.ts"
import { seed } from "../../kit/web/seeds.ts"

const service = openPushService()
afterAll(() => service.close())

const tested: string[] = []
/** Not a key, but as long as one. */
const serverKey = Buffer.alloc(65, 7).toString("base64url")
const { server, browsing, signedIn, go, waitingCommand, decidedOf } = openPageStories({
  push: {
    serverKey,
    problemOf: ({ endpoint }) => Promise.resolve(endpoint.startsWith(service.url) ? undefined : "It is elsewhere."),
    test: ({ endpoint }) => Promise.resolve(void tested.push(endpoint)),
  },
  channelsOf: () => ["Slack"],
})

const turn = openTurns()
const notifying = { permissions: ["notifications"] }
/** Whoever comes by a link needs no worker, so the next such story has the same browser. */
const byLink = { reducedMotion: "reduce", serviceWorkers: "block" } as const

/** There is no push service without a network: the browser's own way to subscribe is replaced by one that gives out a subscription of the test's. */
async function subscribable(page: Page, name: string): Promise<void> {
  const { endpoint, keys } = await service.browser(name)
  await page.evaluate(`(() => {
    Notification.requestPermission = async () => "granted"
    Object.defineProperty(Notification, "permission", { get: () => "granted" })
    let subscription = null
    PushManager.prototype.getSubscription = async () => subscription
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (!userVisibleOnly || applicationServerKey.byteLength !== 65) throw new Error("not so")
      subscription = {
        options: { applicationServerKey: applicationServerKey.buffer },
        toJSON: () => (${JSON.stringify({ endpoint, keys })}),
        unsubscribe: async () => { subscription = null; return true },
      }
      return subscription
    }
  })()`)
}

/** The page's worker. It shows notifications in a list of the test's: browsers without a screen show none, or do not close them. */
async function worker(page: Page): Promise<Worker> {
  await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
  const [own] = page.context().serviceWorkers()
  if (!own) throw new Error("there is no worker")
  await own.evaluate(`(() => {
      let all = []
      registration.showNotification = async (title, options) => {
        const shown = { title, ...options, close: () => (all = all.filter((each) => each !== shown)) }
        all = [...all.filter(({ tag }) => tag === undefined || tag !== shown.tag), shown]
      }
      registration.getNotifications = async () => all
    })()`)
  return own
}

/** Delivers a message as a push service would, decrypted by the browser. */
async function deliver(page: Page, data: string): Promise<void> {
  const cdp: CDPSession = await page.context().newCDPSession(page)
  const found = Promise.withResolvers<string>()
  cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(server().url))
    if (own) found.resolve(own.registrationId)
  })
  await cdp.send("ServiceWorker.enable")
  await cdp.send("ServiceWorker.deliverPushMessage", {
    origin: server().url,
    registrationId: await found.promise,
    data,
  })
  await cdp.detach()
}

interface Shown {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly actions: readonly string[]
}

const shown = (own: Worker): Promise<readonly Shown[]> =>
  own.evaluate(`registration.getNotifications().then((all) =>
    all.map(({ title, body, tag, actions }) => ({ title, body, tag, actions: actions.map(({ action }) => action) })))`)

async function isShown(own: Worker, count: number): Promise<void> {
  await until(async () => (await shown(own)).length === count)
}

/** A click, as the system would tell the worker of it. */
const click = (own: Worker, action: string): Promise<unknown> =>
  own.evaluate(`registration.getNotifications().then(async ([notification]) => {
    const waited = []
    const event = Object.assign(new ExtendableEvent("notificationclick"), { notification, action: ${JSON.stringify(action)} })
    event.waitUntil = (work) => waited.push(work)
    self.dispatchEvent(event)
    await Promise.allSettled(waited)
  })`)

const pushOf = (id: string, asked: { readonly id: string; readonly digest: string }): string =>
  JSON.stringify({
    title: `Session ${id}`,
    body: "Waits for approval",
    sessionId: id,
    approvalId: asked.id,
    digest: asked.digest,
    kind: "tool",
    tag: id,
  })

/** A link of the operator's to what this session waits for, as a message would have it. */
async function linkTo(id: string, secret: string, allows?: boolean): Promise<void> {
  const { store } = server()
  const hook = `https://chat.example/#${id}`
  await store.deliveries.delivered(hook)
  // The approval waits already, so this address is told of it only because the test says so.
  await server().rows("update fleet_hooks set since = 0")
  await store.deliveries.catchUp([hook])
  const due = await store.deliveries.due([hook], 1000)
  const delivery = due.find(({ session }) => session.id === id)
  await store.decisionLinks.make(delivery?.id ?? "", { secret, who: "the operator", allows, forMs: 60_000 })
}

describe.skipIf(!hasBrowser)("on the page", () => {
  test("it can be installed, works offline as a plain page, and keeps nothing private", async () => {
    const { page, context, troubles } = await signedIn("operator")
    await worker(page)
    const cdp = await context.newCDPSession(page)
    const { errors, data = "" } = await cdp.send("Page.getAppManifest")
    expect(errors).toEqual([])
    expect(JSON.parse(data)).toMatchObject({ name: "Codewright", start_url: "/", display: "standalone", scope: "/" })
    const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors")
    // A window that is not to be remembered offers no installation.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual([])
    for (const { src, sizes } of (JSON.parse(data) as { icons: readonly { src: string; sizes: string }[] }).icons)
      expect(
        await page.evaluate<string>(
          `fetch("${src}").then((each) => each.blob()).then((each) => createImageBitmap(each)).then(({ width, height }) => width + "x" + height)`,
        ),
      ).toBe(sizes)
    await go(page, "#/sessions")
    await page.getByRole("heading", { name: "Sessions" }).waitFor()
    const kept =
      "caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((cache) => cache.keys())))).then((all) => all.flat().map(({ url }) => new URL(url).pathname))"
    expect(await page.evaluate<readonly string[]>(kept)).toEqual(["/offline.html"])
    await context.setOffline(true)
    await page.reload()
    await page.getByRole("heading", { name: "The server cannot be reached" }).waitFor()
    expect(await axeProblems(page)).toEqual([])
    await context.setOffline(false)
    await page.reload()
    await page.getByRole("heading", { name: "Sessions" }).waitFor()
    expect(troubles).toEqual([])
  }, 300_000)

  const devices = [
    ["phone", phone, "dark"],
    ["desk", desktop, "light"],
  ] as const
  test.each(turn(devices))(
    "a device is turned on, tested and removed, and quiet hours are kept: %s",
    async (name, viewport, colorScheme) => {
      const role = name === "desk" ? "operator" : "admin"
      const { page, troubles } = await signedIn(role, "#/", viewport, {
        ...notifying,
        colorScheme,
        timezoneId: "America/New_York",
      })
      await subscribable(page, name)
      await worker(page)
      await go(page, "#/notifications")
      await page.getByText("No devices yet.").waitFor()
      await page.getByRole("button", { name: "Turn on for this device" }).click()
      await page.getByText("Notifications are on for this device.").waitFor()
      await page.getByText("this device", { exact: true }).waitFor()
      await page.getByText("You are also notified by Slack.").waitFor()
      await page.getByRole("button", { name: /^Send a test/ }).click()
      await page.getByText("Test sent.").waitFor()
      expect(tested.at(-1)).toEndWith(`/push/${name}`)
      await page.getByLabel("Quiet hours").check()
      await page.getByLabel("From").fill("21:30")
      await page.getByLabel("Notify me about").selectOption("all")
      expect(await axeProblems(page)).toEqual([])
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Saved.").waitFor()
      const who = `the ${role}`
      expect(await server().store.notifying.wishesOf(who)).toEqual({
        hearsAll: true,
        quiet: { from: "21:30", to: "07:00", zone: "America/New_York" },
      })
      await page.getByRole("button", { name: /^Remove/ }).click()
      await page.getByRole("button", { name: "Turn on for this device" }).click()
      await page.getByText("this device", { exact: true }).waitFor()
      expect(await server().store.notifying.devices(who)).toHaveLength(1)
      if (name === "phone") await page.getByRole("button", { name: "More" }).click()
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("heading", { name: "Sign in to Codewright" }).waitFor()
      expect(await server().store.notifying.devices(who)).toEqual([])
      expect(troubles).toEqual([])
    },
    300_000,
  )

  test("a message is shown; a click opens what it is about, and Deny denies it once", async () => {
    for (const id of ["pushed", "denied"]) await seed(server().store, waitingCommand(id, `make ${id}`))
    const { page, troubles } = await signedIn("operator", "#/", desktop, notifying)
    const own = await worker(page)
    const [asked, other] = [(await decidedOf("pushed"))[0], (await decidedOf("denied"))[0]]
    if (!asked || !other) throw new Error("nothing waits")
    await deliver(page, pushOf("pushed", asked))
    await isShown(own, 1)
    // What is told again replaces what is shown.
    await deliver(page, pushOf("pushed", asked))
    expect(await shown(own)).toEqual([
      { title: "Session pushed", body: "Waits for approval", tag: "pushed", actions: ["deny"] },
    ])
    await click(own, "")
    await comesTrue(page, `location.hash.startsWith("#/sessions/pushed")`)
    await comesTrue(page, `document.activeElement?.dataset.approval === ${JSON.stringify(asked.id)}`)
    expect((await decidedOf("pushed"))[0]?.state).toBe("open")
    expect(await shown(own)).toEqual([])
    await deliver(page, pushOf("denied", other))
    await isShown(own, 1)
    await click(own, "deny")
    expect((await decidedOf("denied"))[0]).toMatchObject({ state: "denied", decidedBy: "the operator" })
    expect(page.url()).toContain("#/sessions/pushed")
    // What was decided elsewhere is shown no more: on an open page at once, otherwise when something else comes.
    const three = ["elsewhere", "late", "stays"]
    for (const id of three) await seed(server().store, waitingCommand(id, `make ${id}`))
    const [elsewhere, late, stays] = await Promise.all(three.map(async (id) => (await decidedOf(id))[0]))
    if (!elsewhere || !late || !stays) throw new Error("nothing waits")
    await deliver(page, pushOf("elsewhere", elsewhere))
    await deliver(page, pushOf("stays", stays))
    await isShown(own, 2)
    const decide = (id: string, { id: approval, digest }: { readonly id: string; readonly digest: string }) =>
      server().ask("POST", `/api/sessions/${id}/approvals/${approval}`, {
        as: "operator",
        body: { decision: "allow", digest },
      })
    expect((await decide("elsewhere", elsewhere)).status).toBe(200)
    await isShown(own, 1)
    expect((await shown(own)).map(({ tag }) => tag)).toEqual(["stays"])
    // As if no page were open.
    await page.evaluate("navigator.serviceWorker.getRegistration = async () => undefined")
    await deliver(page, pushOf("late", late))
    await isShown(own, 2)
    expect((await decide("late", late)).status).toBe(200)
    await deliver(page, pushOf("stays", stays))
    await isShown(own, 1)
    expect((await shown(own)).map(({ tag }) => tag)).toEqual(["stays"])
    await own.evaluate("registration.getNotifications().then((all) => all.forEach((each) => each.close()))")
    // Decided meanwhile: the page says by whom. Nonsense is shown as something that waits, and leads to the inbox.
    await deliver(page, pushOf("denied", other))
    await isShown(own, 1)
    await click(own, "deny")
    await comesTrue(page, `location.hash.startsWith("#/sessions/denied")`)
    for (const nonsense of ["not json", `{"title":5,"sessionId":"../../x?y#z","kind":"tool"}`]) {
      await deliver(page, nonsense)
      await isShown(own, 1)
      expect((await shown(own))[0]).toMatchObject({ title: "Codewright", body: "Something waits for you." })
      await click(own, "")
      await isShown(own, 0)
      expect(new URL(page.url()).pathname).toBe("/")
    }
    expect(troubles).toEqual([])
  }, 300_000)

  test.each([
    ["desk", desktop],
    ["phone", phone],
  ] as const)(
    "a link shows the whole action without signing in, decides with one button, and works once: %s",
    async (name, viewport) => {
      const { store } = server()
      const id = `by-link-${name}`
      const secret = `a-link-that-decides-${name}`
      await seed(store, { ...waitingCommand(id, `${evil}\nrm -rf build`), title: evil })
      const link = { allows: name === "desk" }
      await linkTo(id, secret, link.allows)
      const { page, troubles } = await browsing.look(`${server().url}/#/decide/${secret}`, { viewport, ...byLink })
      await page.getByRole("heading", { name: link.allows ? "Allow this command?" : "Deny this command?" }).waitFor()
      expect(await page.getByLabel("Command").textContent()).toContain("rm -rf build")
      expect(await page.getByRole("button", { name: /^(Allow|Deny)/ }).count()).toBe(1)
      expect((await decidedOf(id))[0]?.state).toBe("open")
      expect(await page.evaluate("globalThis.pwned")).toBeUndefined()
      expect(await axeProblems(page)).toEqual([])
      await page.getByRole("button", { name: link.allows ? "Allow" : "Deny", exact: true }).click()
      await page.getByRole("heading", { name: link.allows ? "Allowed" : "Denied" }).waitFor()
      expect((await decidedOf(id))[0]).toMatchObject({
        state: link.allows ? "allowed" : "denied",
        decidedBy: "the operator",
      })
      await page.reload()
      await page.getByRole("heading", { name: "This link was used before" }).waitFor()
      expect(await axeProblems(page)).toEqual([])
      await page.evaluate(`location.hash = "#/decide/something-that-is-no-link"`)
      await page.getByRole("heading", { name: "This link does not work" }).waitFor()
      expect(troubles).toEqual([])
    },
    300_000,
  )

  test.each([
    ["desk", desktop, "light"],
    ["phone", phone, "dark"],
  ] as const)(
    "a link to a plan or a question shows all of it, takes the answer, and works once: %s",
    async (name, viewport, colorScheme) => {
      const [planId, questionId] = [`plan-${name}`, `question-${name}`]
      const [planLink, questionLink] = [`a-link-to-a-plan-${name}`, `a-link-to-a-question-${name}`]
      const { store } = server()
      await seed(store, {
        id: planId,
        title: evil,
        query: "q",
        stage: "awaiting_plan_approval",
        asks: [
          {
            kind: "plan",
            callId: "c1",
            plan: `# Add a tax rate\n\n${evil}\n\n${"A step.\n\n".repeat(60)}The last step.`,
            path: "/plans/a.md",
            modes: ["bypassPermissions", "default", "acceptEdits"],
            wishes: [{ prompt: "run the tests", covers: "npm test" }],
          },
        ],
      })
      await linkTo(planId, planLink)
      const { page, troubles } = await browsing.look(`${server().url}/#/decide/${planLink}`, { viewport, ...byLink })
      await page.emulateMedia({ colorScheme })
      await page.getByRole("heading", { name: "Approve this plan?" }).waitFor()
      expect(await page.locator("main").textContent()).toContain("The last step.")
      const modes = `[...document.querySelectorAll("select option")].map(({ value }) => value)`
      expect(await page.evaluate<readonly string[]>(modes)).toEqual(["acceptEdits", "default"])
      expect(await axeProblems(page)).toEqual([])
      expect(await page.evaluate("globalThis.pwned")).toBeUndefined()
      expect((await decidedOf(planId))[0]?.state).toBe("open")
      await page.getByLabel("Add instructions for the model").fill("In smaller steps")
      const isDesk = name === "desk"
      if (isDesk) await page.getByLabel("After approval").selectOption("default")
      await page.getByRole("button", { name: isDesk ? "Approve" : "Keep planning", exact: true }).click()
      await page.getByRole("heading", { name: isDesk ? "Approved" : "Rejected" }).waitFor()
      expect((await decidedOf(planId))[0]).toMatchObject({
        state: isDesk ? "allowed" : "denied",
        decidedBy: "the operator",
        answer: isDesk
          ? { mode: "default", wishes: ["run the tests"], feedback: "In smaller steps" }
          : { feedback: "In smaller steps" },
      })
      await page.reload()
      await page.getByRole("heading", { name: "This link was used before" }).waitFor()
      const options = [evil, "Blue"].map((label) => ({ label, description: evil }))
      await seed(store, {
        id: questionId,
        title: "Colors",
        query: "q",
        stage: "awaiting_answer",
        asks: [
          {
            kind: "choice",
            callId: "c1",
            questions: [
              { question: "Which color?", header: "Color", options, multiSelect: false },
              { question: `Which sizes? ${evil}`, header: "Sizes", options, multiSelect: true },
            ],
          },
        ],
      })
      await linkTo(questionId, questionLink)
      await go(page, `#/decide/${questionLink}`)
      await page.getByRole("heading", { name: "The model has a question" }).waitFor()
      expect(await axeProblems(page)).toEqual([])
      const send = page.getByRole("button", { name: "Send answer" })
      await page.getByRole("radio", { name: "Blue" }).check()
      expect(await send.isDisabled()).toBe(true)
      await page.getByRole("checkbox", { name: "Blue" }).check()
      await page.getByLabel("Another answer").last().fill("and XL")
      await page.context().setOffline(true)
      await send.click()
      await page.getByText("Not sent: the server cannot be reached.").waitFor()
      await page.context().setOffline(false)
      if (isDesk) await send.click()
      else await page.getByRole("button", { name: "Decline to answer" }).click()
      await page.getByRole("heading", { name: isDesk ? "Answered" : "Declined" }).waitFor()
      const [answered] = await decidedOf(questionId)
      expect(answered?.state).toBe(isDesk ? "allowed" : "denied")
      if (isDesk) expect(Object.values(answered?.answer?.["answers"] ?? {})).toEqual(["Blue", "Blue, and XL"])
      expect(await page.evaluate("globalThis.pwned")).toBeUndefined()
      expect(troubles.filter((each) => !each.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([])
    },
    300_000,
  )
})
