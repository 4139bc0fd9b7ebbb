/** One Chromium for all stories of a file, and pages of people who are signed in. */

import { afterAll, afterEach } from "bun:test"
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Cookie,
  type Page,
} from "playwright-core"
import { pauseAfter } from "../until.ts"

// The shell has no browser around the page, which is a third of the work.
const path = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => Bun.which(name))
  .find((each) => each !== null)

/** Without it the stories are skipped; `.ci/run` installs it and forbids that. */
export const hasBrowser: boolean = path !== undefined

export const desktop = { width: 1280, height: 900 }
export const phone = { width: 390, height: 844 }
/** By day stories take turns in them; most others are at a desk, so the first is the phone. */
export const screens: readonly (readonly ["phone" | "desk", typeof desktop])[] = [
  ["phone", phone],
  ["desk", desktop],
]

/** What a person has in front of them, and what went wrong there. */
export interface Looking {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of the page, refusals of its policy, and requests to anywhere else. */
  readonly troubles: readonly string[]
}

export interface Browsing {
  /** A fresh browser on this address, until the end of the test. */
  readonly look: (url: string, options?: LookingOptions) => Promise<Looking>
}

export interface LookingOptions extends Omit<BrowserContextOptions, "storageState" | "viewport"> {
  readonly viewport?: typeof desktop
  readonly cookies?: readonly Cookie[]
  /** The story changes what cannot be put back, such as the clock: no other gets this browser. */
  readonly isAlone?: boolean
}

/** One that another story had, emptied: its process has read the scripts of the page, which is half of the work. */
interface Emptied {
  readonly context: BrowserContext
  readonly blank?: Page
}

/** Machines that run tests are slow at times, and that is no failure. */
const patienceMs = 120_000

export function openBrowsing(): Browsing {
  let browser: Browser | undefined
  const opened: { readonly context: BrowserContext; readonly origin: string; readonly kind: string | undefined }[] = []
  const emptied = new Map<string, Emptied[]>()
  // Pages ask the server again and again, also those that nobody looks at any more.
  afterEach(async () => {
    for (const { context, origin, kind } of opened.splice(0)) {
      if (!browser?.isConnected()) continue
      const [page] = context.pages()
      if (kind === undefined || !page) await context.close()
      else emptied.set(kind, [...(emptied.get(kind) ?? []), { context, blank: await empty(page, origin) }])
    }
  }, patienceMs)
  afterAll(() => browser?.close(), patienceMs)

  async function contextFor(kind: string | undefined, options: BrowserContextOptions): Promise<Emptied> {
    // A test that takes too long ends with its processes, and the browser is one; the others have done nothing.
    if (!browser?.isConnected()) {
      browser = await launchBrowser()
      emptied.clear()
    }
    const left = emptied.get(kind ?? "")?.pop()
    if (left) return left
    const context = await browser.newContext(options)
    context.setDefaultTimeout(patienceMs)
    return { context }
  }

  return {
    async look(url, { cookies = [], isAlone = false, viewport = desktop, ...options } = {}) {
      const { origin } = new URL(url)
      // A service worker outlives its pages.
      const kind = isAlone || options.serviceWorkers !== "block" ? undefined : JSON.stringify(options)
      const { context, blank } = await contextFor(kind, options)
      opened.push({ context, origin, kind })
      await context.addCookies(cookies)
      const page = await context.newPage()
      await page.setViewportSize(viewport)
      const troubles: string[] = []
      page.on("pageerror", (error) => void troubles.push(`error: ${error.message}`))
      page.on("dialog", (dialog) => {
        troubles.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on("console", (message) => {
        // Being signed out and offline is part of some stories.
        if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
          troubles.push(`console: ${message.text()}`)
      })
      page.on("request", (request) => {
        if (new URL(request.url()).origin !== origin) troubles.push(`request: ${request.url()}`)
      })
      await page.goto(url)
      await blank?.close()
      return { page, context, troubles }
    },
  }
}

/** Nothing of a story is left in its browser but the process of its page, for which the page stays, with nothing in it. */
async function empty(page: Page, origin: string): Promise<Page> {
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.goto("about:blank")
  await context.setOffline(false)
  await context.clearCookies()
  const cdp = await context.newCDPSession(page)
  await cdp.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" })
  await cdp.detach()
  return page
}

/** Until this is true in the page. Playwright's own waiting makes code of text there, which the page's policy refuses. */
export async function comesTrue(page: Page, expression: string): Promise<void> {
  const end = performance.now() + patienceMs
  for (;;) {
    const start = performance.now()
    if (await page.evaluate<boolean>(expression)) return
    if (start > end) throw new Error(`it never became true: ${expression}`)
    await pauseAfter(start)
  }
}

/** A browser that has this is signed in, without a page for the form. */
export async function signIn(url: string, token: string): Promise<readonly Cookie[]> {
  const answer = await fetch(`${url}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token }),
  })
  const [, name = "", value = ""] = /^([^=]+)=([^;]+);/.exec(answer.headers.get("set-cookie") ?? "") ?? []
  if (value === "") throw new Error(`nobody is signed in: ${answer.status}`)
  const cookie = { name, value, domain: new URL(url).hostname, path: "/", expires: -1 }
  return [{ ...cookie, httpOnly: true, secure: false, sameSite: "Strict" }]
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(path && { executablePath: path }),
    // The pages are our own, and whoever runs tests in a container is root.
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--process-per-site"],
  })
