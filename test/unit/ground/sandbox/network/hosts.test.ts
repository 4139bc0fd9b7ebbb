/** Which hosts a policy lets through, as tables and as laws. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  leadsWhereAllowed,
  loopbackPorts,
  parseHostPattern,
  plainHost,
  verdict,
} from "#ground/sandbox/network/hosts.ts"
import type { NetworkPolicy } from "#ground/sandbox/policy.ts"
import { specialRange } from "#lib/ip.ts"
import { runs } from "../../../../kit/runs.ts"

const lines = (hosts: readonly string[]) => hosts.map((host) => ({ host, because: "a test" }))

const policyOf = (
  allowed: readonly string[],
  denied: readonly string[] = [],
  others: "ask" | "deny" = "deny",
): NetworkPolicy => ({ mode: "domains", allowed: lines(allowed), denied: lines(denied), others, unixSockets: [] })

const decision = (policy: NetworkPolicy, host: string, port = 443) => verdict(policy, host, port).decision

test.each([
  ["EXAMPLE.com.", "example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["BÜCHER.example", "xn--bcher-kva.example"],
  ["ｅｘａｍｐｌｅ.com", "example.com"],
  ["127.1", "127.0.0.1"],
  ["0x7f.0.0.1", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["１２７.0.0.1", "127.0.0.1"],
  ["127。0。0。1", "127.0.0.1"],
  ["[::1]", "::1"],
  ["0:0:0:0:0:0:0:1", "::1"],
  ["::FFFF:127.0.0.1", "::ffff:7f00:1"],
  ["_dmarc.example.com", "_dmarc.example.com"],
])("%s is %s", (written, host) => {
  expect(plainHost(written)).toEqual({ ok: true, value: host })
})

test.each([
  "",
  ".",
  "a..b",
  "example.com..",
  "exa%6dple.com",
  "example.com%00",
  "a b",
  "a\tb",
  "a\0.com",
  "a/b",
  "a\\b",
  "a?b",
  "a#b",
  "u@a",
  "[127.0.0.1]",
  "[example.com]",
  "fe80::1%eth0",
  "example.com:80",
  "1.2.3.4.5",
  "256.1.1.1",
  "*.example.com",
  "a\u00adb.com",
  "a\u200db.com",
  "-a.com",
  "x".repeat(300),
])("%j is no host", (written) => {
  expect(plainHost(written).ok).toBe(false)
})

const rows: readonly (readonly [line: string, host: string, port: number, isAllowed: boolean])[] = [
  ["example.com", "example.com", 443, true],
  ["example.com", "Example.COM.", 22, true],
  ["example.com", "www.example.com", 443, false],
  ["example.com", "notexample.com", 443, false],
  ["example.com", "example.com.evil.net", 443, false],
  ["*.example.com", "www.example.com", 443, true],
  ["*.example.com", "a.b.example.com", 443, true],
  ["*.example.com", "example.com", 443, false],
  ["*.example.com", "notexample.com", 443, false],
  ["*.EXAMPLE.com.", "www.example.com", 443, true],
  ["*", "anything.net", 443, true],
  ["*", "8.8.8.8", 53, true],
  ["*", "127.0.0.1", 80, false],
  ["*", "localhost", 80, false],
  ["*", "10.0.0.5", 80, false],
  ["*", "169.254.169.254", 80, false],
  ["*", "metadata.google.internal", 80, false],
  ["*.google.internal", "metadata.google.internal", 80, false],
  ["metadata.google.internal", "metadata.google.internal", 80, true],
  ["*:443", "anything.net", 443, true],
  ["*:443", "anything.net", 80, false],
  ["example.com:8080", "example.com", 8080, true],
  ["example.com:8080", "example.com", 443, false],
  ["*.example.com:8080", "a.example.com", 8080, true],
  ["bücher.example", "xn--bcher-kva.example", 443, true],
  ["10.0.0.5", "10.0.0.5", 5432, true],
  ["10.0.0.5", "10.0.0.6", 5432, false],
  ["10.0.0.5:5432", "0x0a.5", 5432, true],
  ["localhost:4873", "127.0.0.1", 4873, true],
  ["127.0.0.1:4873", "localhost", 4873, true],
  ["localhost:4873", "::1", 4873, true],
  ["localhost:4873", "127.0.0.1", 4874, false],
  ["localhost", "127.0.0.2", 80, false],
  ["[::1]:80", "[::1]", 80, true],
  ["2606:2800:21f::1", "[2606:2800:21f:0::1]", 443, true],
  ["foo*.example.com", "foobar.example.com", 443, false],
  ["https://example.com", "example.com", 443, false],
  ["*.1.2.3.4", "1.2.3.4", 443, false],
  ["example.com:99999", "example.com", 443, false],
]

test.each(rows)("%s allows %s:%d: %j", (line, host, port, isAllowed) => {
  expect(decision(policyOf([line]), host, port)).toBe(isAllowed ? "allow" : "deny")
})

test("what no line mentions is asked about, but never an address that is not public", () => {
  const policy = policyOf(["example.com"], [], "ask")
  expect(decision(policy, "new.example")).toBe("ask")
  expect(decision(policy, "93.184.215.14")).toBe("ask")
  for (const host of ["localhost", "10.1.2.3", "169.254.169.254", "::ffff:1.2.3.4", "fd00::1", "not a host"])
    expect(decision(policy, host)).toBe("deny")
  expect(decision({ mode: "off", because: "it only reads" }, "example.com")).toBe("deny")
})

test("a denied line that cannot be read denies everything", () => {
  expect(verdict(policyOf(["*"], ["https://bad.example/"]), "example.com", 443)).toEqual({
    decision: "deny",
    because: 'The denied host "https://bad.example/" cannot be read (a test). Correct it first.',
  })
})

test("the reason names the line", () => {
  expect(verdict(policyOf(["*"], ["*.bad.example"]), "x.bad.example", 443).because).toBe(
    'x.bad.example is denied by "*.bad.example": a test.',
  )
  expect(verdict(policyOf([]), "x.example", 443).because).toBe(
    'No rule allows x.example. To allow it, add "x.example" to sandbox.network.allowedDomains in your settings.',
  )
  expect(verdict(policyOf(["*"]), "::1", 8080).because).toBe(
    '::1 is this machine itself. To allow it, add "[::1]:8080" to sandbox.network.allowedDomains in your settings.',
  )
})

test.each([
  ["a public address", ["example.com"], [], "example.com", "93.184.215.14", true],
  ["this machine behind a public name", ["example.com"], [], "example.com", "127.0.0.1", false],
  ["a private address behind a public name", ["*"], [], "example.com", "10.0.0.5", false],
  ["one that is named itself", ["example.com", "10.0.0.5"], [], "example.com", "10.0.0.5", true],
  ["one behind a name of the local network", ["npm.corp"], [], "npm.corp", "10.0.0.5", true],
  ["one behind a wildcard of the local network", ["*.corp"], [], "npm.corp", "10.0.0.5", true],
  ["one behind a local name that only * allows", ["*"], [], "npm.corp", "10.0.0.5", false],
  ["metadata behind a name of the local network", ["npm.corp"], [], "npm.corp", "169.254.169.254", false],
  ["an address that is denied", ["example.com"], ["93.184.215.14"], "example.com", "93.184.215.14", false],
] as const)("an allowed name leads to %s", (_what, allowed, denied, host, address, leads) => {
  expect(leadsWhereAllowed(policyOf(allowed, denied), host, 443, address)).toBe(leads)
})

test("ports of this machine that lines name", () => {
  const allowed = ["localhost:4873", "127.0.0.1:5432", "[::1]:4873", "localhost", "example.com:80", "10.0.0.5:9"]
  expect(loopbackPorts(policyOf(allowed))).toEqual([4873, 5432])
  expect(loopbackPorts(policyOf(allowed, ["localhost:5432"]))).toEqual([4873])
})

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join("."))
const port = fc.integer({ min: 1, max: 65_535 })
const ipv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const pattern = fc.oneof(
  name,
  name.map((host) => `*.${host}`),
  fc.constant("*"),
  ipv4.map((bytes) => bytes.join(".")),
)

test("however it is written, a host is judged the same", () => {
  fc.assert(
    fc.property(
      name,
      port,
      fc.array(pattern),
      fc.array(pattern),
      fc.infiniteStream(fc.boolean()),
      (host, at, allowed, denied, caps) => {
        const policy = policyOf([...allowed, host], denied)
        const written = `${[...host].map((letter) => (caps.next().value ? letter.toUpperCase() : letter)).join("")}.`
        expect(verdict(policy, written, at)).toEqual(verdict(policy, host, at))
      },
    ),
  )
})

test("an address is the same in every spelling", () => {
  fc.assert(
    fc.property(ipv4, fc.array(fc.constantFrom(10, 8, 16), { minLength: 4, maxLength: 4 }), ([a, b, c, d], bases) => {
      const written = (value: number, at: number): string => {
        const base = bases[at] ?? 10
        return base === 16 ? `0x${value.toString(16)}` : base === 8 ? `0${value.toString(8)}` : String(value)
      }
      const plain = { ok: true as const, value: `${a}.${b}.${c}.${d}` }
      expect(plainHost([a, b, c, d].map(written).join("."))).toEqual(plain)
      expect(plainHost([written(a, 0), written(b * 65_536 + c * 256 + d, 1)].join("."))).toEqual(plain)
      expect(plainHost(written(((a * 256 + b) * 256 + c) * 256 + d, 2))).toEqual(plain)
    }),
  )
})

test("denied wins, whatever is allowed", () => {
  fc.assert(
    fc.property(name, port, fc.array(pattern), (host, at, allowed) => {
      expect(decision(policyOf([...allowed, host, "*"], [host], "ask"), host, at)).toBe("deny")
      expect(decision(policyOf([...allowed, "*"], [`*.${host}`], "ask"), `a.${host}`, at)).toBe("deny")
    }),
  )
})

test("no address that is not public is let through by lines that do not name it", () => {
  fc.assert(
    fc.property(ipv4, port, fc.array(pattern), name, (bytes, at, allowed, host) => {
      const address = bytes.join(".")
      fc.pre(specialRange(address) !== undefined && !allowed.includes(address))
      const policy = policyOf([...allowed, "*", host], [], "ask")
      expect(decision(policy, address, at)).toBe("deny")
      expect(leadsWhereAllowed(policy, `${host}.com`, at, address)).toBe(false)
    }),
  )
})

test("nothing makes the reading of a host or a line throw, and what is read stays the same when read again", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.webAuthority(), fc.ipV6()), (text) => {
      const plain = plainHost(text)
      if (plain.ok) expect(plainHost(plain.value)).toEqual(plain)
      const read = parseHostPattern(text)
      if (read.ok && read.value.kind === "host")
        expect(plainHost(read.value.host)).toEqual({ ok: true, value: read.value.host })
    }),
    { ...runs(1000) },
  )
})
