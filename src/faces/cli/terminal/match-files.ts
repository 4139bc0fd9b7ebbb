/** Paths by a few of their letters, fast among very many: each further letter looks only at what was left before. */

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

export function openFileMatcher(paths: readonly string[]): FileMatcher {
  const lower = paths.map((path) => path.toLowerCase())
  const names = lower.map((path) => path.lastIndexOf("/", path.length - 2) + 1)
  const all: Left = { letters: "", numbers: Uint32Array.from(paths.keys()) }
  let narrowed: readonly Left[] = [all]

  function left(letters: string): Left {
    // What holds some letters holds those before the last of them too.
    narrowed = narrowed.filter((before) => letters.startsWith(before.letters))
    const from = narrowed.at(-1) ?? all
    if (from.letters === letters) return from
    const next = { letters, numbers: from.numbers.filter((number) => holds(lower[number] ?? "", letters)) }
    narrowed = [...narrowed, next]
    return next
  }

  return {
    async find(given) {
      const letters = given.toLowerCase().slice(0, longest)
      if (letters === "") return paths.slice(0, mostFound)
      const { numbers } = left(letters)
      const scored = best(numbers, (number) => scoreOf(lower[number] ?? "", names[number] ?? 0, letters))
      const { Fzf } = await import("fzf")
      const order = new Fzf(
        scored.map((number) => paths[number] ?? ""),
        { limit: mostFound, casing: "case-insensitive" },
      )
      return order.find(letters).map(({ item }) => item)
    },
  }
}

function holds(path: string, letters: string, from = 0): boolean {
  let at = from - 1
  for (let i = 0; i < letters.length; i++) {
    at = path.indexOf(letters[i] ?? "", at + 1)
    if (at === -1) return false
  }
  return true
}

const mostScore = 1023

/** A rough score: letters together in the name count most, then in the path, then apart in the name. */
function scoreOf(path: string, name: number, letters: string): number {
  const last = path.lastIndexOf(letters)
  const length = path.length - name
  if (last >= name) return within(900, 1023, (last === name ? 1023 : 960) - length)
  if (last !== -1) return within(600, 899, 899 - path.length)
  return holds(path, letters, name) ? within(400, 599, 599 - length) : within(0, 399, 399 - path.length)
}

const within = (least: number, most: number, value: number): number => Math.max(least, Math.min(most, value))

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
