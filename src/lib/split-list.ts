/** Splits a list that is written as one string, at commas and spaces outside parentheses. */
export function splitList(text: string): readonly string[] {
  const items: string[] = []
  let depth = 0
  let item = ""
  for (const char of text) {
    if (char === "(") depth++
    if (char === ")") depth = Math.max(0, depth - 1)
    if (depth === 0 && /[\s,]/.test(char)) {
      if (item !== "") items.push(item)
      item = ""
    } else item += char
  }
  return item === "" ? items : [...items, item]
}
