/** An allowed name that leads to an address of this machine was reached if that address is a public one. */

import { expect, test } from "bun:test"
import { ok } from "#lib/result.ts"
import { openBehind, openEcho } from "../unit/ground/sandbox/network/behind-proxy.ts"

/** Public addresses that this machine has, as a server in a data center has one. */
const own = new Set(["203.0.114.7", "2001:470::7"])
const isOwn = (address: string): boolean => own.has(address)
const connect = (host: string, port: number): string => `CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`

test.each([...own])("a public name does not lead to %s, which is this machine's own", async (address) => {
  const names = { "lured.example.com": [address] }
  await using behind = await openBehind({ allowed: ["lured.example.com"], names, isOwn })
  const answer = await behind.exchange(connect("lured.example.com", 443))
  expect(answer).toStartWith("HTTP/1.1 403 Forbidden\r\n")
  expect(answer).toContain(`It leads to ${address}, this machine itself.`)
  expect(behind.proxy.violations()).toEqual([{ kind: "host", host: "lured.example.com", port: 443 }])
})

test("nor is it reached by its address where every host is allowed", async () => {
  await using behind = await openBehind({ allowed: ["*"], isOwn })
  expect(await behind.exchange(connect("203.0.114.7", 443))).toStartWith("HTTP/1.1 403")
})

test("a line that names the address, or a name of the local network, leads there as before", async () => {
  using echo = await openEcho()
  const reached = async (allowed: readonly string[], host: string): Promise<boolean> => {
    await using behind = await openBehind({
      allowed,
      names: { "mine.example.com": ["127.0.0.1"], "mine.test": ["127.0.0.1"] },
      isOwn: () => true,
    })
    const line = await behind.dial()
    line.send(connect(host, echo.port))
    const answer = await line.until("\r\n\r\n")
    line.close()
    return answer.startsWith("HTTP/1.1 200")
  }
  expect(await reached(["mine.example.com", "127.0.0.1"], "mine.example.com")).toBe(true)
  expect(await reached(["mine.test"], "mine.test")).toBe(true)
  expect(await reached(["mine.example.com"], "mine.example.com")).toBe(false)
})

test("a name is looked up once for a connection, and the address that was judged is the one that is reached", async () => {
  using echo = await openEcho()
  let lookups = 0
  await using behind = await openBehind({
    allowed: ["changes.example.com", "changes.test"],
    // Public when it is judged; whoever looks a second time would find this machine.
    resolve: async () => ok(lookups++ === 0 ? ["192.0.2.1"] : ["127.0.0.1"]),
  })
  expect(await behind.exchange(connect("changes.example.com", echo.port))).toStartWith("HTTP/1.1 403")
  expect([lookups, echo.seen()]).toEqual([1, 0])
  const line = await behind.dial()
  line.send(`${connect("changes.test", echo.port)}ping`)
  expect(await line.until("ping")).toEndWith("ping")
  line.close()
  expect([lookups, echo.seen()]).toEqual([2, 1])
})
