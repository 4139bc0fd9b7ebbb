/** A webhook that could not be sent (a private address, a status other than 2xx, a mail program that is not there) was tried again for hours, and nothing said why. */

import { expect, test } from "bun:test"
import { webhooksHere } from "#faces/cli/fleet/webhooks-here.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { ServerSettings } from "#ground/settings/settings.ts"
import { directNetwork } from "../kit/direct-network.ts"
import { approval } from "../kit/fleet/records.ts"
import { valueOf } from "../kit/team/conformance.ts"

test("whoever runs the server reads why a message did not arrive, without the rest of its address", async () => {
  using chat = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("", { status: 404 }) })
  const host = `127.0.0.1:${chat.port}`
  const url = `http://${host}/services/a-secret`
  const server: ServerSettings = {
    webhooks: [
      { url, format: "slack" },
      { url, format: "slack", for: "ann", allowPrivate: true },
      { mail: "ann@example.com" },
    ],
    mail: { from: "ops@example.com", command: ["/none/sendmail"] },
  }
  const loaded = { settings: { server }, env: {} } as unknown as StartupContext["loaded"]
  const reports: string[] = []
  const here = { network: directNetwork(), home: "/home/ann", loaded }
  const hooks = valueOf(await webhooksHere(here, (text) => void reports.push(text)))
  const letter = {
    delivery: {
      id: "7",
      url: "",
      attempts: 1,
      approval: { ...approval("q", "rm -rf build"), sessionId: "s", state: "open" as const, createdAt: 0 },
      session: { id: "s", title: "Clean up", stage: "awaiting_tool_approval" as const, createdBy: "ann" },
    },
  }
  for (const hook of hooks) expect(await hook.send(letter, new AbortController().signal)).toBe(false)
  expect(reports).toEqual([
    `server.webhooks[0]: ${host} is not on the public internet. To send there, add "allowPrivate": true to the webhook. The message is sent again later.`,
    `server.webhooks[1]: ${host} answered with status 404. The message is sent again later.`,
    "server.webhooks[2]: /none/sendmail (server.mail.command) failed or was not found. The message is sent again later.",
  ])
})
