import { expect, test } from "bun:test"
import fc from "fast-check"
import corpus from "../../../corpus/addresses.json"
import { type AddressRefusal, judgeResolved, judgeUrl, sayRefusal } from "#ground/web/addresses.ts"
import { specialRange } from "#lib/ip.ts"

/** One row of the corpus: an address as written, or a host and where it leads. */
interface Row {
  readonly url?: string
  readonly host?: string
  readonly resolved?: readonly string[]
  /** Hosts and addresses that a rule names. */
  readonly rules?: readonly string[]
  readonly verdict: string
  readonly kind?: string
  readonly reached?: string
  readonly note?: string
  readonly why: string
}

const rows: readonly Row[] = corpus
const kindOf = (refusal: AddressRefusal): string => (refusal.kind === "special" ? refusal.range : refusal.kind)
const named =
  ({ rules = [] }: Row) =>
  (host: string): boolean =>
    rules.includes(host)

test.each(rows.filter(({ url }) => url !== undefined))("written: $url, $why", (row) => {
  const judged = judgeUrl(row.url ?? "", named(row))
  if (!judged.ok) {
    expect(["refuse", kindOf(judged.failure)]).toEqual([row.verdict, row.kind ?? ""])
    return
  }
  expect(row.verdict).toBe("allow")
  expect(judged.value.url).toBe(row.reached ?? judged.value.url)
  expect(judged.value.note ?? "").toContain(row.note ?? "")
  if (row.note === undefined) expect(judged.value.note).toBeUndefined()
})

test.each(rows.filter(({ resolved }) => resolved !== undefined))("leads to: $resolved, $why", (row) => {
  const refusal = judgeResolved({ host: row.host ?? "", scheme: "https" }, row.resolved ?? [], named(row))
  expect(refusal === undefined ? ["allow", undefined] : ["refuse", kindOf(refusal)]).toEqual([row.verdict, row.kind])
})

test("the corpus is large enough, and half of it is harmless", () => {
  const hostile = rows.filter(({ verdict }) => verdict === "refuse").length
  expect(rows.length).toBeGreaterThanOrEqual(60)
  expect(Math.abs(hostile - rows.length / 2)).toBeLessThan(rows.length / 10)
  expect(new Set(rows.map((row) => JSON.stringify([row.url, row.host, row.resolved, row.rules]))).size).toBe(
    rows.length,
  )
})

test("plain http goes nowhere but to this machine, wherever its name leads", () => {
  const judged = judgeResolved({ host: "localhost", scheme: "http" }, ["93.184.216.34"], () => true)
  expect(judged).toMatchObject({ kind: "special", address: "93.184.216.34" })
})

test("whoever is refused is told why and what the user can do", () => {
  const said = (url: string): string => {
    const judged = judgeUrl(url, () => false)
    return judged.ok ? "" : sayRefusal(judged.failure)
  }
  expect(said("http://10.0.0.5/")).toBe(
    "10.0.0.5 is an address of a private network, which is not reached unless a rule names it. If that is wanted, the user can allow WebFetch(domain:10.0.0.5) in their own settings.",
  )
  expect(said("ftp://example.com/")).toBe("Only https addresses are fetched, not ftp.")
  expect(said("https://me:secret@example.com/")).toBe(
    "The address holds a name or password before example.com. Give it without them.",
  )
  expect(said(`https://example.com/${"a".repeat(9000)}`)).toContain("it is longer than 8192 characters")
  const refusal = judgeResolved({ host: "wiki.example.com", scheme: "https" }, ["10.0.0.5"], () => false)
  expect(refusal && sayRefusal(refusal)).toStartWith("wiki.example.com leads to 10.0.0.5, an address of a private")
})

test("every notation of an IPv4 address is judged like the address", () => {
  const byte = fc.integer({ min: 0, max: 255 })
  const written = (value: number, style: number): string =>
    style === 0 ? String(value) : style === 1 ? `0x${value.toString(16)}` : `0${value.toString(8)}`
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), fc.integer({ min: 1, max: 4 }), fc.nat(2), (bytes, parts, style) => {
      const rest = bytes.slice(parts - 1).reduce((value, each) => value * 256 + each, 0)
      const host = [...bytes.slice(0, parts - 1), rest].map((value) => written(value, style)).join(".")
      const judged = judgeUrl(`https://${host}/`, () => false)
      const range = specialRange(bytes.join("."))
      expect(judged.ok ? undefined : kindOf(judged.failure)).toBe(range)
    }),
  )
})

test("an IPv6 address that holds a private IPv4 one is never reached", () => {
  const inner = fc.constantFrom("127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1")
  const hex = (address: string, flip: number): string => {
    const bytes = address.split(".").map((part) => Number(part) ^ flip)
    const group = (at: number): string => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16)
    return `${group(0)}:${group(2)}`
  }
  fc.assert(
    fc.property(inner, fc.nat(0xffff), (address, noise) => {
      const forms = [
        `::ffff:${address}`,
        `::${address}`,
        `64:ff9b::${hex(address, 0)}`,
        `2002:${hex(address, 0)}:${noise.toString(16)}::1`,
        `2001:0:${hex(address, 0)}::${hex("8.8.8.8", 255)}`,
        `2001:0:808:808::${hex(address, 255)}`,
      ]
      for (const form of forms) expect([form, specialRange(form)]).not.toEqual([form, undefined])
    }),
  )
})

test("whatever is written, what is reached is https on a public host without a name or password", () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withFragments: true }), fc.string(), fc.webAuthority()), (text) => {
      for (const url of [text, `http://${text}`, `https://${text}`]) {
        const judged = judgeUrl(url, () => false)
        if (!judged.ok) continue
        const again = new URL(judged.value.url)
        expect([again.protocol, again.username, again.password, again.hash]).toEqual(["https:", "", "", ""])
        // Nothing in it could end the line of a request.
        expect(judged.value.url).toMatch(/^[!-~]+$/)
        expect(judgeUrl(judged.value.url, () => false)).toEqual(judged)
      }
    }),
  )
})
