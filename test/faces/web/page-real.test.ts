/** The page from inside the executable, over sessions that run: a worker does what is allowed in the browser, once. */

import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openSimulator } from "#sim/server.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openUsualServer } from "../../kit/database/engines.ts"
import { environmentOf, openPlace, program } from "../../kit/run-codewright.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { hasBrowser, openBrowsing, phone } from "../../kit/web/browser.ts"

const browsing = openBrowsing()

/** A file, then a command, then words. */
const scenario: ScenarioFunction = ({ messages }) => {
  const results = JSON.stringify(messages).split('"tool_result"').length - 1
  if (results === 0) return { content: [{ tool: "Write", input: { file_path: "greeting.txt", content: "hello\n" } }] }
  if (results === 1) return { content: [{ tool: "Bash", input: { command: "echo once >> noted.txt" } }] }
  return { content: "All of it is **done**." }
}

describe.skipIf(!hasBrowser)("the page of a server that runs sessions", () => {
  test(
    "a session is started on a phone, allowed twice, done once, and rewound after a look",
    async () => {
      using place = openPlace()
      const simulator = valueOf(await openSimulator({ scenario }))
      await using postgres = await openUsualServer()
      const database = postgres ? ["--database", postgres.url] : []
      const server = Bun.spawn([program, "serve", "--port", "0", "--json", ...database], {
        cwd: place.work,
        env: environmentOf(place, simulator.url, {}),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
      })
      try {
        const { value } = await server.stdout.getReader().read()
        const { url, token } = JSON.parse(Buffer.from(value ?? []).toString()) as { url: string; token: string }
        const { page, troubles } = await browsing.look(url, { viewport: phone, reducedMotion: "reduce" })
        await page.getByLabel("Or sign in with your token").fill(token)
        await page.getByRole("button", { name: "Sign in" }).click()
        await page.getByRole("link", { name: "New session" }).click()
        await page.getByRole("textbox", { name: "Task" }).fill("Greet")
        await page.getByLabel("Repository").fill(place.work)
        await page.getByRole("combobox", { name: "Model" }).fill("claude-sonnet-5")
        await page.getByRole("button", { name: "Start session" }).click()

        const file = page.locator("article", { has: page.locator("figure.diff") })
        await file.waitFor()
        expect(await file.locator("tr.added .text").allTextContents()).toEqual(["hello"])
        expect(existsSync(join(place.work, "greeting.txt"))).toBe(false)
        await file.getByRole("button", { name: "Allow" }).click()
        const command = page.getByRole("article", { name: "Run this command?" })
        expect(await command.getByLabel("Command", { exact: true }).textContent()).toBe("echo once >> noted.txt")
        await command.getByRole("button", { name: "Allow" }).click()
        await page.locator("strong", { hasText: "done" }).waitFor()
        await page.getByText("Completed", { exact: true }).waitFor()
        expect(readFileSync(join(place.work, "noted.txt"), "utf8")).toBe("once\n")

        await page.getByRole("button", { name: "Details" }).click()
        const gates = page.getByRole("region", { name: "Gates" })
        const gate = gates.getByRole("switch", { name: "Ask me before git changes anything" })
        await gate.focus()
        await page.keyboard.press("Space")
        await gates.getByText("The git gate is on for this session.").waitFor()
        expect(await gate.isChecked()).toBe(true)
        await gates.getByText(/switched on by/).waitFor()
        const rewind = page.getByRole("region", { name: "Rewind" })
        await rewind.getByLabel("Rewind to before").selectOption({ label: "Greet" })
        await rewind.getByRole("button", { name: "Preview" }).click()
        await rewind.getByText("greeting.txt").waitFor()
        expect(existsSync(join(place.work, "greeting.txt"))).toBe(true)
        await rewind.getByRole("button", { name: "Rewind" }).click()
        await rewind.getByText("Rewound.").waitFor()
        expect(existsSync(join(place.work, "greeting.txt"))).toBe(false)
        expect(existsSync(join(place.work, "noted.txt"))).toBe(false)
        expect(troubles).toEqual([])
      } finally {
        server.kill()
        await server.exited
        await simulator.close()
      }
    },
    Infinity,
  )
})
