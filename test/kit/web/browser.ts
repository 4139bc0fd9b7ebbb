/** One Chromium for all stories of a file, and pages of people who are signed in. */

import { afterAll, afterEach } from "bun:test"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { pauseAfter } from "../until.ts"

// The shell has no browser around the page, which is a third of the work.
const path = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => Bun.which(name))
  .find((each) => each !== null)

/** Without it the stories are skipped; `.ci/run` installs it and forbids that. */
export const hasBrowser: boolean = path !== undefined

export const desktop = { width: 1280, height: 900 }
export const phone = { width: 390, height: 844 }

/** What a person has in front of them, and what went wrong there. */
export interface Looking {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of the page, refusals of its policy, and requests to anywhere else. */
  readonly troubles: readonly string[]
}

export interface Browsing {
  /** A fresh browser on this address; it is closed after the test. */
  readonly look: (url: string, options?: BrowserContextOptions) => Promise<Looking>
}

/** Machines that run tests are slow at times, and that is no failure. */
const patienceMs = 120_000

export function openBrowsing(): Browsing {
  let browser: Browser | undefined
  const contexts: BrowserContext[] = []
  // Pages ask the server again and again, also those that nobody looks at any more.
  afterEach(async () => {
    const opened = contexts.splice(0)
    if (browser?.isConnected()) for (const context of opened) await context.close()
  }, patienceMs)
  afterAll(() => browser?.close(), patienceMs)
  return {
    async look(url, options = {}) {
      // A test that takes too long ends with its processes, and the browser is one; the others have done nothing.
      if (!browser?.isConnected()) browser = await launchBrowser()
      const context = await browser.newContext({ viewport: desktop, ...options })
      contexts.push(context)
      context.setDefaultTimeout(patienceMs)
      const page = await context.newPage()
      const troubles: string[] = []
      const { origin } = new URL(url)
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
      return { page, context, troubles }
    },
  }
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
export async function signIn(
  url: string,
  token: string,
): Promise<NonNullable<Exclude<BrowserContextOptions["storageState"], string>>> {
  const answer = await fetch(`${url}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token }),
  })
  const [, name = "", value = ""] = /^([^=]+)=([^;]+);/.exec(answer.headers.get("set-cookie") ?? "") ?? []
  if (value === "") throw new Error(`nobody is signed in: ${answer.status}`)
  const cookie = { name, value, domain: new URL(url).hostname, path: "/", expires: -1 }
  return { cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: "Strict" }], origins: [] }
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(path && { executablePath: path }),
    // The pages are our own, and whoever runs tests in a container is root.
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  })
