/** Two columns for a terminal of eighty: names on the left, what they are for on the right, wrapped. */

const columns = 80
const leftMost = 27
const indent = 2

export type HelpRow = readonly [name: string, about: string]

/** A name too long for its column gets a line of its own. `beside`: other rows whose columns are the same. */
export function helpRows(rows: readonly HelpRow[], beside: readonly HelpRow[] = []): string {
  const fitting = [...rows, ...beside].map(([name]) => name.length).filter((length) => length <= leftMost)
  const left = indent + Math.max(0, ...fitting) + 2
  return rows
    .map(([name, about]) => {
      const [first = "", ...more] = wrapped(about, columns - left)
      const head = " ".repeat(indent) + name
      const opening = name.length <= leftMost ? [head.padEnd(left) + first] : [head, " ".repeat(left) + first]
      return [...opening, ...more.map((line) => " ".repeat(left) + line)].map((line) => `${line.trimEnd()}\n`).join("")
    })
    .join("")
}

/** Breaks between words; a word that is too long stays whole. */
export function wrapped(text: string, width: number = columns): readonly string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line]
}
