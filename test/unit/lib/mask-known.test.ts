/** Known secrets are masked however they are written; everything else stays as it was. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { maskKnown, secretsInHeaders, secretsInUrl } from "#lib/mask-known.ts"

const key = "sk_local-3f9a77c0e1d24b58/9921+x=="

const json = (text: string): string => JSON.stringify(text).slice(1, -1)
const unicode = (text: string): string =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
const percent = (text: string): string => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("")
const html = (text: string): string => [...text].map((one) => `&#${one.charCodeAt(0)};`).join("")

const writings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  percent,
  json,
  (text) => json(json(text)),
  (text) => text.replaceAll("/", "\\/"),
  unicode,
  html,
  (text) => Bun.escapeHTML(text),
]

test("a secret is masked in every way programs write it", () => {
  for (const [i, write] of writings.entries())
    expect([i, maskKnown(`no such key: "${write(key)}", sorry`, [key])]).toEqual([i, `no such key: "****", sorry`])
})

test("whatever surrounds it, nothing of a secret is left and nothing else is lost", () => {
  const secret = fc.string({ unit: fc.constantFrom(...'abcXYZ0189-_.+/="&%~'), minLength: 16, maxLength: 120 })
  const around = fc.string({ unit: fc.constantFrom(..." :;,()ÄÖ☃'"), maxLength: 20 })
  fc.assert(
    fc.property(secret, around, around, fc.constantFrom(...writings), (hidden, before, after, write) => {
      expect(maskKnown(`${before}${write(hidden)}${after}`, [hidden])).toBe(`${before}****${after}`)
    }),
  )
})

test("a long part of a secret is masked too; the few characters by which it is recognized are not", () => {
  expect(maskKnown(`key ${key.slice(0, 24)}… is wrong`, [key])).toBe("key ****… is wrong")
  expect(maskKnown(`key …${key.slice(-20)} is wrong`, [key])).toBe("key …**** is wrong")
  const shown = `key ${key.slice(0, 8)}…${key.slice(-4)} is wrong`
  expect(maskKnown(shown, [key])).toBe(shown)
})

test("words that happen to be somebody's key are not masked, and neither is other text", () => {
  expect(maskKnown("the test failed", ["test", ""])).toBe("the test failed")
  const plain = "messages.3: image is broken, 100% of it (see https://example.com/a%20b?c=d)"
  expect(maskKnown(plain, [key])).toBe(plain)
})

test("the credentials of a request are its keys, tokens and cookies, and added headers that are more than words", () => {
  const secrets = secretsInHeaders(
    new Headers({
      accept: "application/json",
      "anthropic-beta": "context-management-2025-06-27",
      "anthropic-version": "2023-06-01",
      "user-agent": "codewright",
      "x-team": "platform-engineering",
      "x-api-key": "onlyletterskey",
      authorization: "Bearer token-1234567",
      cookie: "sid=0123456789; lang=en",
      "x-org": "3f9a77c0-e1d2",
    }),
  )
  expect(new Set(secrets)).toEqual(
    new Set([
      "onlyletterskey",
      "Bearer token-1234567",
      "token-1234567",
      "sid=0123456789; lang=en",
      "0123456789",
      "en",
      "3f9a77c0-e1d2",
    ]),
  )
  const basic = Buffer.from("me:hunter2hunter2").toString("base64")
  expect(secretsInHeaders([["Authorization", `Basic ${basic}`]])).toContain("hunter2hunter2")
})

test("the credentials of an address are what stands before its host", () => {
  expect(secretsInUrl("https://example.com/a@b")).toEqual([])
  expect(secretsInUrl("http://me:p%40ss-word-9@proxy.example:8080")).toEqual([
    "me:p@ss-word-9",
    "p@ss-word-9",
    Buffer.from("me:p@ss-word-9").toString("base64"),
  ])
  expect(secretsInUrl("me:pass-word-9@proxy.example:8080")[1]).toBe("pass-word-9")
})
