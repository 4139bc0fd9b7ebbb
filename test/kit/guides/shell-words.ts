/** The calls of `codewright` in lines of shell, as a reader would see them: quotes resolved, nothing expanded. */

export interface Call {
  /** What follows the program's name. */
  readonly words: readonly string[]
  /** Variables set in front of it. */
  readonly variables: readonly string[]
}

/** Every command in the text, by its words; comments and redirections are left out. */
export function commandsIn(text: string): readonly (readonly string[])[] {
  const joined = text.replaceAll(/\\\n\s*/g, " ")
  return joined.split("\n").flatMap((line) => {
    const found: string[][] = [[]]
    let isTarget = false
    for (const word of wordsOf(line)) {
      if (word.kind === "operator") {
        isTarget = word.text.includes(">") || (word.text.endsWith("<") && word.text !== "<(")
        if (!isTarget) found.push([])
      } else if (isTarget) isTarget = false
      else found.at(-1)?.push(word.text)
    }
    return found.filter((words) => words.length > 0)
  })
}

export function callsIn(text: string): readonly Call[] {
  return commandsIn(text).flatMap((words) => {
    const at = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
    const variables = words.slice(0, at).map((word) => word.split("=", 1)[0] ?? "")
    return words[at] === "codewright" || words[at] === "cw" ? [{ words: words.slice(at + 1), variables }] : []
  })
}

interface Word {
  readonly kind: "word" | "operator"
  readonly text: string
}

function wordsOf(line: string): readonly Word[] {
  const pattern =
    /(\s+)|(#.*$)|(\$\(|<\(|\|\|?|&&?|;|\)|\(|[0-9]?>>?|[0-9]?<)|"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:\\.|[^\s"'|;&<>()\\$]|\$(?!\())+)/gy
  const words: Word[] = []
  let isJoined = false
  for (const [, space, comment, operator, double, single, bare] of line.matchAll(pattern)) {
    if (comment !== undefined && !isJoined) break
    if (space !== undefined || operator !== undefined) {
      if (operator !== undefined) words.push({ kind: "operator", text: operator })
      isJoined = false
      continue
    }
    const text = double?.replaceAll(/\\(.)/g, "$1") ?? single ?? bare ?? comment ?? ""
    const last = words.at(-1)
    if (isJoined && last?.kind === "word") words[words.length - 1] = { kind: "word", text: last.text + text }
    else words.push({ kind: "word", text })
    isJoined = true
  }
  return words
}
