/** One Chromium for all stories of a file, and pages of people who are signed in. */

import { afterAll, afterEach } from "bun:test"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { lazily } from "#lib/lazily.ts"

const path = ["chromium", "chromium-browser", "google-chrome"]
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
  const launched = lazily(() =>
    chromium.launch({
      ...(path && { executablePath: path }),
      // The pages are our own, and whoever runs tests in a container is root.
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    }),
  )
  const contexts: BrowserContext[] = []
  let isLaunched = false
  // Pages ask the server again and again, also those that nobody looks at any more.
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  afterAll(async () => {
    if (isLaunched) await (await launched()).close()
  }, patienceMs)
  return {
    async look(url, options = {}) {
      isLaunched = true
      const browser: Browser = await launched()
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
