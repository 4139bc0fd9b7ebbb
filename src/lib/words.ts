/** Splits a line into words like a shell, without expansion. */

/** Undefined when a quote is never closed. */
export function wordsOf(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? ""
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === "\\") word = (word ?? "") + (text[++i] ?? "")
    else if (character === "'" || character === '"') {
      const end = text.indexOf(character, i + 1)
      if (end === -1) return undefined
      word = (word ?? "") + text.slice(i + 1, end)
      i = end
    } else word = (word ?? "") + character
  }
  return word === undefined ? words : [...words, word]
}
