/**
 * Paths by a few of their letters, fast among very many: each further letter looks only at what was left before. All
 * paths are one string, which takes a fraction of the memory and time of a string for each.
 */

export interface FileMatcher {
  /** Paths that contain the letters in order, best first. */
  readonly find: (letters: string) => Promise<readonly string[]>
}

/** This many are ranked by a finer, slower score. */
const finalists = 200
const mostFound = 20
const longest = 200

interface Left {
  readonly letters: string
  readonly numbers: Uint32Array
}

/** `paths`: one a line, each ended by a line break. */
export function openFileMatcher(paths: string): FileMatcher {
  const lower = lowered(paths)
  const starts = lineStarts(paths)
  const count = starts.length - 1
  const all: Left = { letters: "", numbers: Uint32Array.from({ length: count }, (_, number) => number) }
  let narrowed: readonly Left[] = [all]

  const startOf = (number: number): number => starts[number] ?? 0
  const endOf = (number: number): number => (starts[number + 1] ?? 1) - 1
  const pathAt = (number: number): string => paths.slice(startOf(number), endOf(number))
  /** A folder's name is before the slash that it ends with. */
  const nameOf = (number: number): number =>
    startOf(number) + lower.slice(startOf(number), endOf(number) - 1).lastIndexOf("/") + 1

  function left(letters: string): Left {
    // What holds some letters holds those before the last of them too.
    narrowed = narrowed.filter((before) => letters.startsWith(before.letters))
    const from = narrowed.at(-1) ?? all
    if (from.letters === letters) return from
    const holds = openHolds(lower, letters)
    const next = { letters, numbers: from.numbers.filter((number) => holds(startOf(number), endOf(number))) }
    narrowed = [...narrowed, next]
    return next
  }

  function openScore(letters: string): (number: number) => number {
    const together = openAhead(lower, letters)
    const togetherInName = openAhead(lower, letters)
    const holdsInName = openHolds(lower, letters)
    return (number) => {
      const [start, end, name] = [startOf(number), endOf(number), nameOf(number)]
      const fits = (at: number): boolean => at + letters.length <= end
      const length = end - name
      const inName = togetherInName(name)
      if (fits(inName)) return within(900, 1023, (inName === name ? 1023 : 960) - length)
      if (fits(together(start))) return within(600, 899, 899 - (end - start))
      return holdsInName(name, end) ? within(400, 599, 599 - length) : within(0, 399, 399 - (end - start))
    }
  }

  return {
    async find(given) {
      const letters = lowered(given).slice(0, longest)
      if (letters === "") return Array.from({ length: Math.min(mostFound, count) }, (_, number) => pathAt(number))
      const { numbers } = left(letters)
      const scored = best(numbers, openScore(letters))
      const { Fzf } = await import("fzf")
      const order = new Fzf(scored.map(pathAt), { limit: mostFound, casing: "case-insensitive" })
      return order.find(letters).map(({ item }) => item)
    },
  }
}

/** As long as before: this is the only letter that would become two. */
const lowered = (text: string): string => text.replaceAll("İ", "i").toLowerCase()

function lineStarts(text: string): Uint32Array {
  const starts = [0]
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1)
  return Uint32Array.from(starts)
}

/** Finds a string from ever later places on: what was found behind a place already is not looked for again. */
function openAhead(text: string, wanted: string): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) {
      const at = text.indexOf(wanted, from)
      found = at === -1 ? Number.POSITIVE_INFINITY : at
    }
    return found
  }
}

/** Whether a part of the text has the letters in order; parts must come in their order. */
function openHolds(text: string, letters: string): (from: number, end: number) => boolean {
  const ahead = Array.from({ length: letters.length }, (_, at) => openAhead(text, letters[at] ?? ""))
  return (from, end) => {
    let at = from
    for (const next of ahead) {
      const found = next(at)
      if (found >= end) return false
      at = found + 1
    }
    return true
  }
}

const mostScore = 1023

const within = (least: number, most: number, value: number): number => Math.max(least, Math.min(most, value))

/** By a rough score: letters together in the name count most, then in the path, then apart in the name. */
function best(numbers: Uint32Array, score: (number: number) => number): readonly number[] {
  if (numbers.length <= finalists) return [...numbers]
  const scores = new Uint16Array(numbers.length)
  const counts = new Uint32Array(mostScore + 1)
  for (let i = 0; i < numbers.length; i++) {
    const own = score(numbers[i] ?? 0)
    scores[i] = own
    counts[own] = (counts[own] ?? 0) + 1
  }
  let least = mostScore
  for (let sum = counts[least] ?? 0; least > 0 && sum < finalists; sum += counts[least] ?? 0) least--
  const found: { readonly number: number; readonly score: number }[] = []
  for (let i = 0; i < numbers.length; i++)
    if ((scores[i] ?? 0) >= least) found.push({ number: numbers[i] ?? 0, score: scores[i] ?? 0 })
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, finalists)
    .map(({ number }) => number)
}
