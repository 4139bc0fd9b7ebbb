/**
 * What does the page cost a browser: the main-thread work until the end of a long session, or the first lines of a large review, can be read, and
 * the size of what is loaded?
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"
import type { EntryBody } from "#agent/words/entry.ts"
import { secretOf } from "../test/kit/fleet/web-server.ts"
import { called, ended, linesOf, prompt, said } from "../test/kit/web/lines.ts"
import { openFleetPage } from "../test/kit/web/open-fleet-page.ts"
import { createdText, seedChanges } from "../test/kit/web/seed-changes.ts"
import { seed } from "../test/kit/web/seeds.ts"
import { median } from "./kit/figures.ts"
import { answer, rowOf } from "./kit/row.ts"

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  /** Of the processor, in microseconds. */
  readonly tdur?: number
}

const entries = 10_000
const [changedFiles, diffBytes] = [2_000, 50_000_000]
const last = `The answer of turn ${entries / 5 - 1}.`
const rounds = 5
const path = ["chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"]
  .map((name) => Bun.which(name))
  .find((each) => each !== null)

const folder = mkdtempSync(join(tmpdir(), "bench-page-"))
const server = await openFleetPage({ join: (...parts) => join(folder, ...parts) })
const lease = await seed(server.store, {
  id: "long",
  title: "A long session",
  query: "Go",
  stage: "executing",
  isHeld: true,
})
const turns = Array.from({ length: entries / 5 }, (_, nth) => turnOf(nth)).flat()
for (let at = 0; at < turns.length; at += 500)
  await server.store.lines.ship(lease, at + 2, linesOf("long", turns.slice(at, at + 500), at + 1))
const line = "export const value = compute(1, 'a line of a usual length')\n"
await reviewed("files", changedFiles, line.repeat(20))
await reviewed("bytes", 50, line.repeat(diffBytes / 50 / line.length))

const bytes = { js: 0, all: 0 }
const taken = { long: [] as number[], files: [] as number[], bytes: [] as number[] }
if (path !== undefined) {
  const browser = await chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  })
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const first = await context.newPage()
  first.on("response", async (response) => {
    const size = response.url().includes("/api/") ? 0 : (await response.body().catch(() => Buffer.alloc(0))).byteLength
    bytes.all += size
    if (response.url().endsWith(".js")) bytes.js += size
  })
  await first.goto(server.url)
  await first.getByLabel("Or sign in with your token").fill(secretOf("admin"))
  await first.getByRole("button", { name: "Sign in" }).click()
  await first.getByRole("navigation").waitFor()
  await first.close()
  // The first time, the scripts are compiled.
  for (let nth = 0; nth < rounds; nth++) {
    taken.long.push(await firstScreen("long", last))
    taken.files.push(await firstScreen("files/changes", "value = compute"))
    taken.bytes.push(await firstScreen("bytes/changes", "value = compute"))
  }
  await browser.close()

  /** The processor time of the page's main thread, from the first byte until this text is drawn, as a trace has it. */
  async function firstScreen(address: string, text: string): Promise<number> {
    const page = await context.newPage()
    await page.addInitScript(`new MutationObserver((_, self) => {
      if (!document.body?.textContent.includes(${JSON.stringify(text)})) return
      self.disconnect()
      requestAnimationFrame(() => setTimeout(() => performance.mark("useful")))
    }).observe(document, { childList: true, subtree: true })`)
    await browser.startTracing(page, { categories: ["blink.user_timing", "disabled-by-default-devtools.timeline"] })
    await page.goto(`${server.url}/#/sessions/${address}`, { waitUntil: "commit" })
    await page.getByText(text).first().waitFor()
    await page.waitForTimeout(200)
    const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly TraceEvent[] }
    await page.close()
    const mark = trace.traceEvents.find(({ name }) => name === "useful")
    if (!mark) return Number.NaN
    const tasks = trace.traceEvents.filter(
      ({ name, pid, tid, ts }) => name === "RunTask" && pid === mark.pid && tid === mark.tid && ts < mark.ts,
    )
    return tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000
  }
}
await server.close()
rmSync(folder, { recursive: true, force: true })
answer(
  rowOf({
    what: `the end of a session of ${entries.toLocaleString("en")} entries on the page: main-thread work until it is there`,
    ours: figureOf(taken.long),
    unit: "ms",
    toReach: 300,
  }),
  rowOf({
    what: `the changes of a session with ${changedFiles.toLocaleString("en")} files on the page: main-thread work until the first lines are there`,
    ours: figureOf(taken.files),
    unit: "ms",
    toReach: 300,
  }),
  rowOf({
    what: `the same with a diff of ${diffBytes / 1_000_000} MB`,
    ours: figureOf(taken.bytes),
    unit: "ms",
    toReach: 300,
  }),
  rowOf({
    what: "the page's scripts, as loaded",
    ours: bytes.js === 0 ? Number.NaN : bytes.js / 1000,
    unit: "kB",
    toReach: 420,
  }),
)
process.exit(0)

/** Without a browser there is none. */
function figureOf(figures: readonly number[]): number {
  return figures.length === 0 ? Number.NaN : median(figures)
}

/** A session in which so many files came, each with this text. */
async function reviewed(id: string, files: number, text: string): Promise<void> {
  const made = await seed(server.store, { id, title: id, query: "Go", stage: "completed", isHeld: true })
  await seedChanges(
    server.store,
    made,
    Array.from({ length: files }, (_, nth) => createdText(`src/file-${nth}.ts`, text)),
  )
}

function turnOf(nth: number): readonly EntryBody[] {
  return [
    prompt(`Question ${nth}: what about the part that does thing ${nth}?`, `p${nth + 10}`),
    ...called(`m${nth}`, {
      id: `c${nth}`,
      tool: "Read",
      input: { file_path: `/srv/shop/src/file-${nth}.ts` },
      title: `Read src/file-${nth}.ts`,
      text: `export const value = ${nth}\n`.repeat(20),
    }),
    said(
      `m${nth}`,
      `The answer of turn ${nth}. It has **some** words and \`code\`.\n\n\`\`\`ts\nconst a = ${nth}\n\`\`\``,
    ),
    ended(`m${nth}`, 1_000, 200, 0.001),
  ]
}
