/** The form of an MCP server on the page, in a real browser: answered while its call waits, and after kill -9. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { openUsualServer } from "../../kit/database/engines.ts"
import { environmentOf, openPlace, type Place, program } from "../../kit/run-codewright.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { hasBrowser, openBrowsing } from "../../kit/web/browser.ts"
import { until } from "../../kit/until.ts"

const browsing = openBrowsing()
const modern = join(import.meta.dir, "../../kit/mcp/modern-server.ts")

/** Two calls of a tool that asks for a name, then words. */
const scenario: ScenarioFunction = ({ messages }) => {
  const results = JSON.stringify(messages).split('"tool_result"').length - 1
  return { content: results < 2 ? [{ tool: "mcp__modern__enrol", input: {} }] : "Both are **enrolled**." }
}

interface Serving extends AsyncDisposable {
  readonly kill: () => Promise<void>
  readonly look: () => Promise<{ readonly page: Page; readonly troubles: readonly string[] }>
}

async function serve(place: Place, model: string, postgres: { readonly url: string } | undefined): Promise<Serving> {
  const database = postgres ? ["--database", postgres.url] : []
  const server = Bun.spawn([program, "serve", "--port", "0", "--json", ...database], {
    cwd: place.work,
    env: environmentOf(place, model, {}),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  })
  const { value } = await server.stdout.getReader().read()
  const { url, token } = JSON.parse(Buffer.from(value ?? []).toString()) as { url: string; token: string }
  const kill = async (): Promise<void> => {
    server.kill("SIGKILL")
    await server.exited
  }
  return {
    kill,
    async look() {
      const { page, troubles } = await browsing.look(url, { reducedMotion: "reduce" })
      await page.getByLabel("Or sign in with your token").fill(token)
      await page.getByRole("button", { name: "Sign in" }).click()
      return { page, troubles }
    },
    [Symbol.asyncDispose]: kill,
  }
}

async function enrol(page: Page, name: string): Promise<void> {
  const card = page.getByRole("article", { name: "modern asks for something" })
  await card.getByLabel("Answer").fill(name)
  await card.getByRole("button", { name: "Send answer" }).click()
}

describe.skipIf(!hasBrowser)("a form on the page", () => {
  test(
    "is answered in the browser, also after the worker was killed, and each call acts once",
    async () => {
      using place = openPlace()
      await using postgres = await openUsualServer()
      const notes = join(place.path, "notes")
      mkdirSync(notes)
      mkdirSync(place.state, { recursive: true })
      const modernServer = { command: process.execPath, args: [modern, notes] }
      writeFileSync(join(place.state, "mcp.json"), JSON.stringify({ mcpServers: { modern: modernServer } }))
      writeFileSync(join(place.state, "settings.json"), JSON.stringify({ permissions: { allow: ["mcp__modern"] } }))
      const simulator = valueOf(await openSimulator({ scenario }))
      const enrolled = (): readonly string[] => readFileSync(join(notes, "told"), "utf8").trim().split("\n")
      {
        await using first = await serve(place, simulator.url, postgres)
        const { page, troubles } = await first.look()
        await page.getByRole("link", { name: "New session" }).click()
        await page.getByRole("textbox", { name: "Task" }).fill("Enrol two")
        await page.getByLabel("Repository").fill(place.work)
        await page.getByRole("combobox", { name: "Model" }).fill("claude-sonnet-5")
        await page.getByRole("button", { name: "Start session" }).click()
        await enrol(page, "Ada")
        // The second call asks the same; its field is empty.
        while (simulator.requests.length < 2) await Bun.sleep(50)
        const field = page.getByRole("article", { name: "modern asks for something" }).getByLabel("Answer")
        await until(async () => (await field.inputValue()) === "")
        expect(troubles).toEqual([])
        await first.kill()
      }
      await using second = await serve(place, simulator.url, postgres)
      const { page, troubles } = await second.look()
      await enrol(page, "Grace")
      while (simulator.requests.length < 3) await Bun.sleep(50)
      expect(JSON.stringify(simulator.requests.at(-1)?.body)).toContain("Hello Grace.")
      expect(enrolled()).toEqual(["enrol Ada", "enrol Grace"])
      expect(troubles).toEqual([])
      await simulator.close()
    },
    Infinity,
  )
})
