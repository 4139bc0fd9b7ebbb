/** What was said before, to walk through and to search. */

export interface History {
  /** Oldest first. */
  readonly entries: readonly string[]
  /** How far back one has walked; 0 is the text one was writing. */
  readonly back: number
  /** The text one was writing before walking. */
  readonly draft: string
}

export interface Recall {
  readonly history: History
  readonly text: string
}

const most = 1000

/** A history at its newest end; what is said twice in a row is kept once. */
export function newest(entries: readonly string[]): History {
  const kept = entries.length > 1 && entries.at(-1) === entries.at(-2) ? entries.slice(0, -1) : entries
  return { entries: kept.slice(-most), back: 0, draft: "" }
}

/** The same place in it, with what was said before it began. */
export const preceded = (history: History, before: readonly string[]): History => ({
  ...history,
  entries: [...before, ...history.entries].slice(-most),
})

/** One further back; nothing at the oldest. */
export function older(history: History, text: string): Recall | undefined {
  const back = history.back + 1
  const found = history.entries.at(-back)
  if (found === undefined) return undefined
  return { history: { ...history, back, draft: history.back === 0 ? text : history.draft }, text: found }
}

/** One further forth; nothing when one has not walked. */
export function newer(history: History): Recall | undefined {
  if (history.back === 0) return undefined
  const back = history.back - 1
  return { history: { ...history, back }, text: back === 0 ? history.draft : (history.entries.at(-back) ?? "") }
}

/** The entries that have some letters in them, newest first, each once. */
export function searchAll(history: History, text: string): readonly string[] {
  const wanted = text.toLowerCase()
  const found = history.entries.filter((entry) => entry.toLowerCase().includes(wanted))
  return [...new Set(found.toReversed())]
}
