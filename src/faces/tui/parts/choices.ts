/** Choices below the prompt: a few rows around the one that is pointed at, in columns that do not move. */

import { cyan, dim } from "#faces/tui/screen/style.ts"
import { fitted, widthOf } from "#faces/tui/screen/width.ts"
import { forConsent } from "#lib/printable.ts"

export interface Choice {
  readonly text: string
  readonly about: string
}

const fewShown = 6

export interface ChoicesRoom {
  /** How many are shown at once. */
  readonly most?: number
  readonly foot?: string
}

export function choiceRows(
  choices: readonly Choice[],
  at: number,
  columns: number,
  { most: mostShown = fewShown, foot = "" }: ChoicesRoom = {},
): string[] {
  const from = Math.max(0, Math.min(at - Math.floor(mostShown / 2), choices.length - mostShown))
  // Over all of them, so that nothing jumps while one scrolls.
  const widest = Math.min(Math.max(...choices.map(({ text }) => widthOf(text))), Math.floor(columns / 2))
  const rows = choices.slice(from, from + mostShown).map(({ text, about }, i) => {
    const name = forConsent(text)
    const row =
      about === "" ? `  ${name}` : `  ${name}${" ".repeat(Math.max(0, widest - widthOf(name)))}  ${forConsent(about)}`
    return fitted(from + i === at ? cyan(row) : dim(row), columns)
  })
  const count = choices.length > mostShown ? [`${Math.max(0, at) + 1} of ${choices.length}`] : []
  const last = [...count, ...(foot === "" ? [] : [foot])].join(" · ")
  return last === "" ? rows : [...rows, fitted(dim(`  ${last}`), columns)]
}
