/** Names of plans: enough of them, harmless, and never one that is taken. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { freeSlug } from "#kits/plan/slug.ts"
import { adjectives, nouns, verbs } from "#kits/plan/slug-words.ts"
import { seededIds } from "#lib/ids.ts"

test("there are at least 200 words of each kind, each once, and 8 million names", () => {
  for (const words of [adjectives(), verbs(), nouns()]) {
    expect(words.length).toBeGreaterThanOrEqual(200)
    expect(new Set(words).size).toBe(words.length)
    expect(words.filter((word) => !/^[a-z]+$/.test(word))).toEqual([])
  }
  expect(adjectives().length * verbs().length * nouns().length).toBeGreaterThan(8_000_000)
})

test("a name is adjective-verb-noun", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const [adjective = "", verb = "", noun = "", ...rest] = freeSlug(seededIds(seed), () => false).split("-")
      return adjectives().includes(adjective) && verbs().includes(verb) && nouns().includes(noun) && rest.length === 0
    }),
  )
})

test("ten names are tried, then one is made that cannot be taken", () => {
  const asked: string[] = []
  const slug = freeSlug(seededIds(1), (candidate) => {
    asked.push(candidate)
    return true
  })
  expect(asked).toHaveLength(10)
  expect(slug).toMatch(/^[a-z]+-[a-z]+-[a-z]+-[0-9a-f]{8}$/)
})

test("the first free one is taken", () => {
  const asked: string[] = []
  const slug = freeSlug(seededIds(2), (candidate) => {
    asked.push(candidate)
    return asked.length < 4
  })
  expect(asked).toHaveLength(4)
  expect(asked.at(-1)).toBe(slug)
})
