/** Signing in with the accounts of a company: who comes in, as whom, and what an attacker cannot make of it. */

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import type { JsonObject } from "#lib/json.ts"
import { openOpenIdProvider } from "#ground/openid/provider.ts"
import { openUsual } from "../../kit/database/engines.ts"
import { openTestServer, type TestServer } from "../../kit/fleet/web-server.ts"
import { type MockProvider, openMockProvider } from "../../kit/openid-provider.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let provider: MockProvider
let server: TestServer

beforeAll(async () => {
  database = await openUsual({ join: (name = "") => join(folder, name) })
  provider = await openMockProvider("codewright")
  const client = { issuer: provider.issuer, clientId: "codewright", secret: "s3:cret", scopes: ["email", "groups"] }
  const network = { fetch: (_: unknown, url: string | URL, init?: object) => fetch(url, init) }
  server = await openTestServer(database, {
    openId: {
      title: "Acme",
      provider: openOpenIdProvider(client, { network, clock: systemClock }),
      roles: { admin: ["platform"], operator: ["dev", "ops"], viewer: ["*"] },
      nameClaim: "email",
      groupsClaim: "realm.groups",
      forMs: 3_600_000,
    },
  })
}, 300_000)

afterAll(async () => {
  await server.close()
  await database.close()
  provider[Symbol.dispose]()
})

const ann: JsonObject = { email: "ann@acme.example", email_verified: true, realm: { groups: ["dev", "lunch"] } }

beforeEach(() => {
  provider.claims = ann
  provider.signing = "right"
})

/** A browser as far as it matters here: it follows by hand, and keeps cookies. */
class Browser {
  readonly cookies = new Map<string, string>()

  async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = await fetch(url, { redirect: "manual", headers: { ...headers, ...(cookie !== "" && { cookie }) } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === "") this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  async follow(url: string): Promise<string> {
    return (await this.open(url)).headers.get("location") ?? ""
  }

  async who(): Promise<unknown> {
    return (await this.open(`${server.url}/api/me`)).json()
  }
}

const begin = (browser: Browser): Promise<string> => browser.follow(`${server.url}/sign-in/openid`)

async function signIn(browser = new Browser()): Promise<{ readonly browser: Browser; readonly answer: Response }> {
  const back = await browser.follow(await begin(browser))
  return { browser, answer: await browser.open(back) }
}

async function refusedWith(words: RegExp): Promise<void> {
  const { browser, answer } = await signIn()
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringMatching(words)])
  expect(browser.cookies.size).toBe(0)
}

test("somebody comes in with the highest role of their groups, and the audit knows it", async () => {
  const { browser, answer } = await signIn()
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"])
  expect(await browser.who()).toMatchObject({ name: "ann@acme.example", role: "operator" })
  provider.claims = { ...ann, email: "eva@acme.example", realm: { groups: ["ops", "platform"] } }
  expect(await (await signIn()).browser.who()).toMatchObject({ name: "eva@acme.example", role: "admin" })
  provider.claims = { ...ann, email: "guest@acme.example", realm: {} }
  expect(await (await signIn()).browser.who()).toMatchObject({ role: "viewer" })
  const audit = JSON.stringify((await server.ask("GET", "/api/audit", { as: "admin" })).body)
  expect(audit).toContain("signed in with Acme (operator)")
  // The secret is in the header, where anything may be in it, and never in an address.
  const { form, authorization } = provider.exchanges[0] ?? { form: new URLSearchParams(), authorization: "" }
  expect(authorization).toBe(`Basic ${btoa("codewright:s3%3Acret")}`)
  expect(form.get("client_secret")).toBeNull()
})

test("the page can offer it, and says nothing else to strangers", async () => {
  expect((await server.ask("GET", "/api/sign-in")).body).toEqual({ openId: { title: "Acme" } })
})

test("an admin signs somebody out everywhere", async () => {
  const { browser } = await signIn()
  expect((await server.ask("DELETE", "/api/tokens/ann@acme.example", { as: "admin" })).status).toBe(204)
  expect(await browser.who()).toMatchObject({ error: { code: "unauthorized" } })
})

