/** Sentinels for secrets and back: in headers, in base64, in pieces, and nowhere else. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openRedaction, secretsInto } from "#ground/sandbox/credentials/exchange.ts"
import { isReplaceable, sentinelFor } from "#ground/sandbox/credentials/sentinel.ts"
import { seededIds, systemIds } from "#lib/ids.ts"

const one = { secret: "ghp_abcdefghijklmnopqrstuvwxyz0123456789", sentinel: "ghp_SENTINELSENTINELSENTINELSENTINELSENT" }
const two = { secret: 'pass/"word"-12', sentinel: "SENTINELTWO012" }
const base64 = (text: string): string => Buffer.from(text, "latin1").toString("base64")
const header = (name: string, value: string) => ({ name, value })

const rows: readonly (readonly [string, string, string])[] = [
  ["Authorization", `Bearer ${one.sentinel}`, `Bearer ${one.secret}`],
  ["authorization", `token ${one.sentinel}`, `token ${one.secret}`],
  ["AUTHORIZATION", `Basic ${base64(`me:${two.sentinel}`)}`, `Basic ${base64(`me:${two.secret}`)}`],
  ["Authorization", `Basic ${base64(`${one.sentinel}:x`)}`, `Basic ${base64(`${one.secret}:x`)}`],
  ["Authorization", `Bearer ${base64(one.sentinel)}`, `Bearer ${base64(one.secret)}`],
  ["PRIVATE-TOKEN", one.sentinel, one.secret],
  ["Cookie", `a=b; token=${one.sentinel}; c=${two.sentinel}`, `a=b; token=${one.secret}; c=${two.secret}`],
  ["X-Both", `${one.sentinel}${one.sentinel}`, `${one.secret}${one.secret}`],
]

test.each(rows)("%s: %s", (name, sent, arrives) => {
  const { headers, put } = secretsInto([header(name, sent)], [one, two])
  expect(headers).toEqual([header(name, arrives)])
  const { text } = openRedaction([...put, one, two])
  expect(text(arrives)).toBe(sent)
})

test.each([
  ["User-Agent"],
  ["Referer"],
  ["Host"],
  ["Content-Disposition"],
  ["X-Amz-Meta-Note"],
  ["If-Match"],
  ["X-Forwarded-For"],
  ["Proxy-Authorization"],
])("%s is nothing that authenticates, and gets no secret", (name) => {
  const sent = [header(name, one.sentinel)]
  expect(secretsInto(sent, [one])).toEqual({ headers: sent, put: [] })
})

test.each([[one.sentinel.slice(1)], [one.sentinel.toLowerCase()], [base64(one.sentinel).slice(1)], ["Basic =="], [""]])(
  "%p is no sentinel",
  (value) =>
    expect(secretsInto([header("Authorization", value)], [one]).headers).toEqual([header("Authorization", value)]),
)

test.each([
  ["as it is", one.secret],
  ["percent-encoded", encodeURIComponent(two.secret)],
  ["in JSON", JSON.stringify({ token: two.secret })],
  ...["", "a", "ab"].flatMap((before) => [
    ["in base64", base64(`${before}${one.secret}--`)],
    ["in base64 for addresses", Buffer.from(`${before}${two.secret}??`).toString("base64url")],
  ]),
])("a secret that an answer repeats %s is gone: %s", (_, text) => {
  const shown = openRedaction([one, two]).text(`<${text}>`)
  expect(shown).toHaveLength(text.length + 2)
  for (const { secret } of [one, two])
    for (const spelled of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      expect(shown).not.toContain(spelled)
  expect(Buffer.from(shown.slice(1), "base64").toString("latin1")).not.toContain(one.secret.slice(4, -4))
})

test("however an answer is cut into pieces, it comes to the same, and nothing waits that cannot be a secret", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      one.secret,
      two.secret,
      one.sentinel,
      base64(one.secret),
      one.secret.slice(0, 9),
      "g",
      "gh",
      "ghp_",
    ),
    fc.string({ maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(300), { maxLength: 12 }), (pieces, cuts) => {
      const text = Buffer.from(pieces.join(""))
      const whole = openRedaction([one, two]).stream()
      const once = Buffer.concat([whole.pass(text), whole.rest()])
      const { pass, rest } = openRedaction([one, two]).stream()
      const ends = [...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length]
      let at = 0
      const out: Uint8Array[] = []
      for (const end of ends) {
        out.push(Buffer.from(pass(text.subarray(at, end))))
        at = end
      }
      const inPieces = Buffer.concat([...out, rest()])
      expect(inPieces.toString("latin1")).toBe(once.toString("latin1"))
      expect(inPieces).toHaveLength(text.length)
      for (const { secret } of [one, two]) expect(inPieces.includes(secret)).toBe(false)
    }),
    { numRuns: 2000 },
  )
  const { pass } = openRedaction([one]).stream()
  expect(Buffer.from(pass(Buffer.from("data: hello\n\n"))).toString()).toBe("data: hello\n\n")
})

test.each([
  ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", /^ghp_[A-Za-z0-9]{36}$/],
  ["github_pat_11AAAAAAA0aBcDeFgHiJkL_mNoPqRsTuVwXyZ", /^github_pat_[A-Za-z0-9]+$/],
  ["npm_abcdefghijklmnopqrstuvwxyz0123456789", /^npm_[A-Za-z0-9]{36}$/],
  ["glpat-abcdefghijklmnopqrst", /^glpat-[A-Za-z0-9]{20}$/],
  ["0123456789abcdef0123456789abcdef01234567", /^[0-9a-f]{40}$/],
  ["123e4567-e89b-42d3-a456-426614174000", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ["correct horse battery", /^[A-Za-z0-9]{21}$/],
])("the sentinel of %s has its shape and its length", (secret, shape) => {
  const sentinel = sentinelFor(secret, systemIds)
  expect(sentinel).toMatch(shape)
  expect(sentinel).toHaveLength(secret.length)
  expect(sentinel).not.toBe(sentinelFor(secret, systemIds))
})

test("a sentinel says nothing about its secret but prefix, length and alphabet", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9!#%]{8,60}$/), fc.nat(), (secret, seed) => {
      const sentinel = sentinelFor(secret, seededIds(seed))
      expect(sentinel).toHaveLength(secret.length)
      expect(sentinel).toMatch(/^[A-Za-z0-9_-]+$/)
    }),
  )
})

test.each([["short"], ["with\nline"], ["with\ttab---"], [" padded-value"], ["naïve-password"], ["x".repeat(5000)]])(
  "%p cannot be replaced",
  (secret) => expect(isReplaceable(secret)).toBe(false),
)
