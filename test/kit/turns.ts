/**
 * What a story can run in: screens, databases, ways to host a member, versions of a client. By day each story runs in one
 * of them and they take turns, so that each is used; `npm run nightly` runs every story in all. See decision 106.
 */

import { test } from "bun:test"

const isEverywhere = process.env["CODEWRIGHT_EVERYWHERE"] === "1"

export type Turn = <T>(all: readonly T[]) => readonly T[]

/** As `test` does it. */
export type Tell = (name: string, story: () => Promise<void>) => void

/** One for a test file, asked once for each story with what that can run in. */
export function openTurns(everywhere: boolean = isEverywhere): Turn {
  let stories = 0
  return (all) => {
    const nth = stories++ % all.length
    return everywhere ? all : all.slice(nth, nth + 1)
  }
}

/** For surroundings that each tell the same stories in the same order, one of these for each of them. */
export const testsInTurns = (count: number): readonly Tell[] =>
  Array.from({ length: count }, (_, mine) => {
    const turn = openTurns()
    return (name, story) => {
      if (turn([...Array(count).keys()]).includes(mine)) test(name, story)
    }
  })

/** What one of several surroundings tries of a list: by day its share, at night all. */
export const shareOf = <T>(all: readonly T[], which: number, among: number): readonly T[] =>
  all.filter((_, at) => isEverywhere || at % among === which)
