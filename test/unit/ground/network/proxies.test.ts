/** Which proxy an address is reached through, as other programs read the variables. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { exceptionsIn, proxyFor } from "#ground/network/proxies.ts"

const proxy = { url: "http://proxy.example:3128", from: "HTTPS_PROXY" }
const isDirect = (url: string, noProxy: string): boolean => {
  const chosen = proxyFor(new URL(url), { http: proxy, https: proxy, except: exceptionsIn(noProxy) })
  return chosen.ok && chosen.value === undefined
}

test.each([
  ["https://api.example.com/", "", false],
  ["https://api.example.com/", "example.com", true],
  ["https://api.example.com/", ".example.com", true],
  ["https://example.com/", ".example.com", true],
  ["https://api.example.com/", "*.example.com", true],
  ["https://notexample.com/", "example.com", false],
  ["https://example.com.evil.test/", "example.com", false],
  ["https://API.Example.com./", "EXAMPLE.com", true],
  ["https://example.com/", "other.test, example.com", true],
  ["https://example.com/", "other.test example.com", true],
  ["https://example.com:8443/", "example.com:8443", true],
  ["https://example.com/", "example.com:8443", false],
  ["https://example.com/", "example.com:443", true],
  ["http://example.com/", "example.com:443", false],
  ["https://10.1.2.3/", "10.0.0.0/8", true],
  ["https://11.1.2.3/", "10.0.0.0/8", false],
  ["https://10.1.2.3/", "10.1.2.3", true],
  ["https://10.1.2.3/", "1.2.3", false],
  ["https://[2001:db8::7]/", "2001:db8::/32", true],
  ["https://[2001:db8::7]:8443/", "[2001:db8::7]:8443", true],
  ["https://[2001:db8::7]/", "2001:0db8:0::7", true],
  ["https://ten.example/", "10.0.0.0/8", false],
  ["https://example.com/", "*", true],
  ["https://example.com/", "10.0.0.0/99,/8,[,:,", false],
  ["http://localhost:8080/", "", true],
  ["http://app.localhost:8080/", "", true],
  ["http://127.0.0.1:8080/", "", true],
  ["http://[::1]:8080/", "", true],
  ["http://127.0.0.1:8080/", "<-loopback>", false],
  ["http://localhost/", "<-loopback>,localhost", true],
] as const)("%s with NO_PROXY=%j: directly %p", (url, noProxy, direct) => {
  expect(isDirect(url, noProxy)).toBe(direct)
})

test("a name in the list covers itself and what is below it, and nothing else", () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
  const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join("."))
  fc.assert(
    fc.property(name, name, (host, entry) => {
      fc.pre(!host.endsWith("localhost") && !entry.endsWith("localhost"))
      expect(isDirect(`https://${host}/`, entry)).toBe(host === entry || host.endsWith(`.${entry}`))
      expect(isDirect(`https://${entry}/`, `x.test,${entry}`)).toBe(true)
    }),
  )
})

test("the address of a proxy: with and without a scheme, by the scheme of the target, and what cannot be one", () => {
  const choose = (url: string, target = "https://a.example/") =>
    proxyFor(new URL(target), { https: { url, from: "https_proxy" }, except: [] })
  expect(choose("http://ann:pa%40ss@proxy.example:3128")).toEqual({
    ok: true,
    value: { url: "http://ann:pa%40ss@proxy.example:3128/", shown: "proxy.example:3128", from: "https_proxy" },
  })
  expect(choose("proxy.example:3128")).toMatchObject({ value: { shown: "proxy.example:3128" } })
  expect(choose("https://proxy.example")).toMatchObject({ value: { shown: "proxy.example:443" } })
  expect(choose("http://proxy.example", "http://a.example/")).toEqual({ ok: true, value: undefined })
  expect(choose("socks5://proxy.example:1080")).toEqual({
    ok: false,
    failure: "https_proxy names a proxy of the kind socks5. Only http and https proxies work",
  })
  expect(choose("http://")).toMatchObject({ ok: false })
})
