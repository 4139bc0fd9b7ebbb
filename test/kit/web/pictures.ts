/** `bun test/kit/web/pictures.ts`: draws the pictures of the page in docs/pictures again, from a seeded fleet. */

import { resolve } from "node:path"
import { chromium } from "playwright-core"
import { temporaryFolder } from "../tmp.ts"
import { openFleetPage } from "./open-fleet-page.ts"

const pictures = resolve(import.meta.dir, "../../../docs/pictures")

const shots = [
  { name: "web-inbox", hash: "#/", ready: "article", width: 1100, height: 760, theme: "light" },
  { name: "web-session", hash: "#/sessions/s_tool", ready: "article", width: 1100, height: 800, theme: "dark" },
  { name: "web-team", hash: "#/sessions/s_tool/team", ready: ".task-box", width: 1360, height: 560, theme: "light" },
  { name: "web-phone", hash: "#/sessions/s_edit", ready: "article", width: 390, height: 844, theme: "light" },
] as const

using folder = temporaryFolder()
const server = await openFleetPage(folder)
const path = Bun.which("chromium")
const browser = await chromium.launch({ ...(path && { executablePath: path }), args: ["--no-sandbox"] })
for (const { name, hash, ready, width, height, theme } of shots) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
  })
  const page = await context.newPage()
  await page.goto(server.signInLink())
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await page.locator(ready).first().waitFor()
  await page.locator("[data-answer]:enabled, .task-box").first().waitFor()
  await page.screenshot({ path: `${pictures}/${name}.png` })
  await context.close()
}
await browser.close()
await server.close()
