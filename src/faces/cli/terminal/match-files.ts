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
/** With so many names that begin with the letters, a letter more is needed anyway. */
const mostBegun = 2_000
const leastBegun = 960

/** The paths that hold some letters in order, and where in each the first way to find them ends. */
interface Left {
  readonly letters: string
  readonly numbers: Uint32Array
  readonly ends: Uint32Array
}

/** `paths`: one a line, each ended by a line break. */
export function openFileMatcher(paths: string): FileMatcher {
  const text = codesOf(lowered(paths))
  const starts = lineStarts(text)
  const names = nameStarts(text, starts)
  const count = starts.length - 1
  const all: Left = {
    letters: "",
    numbers: Uint32Array.from({ length: count }, (_, number) => number),
    ends: starts.subarray(0, count),
  }
  let narrowed: readonly Left[] = [all]
  /** For whoever deletes a letter again. */
  const ranked = new WeakMap<Left, readonly number[]>()

  const startOf = (number: number): number => starts[number] ?? 0
  const endOf = (number: number): number => (starts[number + 1] ?? 1) - 1
  const pathAt = (number: number): string => paths.slice(startOf(number), endOf(number))

  function left(letters: string): Left {
    // What holds some letters holds those before the last of them too.
    narrowed = narrowed.filter((before) => letters.startsWith(before.letters))
    const from = narrowed.at(-1) ?? all
    if (from.letters === letters) return from
    const more = codesOf(letters.slice(from.letters.length))
    const numbers = new Uint32Array(from.numbers.length)
    const ends = new Uint32Array(from.numbers.length)
    let matched = 0
    for (let i = 0; i < from.numbers.length; i++) {
      const number = from.numbers[i] ?? 0
      const end = afterLetters(text, from.ends[i] ?? 0, endOf(number), more)
      if (end === -1) continue
      numbers[matched] = number
      ends[matched++] = end
    }
    const next = { letters, numbers: numbers.subarray(0, matched), ends: ends.subarray(0, matched) }
    narrowed = [...narrowed, next]
    return next
  }

  /** Letters together in the name count most, the shortest names first. */
  function scoreInName(number: number, letters: Codes): number {
    const end = endOf(number)
    const name = names[number] ?? 0
    const at = togetherAt(text, name, end, letters)
    return at === -1 ? 0 : within(900, 1023, (at === name ? 1023 : 960) - (end - name))
  }

  /** Then letters together in the path, then apart in the name. */
  function scoreInPath(number: number, letters: Codes): number {
    const [start, end, name] = [startOf(number), endOf(number), names[number] ?? 0]
    if (togetherAt(text, start, end, letters) !== -1) return within(600, 899, 899 - (end - start))
    const isApartInName = afterLetters(text, name, end, letters) !== -1
    return isApartInName ? within(400, 599, 599 - (end - name)) : within(1, 399, 399 - (end - start))
  }

  function best(candidates: Left): readonly number[] {
    const known = ranked.get(candidates) ?? rank(candidates)
    ranked.set(candidates, known)
    return known
  }

  function rank({ numbers, letters }: Left): readonly number[] {
    if (numbers.length <= finalists) return [...numbers]
    const codes = codesOf(letters)
    const scores = new Uint16Array(numbers.length)
    let found = 0
    let begun = 0
    for (let i = 0; i < numbers.length && begun < mostBegun; i++) {
      const score = scoreInName(numbers[i] ?? 0, codes)
      scores[i] = score
      if (score > 0) found++
      if (score > leastBegun) begun++
    }
    // Nothing else would be among the best.
    if (found < finalists) for (let i = 0; i < numbers.length; i++) scores[i] ||= scoreInPath(numbers[i] ?? 0, codes)
    return highest(numbers, scores)
  }

  return {
    async find(query) {
      const letters = lowered(query).slice(0, longest)
      if (letters === "") return Array.from({ length: Math.min(mostFound, count) }, (_, number) => pathAt(number))
      const scored = best(left(letters))
      const { Fzf } = await import("fzf")
      const order = new Fzf(scored.map(pathAt), { limit: mostFound, casing: "case-insensitive" })
      return order.find(letters).map(({ item }) => item)
    },
  }
}

/** As long as before: this is the only letter that would become two. */
const lowered = (text: string): string => text.replaceAll("İ", "i").toLowerCase()

/** Characters as numbers, in which loops look faster than strings look into themselves: a byte each where that is possible. */
type Codes = Uint8Array | Uint16Array

const codesOf = (text: string): Codes =>
  /[\u0100-\uffff]/.test(text)
    ? new Uint16Array(Uint8Array.from(Buffer.from(text, "utf16le")).buffer)
    : Buffer.from(text, "latin1")

const [newline, slash] = [10, 47]

function lineStarts(text: Codes): Uint32Array {
  let count = 1
  for (let at = 0; at < text.length; at++) if (text[at] === newline) count++
  const starts = new Uint32Array(count)
  for (let at = 0, line = 1; at < text.length; at++) if (text[at] === newline) starts[line++] = at + 1
  return starts
}

/** A folder's name is before the slash that it ends with. */
function nameStarts(text: Codes, starts: Uint32Array): Uint32Array {
  const names = starts.slice()
  for (let at = 0, line = 0; at < text.length; at++) {
    if (text[at] === newline) line++
    else if (text[at] === slash && text[at + 1] !== newline) names[line] = at + 1
  }
  return names
}

/** Where a part of the text ends that has the letters in order; -1 where none has. */
function afterLetters(text: Codes, from: number, end: number, letters: Codes): number {
  let next = 0
  let at = from
  for (; at < end && next < letters.length; at++) if (text[at] === letters[next]) next++
  return next === letters.length ? at : -1
}

/** Where a part of the text has the letters together; -1 where it does not. */
function togetherAt(text: Codes, from: number, end: number, letters: Codes): number {
  const [first] = letters
  for (let at = from; at + letters.length <= end; at++) {
    if (text[at] !== first) continue
    let same = 1
    while (same < letters.length && text[at + same] === letters[same]) same++
    if (same === letters.length) return at
  }
  return -1
}

const mostScore = 1023

const within = (least: number, most: number, value: number): number => Math.max(least, Math.min(most, value))

function highest(numbers: Uint32Array, scores: Uint16Array): readonly number[] {
  const counts = new Uint32Array(mostScore + 1)
  for (const score of scores) counts[score] = (counts[score] ?? 0) + 1
  let least = mostScore
  for (let sum = counts[least] ?? 0; least > 0 && sum < finalists; sum += counts[least] ?? 0) least--
  const above: { readonly number: number; readonly score: number }[] = []
  const ties: number[] = []
  for (let i = 0; i < numbers.length; i++) {
    const score = scores[i] ?? 0
    if (score > least) above.push({ number: numbers[i] ?? 0, score })
    // Of very many with the same score the first are taken.
    else if (score === least && ties.length < finalists) ties.push(numbers[i] ?? 0)
  }
  const sorted = above.sort((a, b) => b.score - a.score).map(({ number }) => number)
  return [...sorted, ...ties].slice(0, finalists)
}
