/** What every story on the page begins with: a seeded fleet, a browser, and somebody who is signed in. */

import { afterAll, beforeAll } from "bun:test"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import type { WebServerParts } from "#faces/web/server.ts"
import type { FleetApproval } from "#fleet/records.ts"
import { secretOf } from "../fleet/web-server.ts"
import { lastingFolder } from "../tmp.ts"
import { type Browsing, desktop, type Looking, type LookingOptions, openBrowsing, signIn } from "./browser.ts"
import { type FleetPage, openFleetPage } from "./open-fleet-page.ts"
import { commandAsk, type Seeded } from "./seeds.ts"

type Role = "viewer" | "operator" | "admin"

export interface PageStories {
  readonly server: () => FleetPage
  readonly browsing: Browsing
  /** A browser of somebody with this role, who has signed in before: what the form does is a story of its own. */
  readonly signedIn: (role: Role, hash?: string, viewport?: typeof desktop, more?: LookingOptions) => Promise<Looking>
  readonly go: (page: Page, hash: string) => Promise<unknown>
  /** The card of this session in the inbox. */
  readonly card: (page: Page, id: string) => Locator
  readonly waitingCommand: (id: string, command: string) => Seeded
  readonly decidedOf: (id: string) => Promise<readonly FleetApproval[]>
}

/** `more`: what else the server has. */
export function openPageStories(more: Partial<WebServerParts> = {}): PageStories {
  const folder = lastingFolder()
  const browsing = openBrowsing()
  let opened: FleetPage | undefined
  beforeAll(async () => {
    opened = await openFleetPage({ join: (...parts) => join(folder, ...parts) }, more)
  }, 300_000)
  afterAll(() => opened?.close(), 120_000)

  function server(): FleetPage {
    if (!opened) throw new Error("the server is not open yet")
    return opened
  }

  const go = (page: Page, hash: string): Promise<unknown> => page.evaluate(`location.hash = ${JSON.stringify(hash)}`)

  return {
    server,
    browsing,
    go,
    async signedIn(role, hash = "#/", viewport = desktop, options = {}) {
      const looking = await browsing.look(`${server().url}/${hash}`, {
        viewport,
        reducedMotion: "reduce",
        // What the page asks for through its worker, a story cannot answer in the server's place.
        serviceWorkers: more.push ? "allow" : "block",
        cookies: await signIn(server().url, secretOf(role)),
        ...options,
      })
      await looking.page.getByRole("navigation").waitFor()
      return looking
    },
    card: (page, id) =>
      page.locator("article", { has: page.getByRole("link", { name: `Session ${id}`, exact: true }) }),
    waitingCommand: (id, command) => ({
      id,
      title: `Session ${id}`,
      query: "Publish it",
      stage: "awaiting_tool_approval",
      asks: [commandAsk(command, ["Publishes a package"])],
    }),
    decidedOf: (id) => server().store.approvals.of(id),
  }
}
