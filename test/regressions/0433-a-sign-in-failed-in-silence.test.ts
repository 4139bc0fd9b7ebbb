/** When a sign-in provider could not be used, whoever tried to sign in was told why, and whoever runs the server was not; a certificate was a TypeError. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { systemClock } from "#lib/clock.ts"
import { openOpenIdProvider } from "#ground/openid/provider.ts"
import { openUsual } from "../kit/database/engines.ts"
import { openTestServer } from "../kit/fleet/web-server.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const file = (name: string): string => readFileSync(new URL(`../kit/anthropic/${name}`, import.meta.url), "utf8")

test("the log of the server says why nobody can sign in", async () => {
  using folder = temporaryFolder()
  const tls = { cert: file("cert.pem"), key: file("key.pem") }
  using provider = Bun.serve({ hostname: "127.0.0.1", port: 0, tls, fetch: () => Response.json({}) })
  const issuer = `https://127.0.0.1:${provider.port}`
  const database = await openUsual({ join: (name = "") => folder.join(name) })
  const reports: string[] = []
  const network = { fetch: (_: unknown, url: string | URL, init?: object) => fetch(url, init) }
  const server = await openTestServer(database, {
    report: (text) => void reports.push(text),
    openId: {
      title: "Acme",
      provider: openOpenIdProvider({ issuer, clientId: "codewright", scopes: [] }, { network, clock: systemClock }),
      roles: { viewer: ["*"] },
      nameClaim: "email",
      groupsClaim: "groups",
      forMs: 3_600_000,
    },
  })
  const answer = await fetch(`${server.url}/sign-in/openid`, { redirect: "manual" })
  const told = (await answer.text()).trim()
  expect(answer.status).toBe(502)
  expect(told).toStartWith(`The sign-in provider ${issuer} cannot be used: `)
  expect(told).not.toContain("TypeError")
  expect(told).toContain("network.caFile")
  await fetch(`${server.url}/sign-in/openid/back?state=x`)
  expect(reports).toEqual([
    `warning: ${told} Nobody can sign in with it.`,
    "Somebody could not sign in with Acme. They were told: This sign-in was started in another browser, or more than ten minutes ago. Start again.",
  ])
  await server.close()
  await database.close()
})
