/** What was said before, to walk through and to search. */

export interface History {
  /** Oldest first. */
  readonly entries: readonly string[]
  /** Steps back from the current draft. */
  readonly back: number
  readonly draft: string
}

export interface Recall {
  readonly history: History
  readonly text: string
}

const most = 1000

/** Repeated entries are kept once. */
export function newest(entries: readonly string[]): History {
  const kept = entries.length > 1 && entries.at(-1) === entries.at(-2) ? entries.slice(0, -1) : entries
  return { entries: kept.slice(-most), back: 0, draft: "" }
}

/** Prepends earlier entries; the position stays. */
export const preceded = (history: History, before: readonly string[]): History => ({
  ...history,
  entries: [...before, ...history.entries].slice(-most),
})

export function older(history: History, text: string): Recall | undefined {
  const back = history.back + 1
  const found = history.entries.at(-back)
  if (found === undefined) return undefined
  return { history: { ...history, back, draft: history.back === 0 ? text : history.draft }, text: found }
}

export function newer(history: History): Recall | undefined {
  if (history.back === 0) return undefined
  const back = history.back - 1
  return { history: { ...history, back }, text: back === 0 ? history.draft : (history.entries.at(-back) ?? "") }
}

/** Newest first, each once. */
export function searchAll(history: History, text: string): readonly string[] {
  const wanted = text.toLowerCase()
  const found = history.entries.filter((entry) => entry.toLowerCase().includes(wanted))
  return [...new Set(found.toReversed())]
}
