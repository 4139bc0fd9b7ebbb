/** Asks the terminal how light its background is, and takes the answer out of what the user types. */

/** Most terminals answer, some never do. */
export const askBackground = "\u001b]11;?\u001b\\"

/** A later answer will not come. */
const waitMs = 2000

// oxlint-disable-next-line no-control-regex -- answers are control sequences.
const answer = /\u001b\]11;rgba?:([\da-f]+)\/([\da-f]+)\/([\da-f]+)(?:\/[\da-f]+)?(?:\u0007|\u001b\\)/i
// oxlint-disable-next-line no-control-regex -- answers are control sequences.
const beginning = /\u001b\](?:1(?:1(?:;[\da-z:/]*\u001b?)?)?)?$/i

/** Passes on everything else; a partial answer is held until the rest arrives. */
export function openBackgroundReader(parts: {
  readonly now: () => number
  readonly onAnswer: (background: "dark" | "light") => void
  readonly onInput: (input: string) => void
}): (input: string) => void {
  const until = parts.now() + waitMs
  let partial = ""
  let answered = false
  return (input) => {
    const all = partial + input
    partial = ""
    if (answered || parts.now() > until) return parts.onInput(all)
    const found = answer.exec(all)
    if (found) {
      answered = true
      parts.onAnswer(lightnessOf(found.slice(1, 4)) > 0.5 ? "light" : "dark")
      const rest = all.slice(0, found.index) + all.slice(found.index + found[0].length)
      if (rest !== "") parts.onInput(rest)
      return
    }
    const part = beginning.exec(all)
    const typed = part ? all.slice(0, part.index) : all
    partial = part ? part[0] : ""
    if (typed !== "") parts.onInput(typed)
  }
}

/** From 0 to 1, weighted as the eye sees colours. */
function lightnessOf(colours: readonly string[]): number {
  const [red = 0, green = 0, blue = 0] = colours.map(
    (digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1),
  )
  return 0.299 * red + 0.587 * green + 0.114 * blue
}