test("a token that the provider did not sign, or not for this, lets nobody in", async () => {
  const seconds = Math.floor(Date.now() / 1000)
  for (const signing of ["foreign", "none", "wrong"] as const) {
    provider.signing = signing
    await refusedWith(/^The sign-in provider's token is not accepted: /)
  }
  provider.signing = "right"
  for (const [claims, why] of [
    [{ iss: "https://evil.example" }, /from another issuer/],
    [{ aud: "another" }, /for another client/],
    [{ aud: ["codewright", "another"] }, /issued to another client/],
    [{ azp: "another" }, /issued to another client/],
    [{ exp: seconds - 120 }, /expired/],
    [{ exp: "never" }, /expired/],
    [{ nbf: seconds + 3600 }, /not valid yet/],
    [{ nonce: "of somebody else" }, /another sign-in/],
    [{ sub: "" }, /names nobody/],
  ] as const) {
    provider.claims = { ...ann, ...claims }
    await refusedWith(why)
  }
})

test("nobody becomes somebody else by what they write into their account", async () => {
  for (const [claims, why] of [
    [{ email_verified: false }, /has not verified your address/],
    [{ email_verified: "true" }, /has not verified your address/],
    [{ email: "root" }, /no usable name/],
    [{ email: "ann\n<b>@acme.example" }, /no usable name/],
    [{ email: ["ann@acme.example"] }, /no usable name/],
  ] as const) {
    provider.claims = { ...ann, ...claims }
    await refusedWith(why)
  }
})

test("an attempt belongs to the browser that began it, and works once", async () => {
  const victim = new Browser()
  const attacker = new Browser()
  await begin(victim)
  const back = await attacker.follow(await begin(attacker))
  // The attacker's answer in the victim's browser, as a link would bring it there.
  expect((await victim.open(back)).status).toBe(403)
  expect((await new Browser().open(back)).status).toBe(403)
  expect((await attacker.open(back)).status).toBe(303)
  expect((await attacker.open(back)).status).toBe(403)
})

test("what the provider says in an address is not shown as it is", async () => {
  const browser = new Browser()
  const state = new URL(await begin(browser)).searchParams.get("state") ?? ""
  const told = encodeURIComponent("<script>alert(1)</script>\u001B[31m access_denied")
  const answer = await browser.open(`${server.url}/sign-in/openid/back?state=${state}&error=${told}`)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([403, "text/plain; charset=utf-8"])
  expect(await answer.text()).toBe("The sign-in provider refused: scriptalert1script31m access_denied.\n")
})

test("behind a proxy with TLS the provider sends people back to https, and cookies stay there", async () => {
  const browser = new Browser()
  const answer = await browser.open(`${server.url}/sign-in/openid`, { "x-forwarded-proto": "https" })
  const sent = new URL(answer.headers.get("location") ?? "").searchParams
  expect(sent.get("redirect_uri")).toBe(`https://127.0.0.1:${server.port}/sign-in/openid/back`)
  expect(answer.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Lax; Secure$/)
})

test("a provider that is away is said so", async () => {
  const client = { issuer: "http://127.0.0.1:9", clientId: "x", scopes: [] }
  const network = { fetch: (_: unknown, url: string | URL, init?: object) => fetch(url, init) }
  const gone = openOpenIdProvider(client, { network, clock: systemClock })
  const attempt = { state: "s", nonce: "n", verifier: "v", redirectUri: "http://127.0.0.1/back" }
  expect(await gone.address(attempt)).toMatchObject({
    ok: false,
    failure: expect.stringMatching(/^The sign-in provider http:\/\/127\.0\.0\.1:9 cannot be used: /) as string,
  })
})

test("new keys of the provider are fetched when a token names one", async () => {
  const client = { issuer: provider.issuer, clientId: "codewright", scopes: [] }
  let later = 0
  const network = { fetch: (_: unknown, url: string | URL, init?: object) => fetch(url, init) }
  const clock = { ...systemClock, now: () => Date.now() + later }
  const opened = openOpenIdProvider(client, { network, clock })
  const attempt = { state: "s", nonce: "n", verifier: "v", redirectUri: "http://127.0.0.1/back" }
  const claims = async (): Promise<boolean> => {
    const address = await opened.address(attempt)
    const asked = await fetch(address.ok ? address.value : "", { redirect: "manual" })
    const code = new URL(asked.headers.get("location") ?? "").searchParams.get("code") ?? ""
    return (await opened.claims(code, attempt)).ok
  }
  expect(await claims()).toBe(true)
  await provider.renewKey()
  // Not more often than once a minute, whatever tokens say.
  expect(await claims()).toBe(false)
  later = 61_000
  expect(await claims()).toBe(true)
})
