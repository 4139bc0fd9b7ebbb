/** Which skills a prompt is about: those that share its rare words. No model and no network is asked. */

import { onceFor } from "#lib/once-each.ts"
import type { Listed } from "./listing.ts"

/** A word of a name says more than one of a description. */
const nameWeight = 2
const mostWords = 300
/** What one word is worth that every tenth skill has. */
const least = Math.log(1 + 10)

/** The best first; only those that are clearly meant. */
export function relevantTo<T extends Listed>(prompt: string, skills: readonly T[], most: number): readonly T[] {
  const asked = new Set([...wordsIn(prompt.slice(0, 20_000))].slice(0, mostWords))
  if (asked.size === 0 || skills.length === 0) return []
  // Most skills share no letters with a prompt, and splitting them into words takes longest.
  const near = skills.filter((skill) => asked.values().some((word) => lowerOf(skill).includes(word)))
  const worth = new Map<string, number>()
  for (const word of asked) {
    const having = near.filter((skill) => wordsOf(skill).all.has(word)).length
    if (having > 0) worth.set(word, Math.log(1 + skills.length / having))
  }
  if (worth.size === 0) return []
  return near
    .map((skill) => ({ skill, score: scoreOf(wordsOf(skill), worth) }))
    .filter(({ score }) => score >= least)
    .toSorted((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1))
    .slice(0, most)
    .map(({ skill }) => skill)
}

interface SkillWords {
  readonly name: ReadonlySet<string>
  readonly all: ReadonlySet<string>
}

const lowerOf = onceFor(({ name, description, whenToUse = "" }: Listed): string =>
  `${name} ${description} ${whenToUse}`.toLowerCase(),
)

const wordsOf = onceFor(({ name, description, whenToUse = "" }: Listed): SkillWords => {
  const own = wordsIn(name)
  return { name: own, all: new Set([...own, ...wordsIn(`${description} ${whenToUse}`)]) }
})

function scoreOf({ name, all }: SkillWords, worth: ReadonlyMap<string, number>): number {
  let score = 0
  for (const [word, value] of worth) if (all.has(word)) score += name.has(word) ? value * nameWeight : value
  return score
}

/** Words without their usual endings. Where a language writes no spaces, pairs of characters. */
function wordsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [written] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (unspaced.test(written)) for (let i = 0; i + 1 < written.length; i++) found.add(written.slice(i, i + 2))
    else if (written.length > 2 && !usual.has(written)) found.add(stem(written))
  }
  return found
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

const stem = (word: string): string => (word.length > 4 ? word.replace(/(?:ings?|ed|es|s|e)$/, "") : word)

const usual: ReadonlySet<string> = new Set(
  "and are but can could did does file files for from had has have her his how into its just let make more need not now one our out please run should some than that the them then there these they this use user uses using want was were what when where which who why will with work would you your".split(
    " ",
  ),
)
