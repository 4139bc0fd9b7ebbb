/** `bun test/kit/web/pictures.ts`: draws the pictures of the page in docs/pictures again, from a seeded fleet. */

import { resolve } from "node:path"
import { temporaryFolder } from "../tmp.ts"
import { launchBrowser } from "./browser.ts"
import { openFleetPage } from "./open-fleet-page.ts"
import { changedText, createdText, seedChanges } from "./seed-changes.ts"
import { seed } from "./seeds.ts"

const pictures = resolve(import.meta.dir, "../../../docs/pictures")

const shots = [
  { name: "web-inbox", hash: "#/", ready: "article", width: 1100, height: 760, theme: "light" },
  { name: "web-session", hash: "#/sessions/s_tool", ready: "article", width: 1100, height: 800, theme: "dark" },
  { name: "web-team", hash: "#/sessions/s_tool/team", ready: ".task-box", width: 1360, height: 560, theme: "light" },
  {
    name: "web-review",
    hash: "#/sessions/s_review/changes",
    ready: ".lines",
    width: 1280,
    height: 720,
    theme: "light",
  },
  { name: "web-sessions", hash: "#/sessions", ready: ".row-link", width: 1280, height: 620, theme: "dark" },
  { name: "web-phone", hash: "#/sessions/s_edit", ready: "article", width: 390, height: 844, theme: "light" },
] as const

using folder = temporaryFolder()
const server = await openFleetPage(folder)
const lease = await seed(server.store, {
  id: "s_review",
  title: "Taxes for every country we ship to",
  query: "Add taxes",
  stage: "completed",
  isHeld: true,
  news: { costUsd: 0.31 },
})
const before = [
  "export function total(items) {",
  "  let sum = 0",
  "  for (const item of items) sum += item.price",
  "  return sum",
  "}",
  "",
].join("\n")
await seedChanges(server.store, lease, [
  await changedText(
    "src/cart.js",
    before,
    before
      .replace("total(items)", "total(items, taxRate = 0)")
      .replace("item of items) sum += item.price", "{ price, count } of items) sum += price * count")
      .replace("return sum", "return sum * (1 + taxRate)"),
  ),
  createdText("src/taxes.js", "export const rates = {\n  at: 0.2,\n  de: 0.19,\n  fr: 0.2,\n}\n"),
  createdText(
    "test/cart.test.js",
    'test("counts and taxes", () => {\n  expect(total([{ price: 10, count: 2 }], 0.19)).toBe(23.8)\n})\n',
  ),
])
await server.store.leases.park(lease, { stage: "completed" })
const browser = await launchBrowser()
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
  await page.locator("[data-answer]:enabled, .task-box, .lines, .row-link").first().waitFor()
  await page.screenshot({ path: `${pictures}/${name}.png` })
  await context.close()
}
await browser.close()
await server.close()
