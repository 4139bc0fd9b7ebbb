/** Commands behind a company's proxy: the sandbox's own proxy goes through it, and judges hosts as before. */

import { expect, test } from "bun:test"
import { openNetwork } from "#ground/network/network.ts"
import type { Upstream } from "#lib/network.ts"
import { ok } from "#lib/result.ts"
import { openConnectProxy } from "../../../../kit/connect-proxy.ts"
import { openBehind } from "./behind-proxy.ts"

const upstreamOf =
  (url: string, except: readonly string[] = []) =>
  ({ host, port }: { readonly host: string; readonly port: number }): Upstream | undefined =>
    openNetwork({
      proxies: () => ({ http: { url, from: "HTTP_PROXY" }, https: { url, from: "HTTPS_PROXY" }, except }),
      certificate: () => ok(undefined),
      ca: () => ok(undefined),
    }).upstreamOf(host, port)

const get = (host: string): string => `GET http://${host}/x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`

test("an allowed host is reached through it by name, with its password, and told; a denied one is not asked for", async () => {
  using site = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("from beyond") })
  await using company = await openConnectProxy({ password: "ann:pass word", leads: () => site.port ?? 0 })
  const told: unknown[] = []
  await using behind = await openBehind({
    allowed: ["site.example"],
    upstream: upstreamOf(`http://ann:pass%20word@127.0.0.1:${company.port}`),
    reached: (wish, how) => void told.push([wish.host, wish.port, how]),
  })
  expect(await behind.exchange(get("site.example"))).toContain("from beyond")
  const line = await behind.dial()
  line.send("CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n\r\n")
  expect(await line.until("\r\n\r\n")).toContain("200")
  line.send("GET /x HTTP/1.1\r\nHost: site.example:443\r\nConnection: close\r\n\r\n")
  expect(await line.rest()).toContain("from beyond")
  expect(await behind.exchange(get("other.example"))).toContain("The sandbox blocked other.example")
  expect(company.asked()).toEqual([
    { line: "CONNECT site.example:80", user: "ann:pass word" },
    { line: "CONNECT site.example:443", user: "ann:pass word" },
  ])
  const proxy = { proxy: `127.0.0.1:${company.port}` }
  expect(told).toEqual([
    ["site.example", 80, proxy],
    ["site.example", 443, proxy],
  ])
})

test("a name that is known here and leads to a private address is refused, and exceptions go directly", async () => {
  using site = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("direct") })
  await using company = await openConnectProxy()
  await using behind = await openBehind({
    allowed: ["inside.example", `localhost:${site.port}`],
    names: { "inside.example": ["10.0.0.7"] },
    upstream: upstreamOf(company.url),
  })
  expect(await behind.exchange(get("inside.example"))).toContain("It leads to 10.0.0.7")
  expect(await behind.exchange(get(`localhost:${site.port}`))).toContain("direct")
  expect(company.asked()).toEqual([])
})

test("what the company's proxy refuses is said, without its password", async () => {
  await using company = await openConnectProxy({ password: "ann:right", refuses: ["closed.example"] })
  const shown = `127.0.0.1:${company.port}`
  const said = async (url: string, host: string): Promise<string> => {
    await using behind = await openBehind({ allowed: [host], upstream: upstreamOf(url) })
    return await behind.exchange(get(host))
  }
  expect(await said(`http://ann:hidden@${shown}`, "a.example")).toContain(
    `a.example:80 cannot be reached: the proxy ${shown} wants another user name or password (407).`,
  )
  expect(await said(`http://ann:right@${shown}`, "closed.example")).toContain("refused to connect to it (403)")
  const gone = await said("http://ann:hidden@127.0.0.1:1", "a.example")
  expect(gone).toContain("the proxy 127.0.0.1:1 does not accept the connection (ECONNREFUSED)")
  expect(gone).not.toContain("hidden")
})
