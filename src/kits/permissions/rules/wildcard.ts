/** Wildcard matching that backtracks at most to the last star, so that no pattern can be slow. */

export type Token =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "one" }
  | { readonly kind: "many" }
  | {
      readonly kind: "class"
      readonly negated: boolean
      readonly ranges: readonly { readonly from: string; readonly to: string }[]
    }

export function starred(text: string): readonly Token[] {
  return [...text].map((char) => (char === "*" ? { kind: "many" } : { kind: "char", char }))
}

export function matchesWhole(tokens: readonly Token[], text: string): boolean {
  const chars = [...text]
  let at = 0
  let token = 0
  // Where to retry if what follows the last star does not match: one character further.
  let starToken = -1
  let starAt = 0
  while (at < chars.length) {
    const current = tokens[token]
    if (current?.kind === "many") {
      starToken = token++
      starAt = at
    } else if (current && matchesChar(current, chars[at] ?? "")) {
      token++
      at++
    } else if (starToken >= 0) {
      token = starToken + 1
      at = ++starAt
    } else return false
  }
  while (tokens[token]?.kind === "many") token++
  return token === tokens.length
}

function matchesChar(token: Exclude<Token, { kind: "many" }>, char: string): boolean {
  switch (token.kind) {
    case "char":
      return token.char === char
    case "one":
      return true
    case "class":
      return token.ranges.some(({ from, to }) => inRange(char, from, to)) !== token.negated
  }
}

function inRange(char: string, from: string, to: string): boolean {
  const code = char.codePointAt(0) ?? 0
  return code >= (from.codePointAt(0) ?? 0) && code <= (to.codePointAt(0) ?? 0)
}
