/** Pronounceable plan names: an adjective, a verb and a noun. */

import type { Ids } from "#lib/ids.ts"
import { adjectives, nouns, verbs } from "./slug-words.ts"

const tries = 10

/** An unused name; after too many collisions, one with part of an id. */
export function freeSlug(ids: Ids, isTaken: (slug: string) => boolean): string {
  for (let i = 0; i < tries; i++) {
    const slug = randomSlug(ids)
    if (!isTaken(slug)) return slug
  }
  return `${randomSlug(ids)}-${ids.uuid().slice(0, 8)}`
}

/** The random draws that produce a name again; empty if it was not drawn. */
export function chancesOfSlug(slug: string): readonly number[] {
  const parts = slug.split("-")
  const draws = [adjectives(), verbs(), nouns()].map((words, i) => (words.indexOf(parts[i] ?? "") + 0.5) / words.length)
  return draws.every((draw) => draw > 0) ? draws : []
}

function randomSlug(ids: Ids): string {
  return [adjectives(), verbs(), nouns()].map((words) => pick(words, ids)).join("-")
}

const pick = (words: readonly string[], { random }: Ids): string =>
  words[Math.floor(random() * words.length)] ?? "plain"
